// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panes/drop_zones.h"

#include <QDropEvent>
#include <QHBoxLayout>
#include <QMimeData>
#include <QPainter>

#include "ui/controls/surfaces.h"
#include "ui/pictures/paint.h"

namespace disklathe::ui {

DropZone::DropZone(const QList<Glyph>& marks, const QString& title, const QString& words, QWidget* parent)
    : QWidget(parent), marks_(marks), title_(title), words_(words) {
  setAccessibleName(title);
  setAccessibleDescription(words);
  setAcceptDrops(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void DropZone::set_words(const QString& words) {
  words_ = words;
  setAccessibleDescription(words);
  update();
}

void DropZone::paintEvent(QPaintEvent*) {
  QPainter p(this);
  const Theme& t = theme();
  p.setRenderHint(QPainter::Antialiasing);
  QPen frame(hot_ ? t.accent_ink : t.faint, hot_ ? 2 : 1.4);
  if (!hot_) frame.setDashPattern({5, 4});
  p.setPen(frame);
  p.setBrush(hot_ ? mix(t.base, t.accent, .12) : t.base);
  p.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);
  const QPointF middle(width() / 2.0, height() / 2.0 - 56);
  if (marks_.size() == 1) {
    paint_glyph(p, {middle.x() - 32, middle.y() - 48, 64, 64}, marks_[0], t.muted);
  } else {
    const bool rtl = layoutDirection() == Qt::RightToLeft;
    paint_glyph(p, {middle.x() - 88, middle.y() - 48, 64, 64}, marks_[rtl ? 1 : 0], t.muted);
    paint_glyph(p, {middle.x() + 24, middle.y() - 48, 64, 64}, marks_[rtl ? 0 : 1], t.muted);
    p.setPen(QPen(t.accent_ink, 2));
    const double tip = rtl ? -12 : 12, barb = rtl ? -6 : 6;
    p.drawLine(QPointF(middle.x() - 12, middle.y() - 16), QPointF(middle.x() + 12, middle.y() - 16));
    p.drawPolyline(QPolygonF({{middle.x() + barb, middle.y() - 22},
                              {middle.x() + tip, middle.y() - 16},
                              {middle.x() + barb, middle.y() - 10}}));
  }
  const double title_height = height_of(Face::title) + 6;
  paint_text(p, {0, middle.y() + 32, static_cast<double>(width()), title_height}, Qt::AlignCenter, title_, Face::title,
             t.text);
  const QString words = QFontMetricsF(font_of(Face::body)).elidedText(words_, Qt::ElideMiddle, width() - 32);
  paint_text(p, {0, middle.y() + 36 + title_height, static_cast<double>(width()), height_of(Face::body)},
             Qt::AlignCenter, words, Face::body, t.muted);
}

void DropZone::dragEnterEvent(QDragEnterEvent* event) {
  if (!event->mimeData()->hasUrls()) return;
  hot_ = true;
  update();
  event->acceptProposedAction();
}

void DropZone::dragLeaveEvent(QDragLeaveEvent*) {
  hot_ = false;
  update();
}

void DropZone::dropEvent(QDropEvent* event) {
  hot_ = false;
  update();
  event->acceptProposedAction();
  Q_EMIT dropped(event->mimeData()->urls());
}

DropOverlay::DropOverlay(QWidget* parent) : QWidget(parent) {
  set_surface(*this, true);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(24, 24, 24, 24);
  row->setSpacing(16);
  inspect_ = new DropZone({Glyph::image}, tr("Inspect"), {});
  auto* convert =
      new DropZone({Glyph::image, Glyph::usb}, tr("Convert or write…"), tr("Choose a file or a device next"));
  row->addWidget(inspect_);
  row->addWidget(convert);
  connect(inspect_, &DropZone::dropped, this, &DropOverlay::inspect);
  connect(convert, &DropZone::dropped, this, &DropOverlay::convert);
}

void DropOverlay::set_files(const QList<QUrl>& urls) {
  inspect_->set_words(urls.size() == 1 ? tr("Show what %1 holds").arg(urls.first().fileName())
                                       : tr("Show what %n file(s) hold", nullptr, static_cast<int>(urls.size())));
}

}  // namespace disklathe::ui
