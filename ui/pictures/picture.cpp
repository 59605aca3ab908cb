// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/picture.h"

#include <QAccessible>
#include <QAction>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QSaveFile>

#include "ui/pictures/paint.h"
#include "ui/pictures/table_dialog.h"

namespace disklathe::ui {

Picture::Picture(const QString& name, QWidget* parent) : QWidget(parent) {
  setAccessibleName(name);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

void Picture::set_current_mark(int mark) {
  if (mark == current_) return;
  current_ = mark;
  setAccessibleDescription(mark < 0 ? QString() : reading_of(mark));
  if (hasFocus()) {
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
  }
  update();
}

QByteArray Picture::csv() const {
  const auto line = [](const QStringList& cells) {
    QStringList quoted;
    for (QString cell : cells)
      quoted << QLatin1Char('"') + cell.replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"');
    return quoted.join(QLatin1Char(',')) + QLatin1String("\r\n");
  };
  const PictureTable shown = table();
  QString text = line(shown.headers);
  for (const QStringList& row : shown.rows) text += line(row);
  return text.toUtf8();
}

bool Picture::save_png(const QString& path) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return false;
  QPixmap drawn(size() * 2);
  drawn.setDevicePixelRatio(2);
  drawn.fill(theme().base);
  render(&drawn);
  return drawn.save(&file, "PNG") && file.commit();
}

void Picture::show_table() {
  TableDialog dialog(accessibleName(), table(), window());
  dialog.exec();
}

void Picture::paint_focus(QPainter& p) const {
  if (!hasFocus()) return;
  p.setRenderHint(QPainter::Antialiasing);
  p.setBrush(Qt::NoBrush);
  p.setPen(QPen(theme().accent_ink, 2));
  p.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 5, 5);
}

void Picture::paint_reading(QPainter& p) const {
  if (current_ < 0) return;
  const QString reading = reading_of(current_);
  if (reading.isEmpty()) return;
  const Theme& t = theme();
  const QRectF mark = place_of(current_);
  const QSizeF size(width_of(reading, Face::caption) + 24, height_of(Face::caption) + 10);
  double y = mark.bottom() + 8;
  if (y + size.height() > height()) y = mark.top() - 8 - size.height();
  const double x = std::clamp(mark.center().x() - 24, 1.0, std::max(1.0, width() - size.width() - 2));
  const QRectF plate(QPointF(std::floor(x) + 0.5, std::floor(std::max(1.0, y)) + 0.5), size);
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(t.faint, 1));
  p.setBrush(t.base);
  p.drawRoundedRect(plate, 4, 4);
  paint_text(p, plate, Qt::AlignCenter, reading, Face::caption, t.text);
}

void Picture::keyPressEvent(QKeyEvent* event) {
  const int count = mark_count();
  const auto go = [&](int to) { set_current_mark(std::clamp(to, 0, count - 1)); };
  if (event->key() == Qt::Key_F2) return show_table();
  if (count > 0) {
    switch (event->key()) {
      case Qt::Key_Right: return go(current_ + 1);
      case Qt::Key_Left: return go(current_ < 0 ? count - 1 : current_ - 1);
      case Qt::Key_Down:
        if (row_length() > 1) return go(current_ + row_length());
        break;
      case Qt::Key_Up:
        if (row_length() > 1) return go(current_ - row_length());
        break;
      case Qt::Key_Home: return go(0);
      case Qt::Key_End: return go(count - 1);
      case Qt::Key_Escape:
        if (current_ >= 0) return set_current_mark(-1);
        break;
      default: break;
    }
  }
  QWidget::keyPressEvent(event);
}

void Picture::mouseMoveEvent(QMouseEvent* event) { set_current_mark(mark_at(event->position().toPoint())); }
void Picture::leaveEvent(QEvent*) { set_current_mark(-1); }
void Picture::focusOutEvent(QFocusEvent* event) {
  set_current_mark(-1);
  QWidget::focusOutEvent(event);
}

void Picture::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  connect(menu.addAction(tr("Show as &Table…")), &QAction::triggered, this, &Picture::show_table);
  connect(menu.addAction(tr("&Copy as CSV")), &QAction::triggered, this,
          [this] { QGuiApplication::clipboard()->setText(QString::fromUtf8(csv())); });
  connect(menu.addAction(tr("&Save as PNG…")), &QAction::triggered, this, [this] {
    const QString path = QFileDialog::getSaveFileName(
        window(), tr("Save Picture"), accessibleName() + QLatin1String(".png"), tr("PNG pictures (*.png)"));
    if (!path.isEmpty()) save_png(path);
  });
  menu.exec(event->globalPos());
}

void Picture::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) update();
  QWidget::changeEvent(event);
}

}  // namespace disklathe::ui
