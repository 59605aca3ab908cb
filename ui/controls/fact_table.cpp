// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controls/fact_table.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include "ui/pictures/paint.h"
#include "ui/theme/icons.h"

namespace disklathe::ui {
namespace {

constexpr int look_role = Qt::UserRole, warn_role = Qt::UserRole + 1, absent_role = Qt::UserRole + 2;
constexpr int header_height = 28, sign_width = 22;

Face face_of(FactTable::Look look) {
  if (look == FactTable::Look::first) return Face::section;
  return look == FactTable::Look::caption ? Face::caption : Face::body;
}

int beside(bool right_edge) {
  const Qt::Alignment side = right_edge ? Qt::AlignRight : Qt::AlignLeft;
  return static_cast<int>((side | Qt::AlignVCenter | Qt::AlignAbsolute).toInt());
}

class CellPainter : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& t = theme();
    const auto look = static_cast<FactTable::Look>(index.data(look_role).toInt());
    const bool number = look == FactTable::Look::number, warn = index.data(warn_role).toBool();
    const Face face = face_of(look);
    const QString text = index.data().toString();
    QRectF at = QRectF(option.rect).adjusted(index.column() == 0 ? 2 : 8, 0, -8, 0);
    const bool rtl = option.direction == Qt::RightToLeft;
    if (warn) {
      const double words = std::min(width_of(text, face), at.width() - sign_width);
      const bool sign_first = number == rtl;
      const double x = sign_first ? at.left() : number ? at.right() - words - sign_width : at.right() - 16;
      action_icon(QLatin1String("data-warning"))
          .paint(p, QRectF(number ? (rtl ? at.left() + words + 6 : at.right() - words - sign_width) : x,
                           at.center().y() - 7, 16, 16)
                        .toRect());
      if (!number) at.adjust(rtl ? 0 : sign_width, 0, rtl ? -sign_width : 0, 0);
    }
    const QFontMetricsF metrics(font_of(face));
    const bool absent = index.data(absent_role).toBool();
    p->save();
    p->setLayoutDirection(option.direction);
    paint_text(*p, at, beside(number != rtl), metrics.elidedText(text, Qt::ElideRight, at.width() + 1), face,
               absent || look == FactTable::Look::caption ? t.muted : t.text);
    p->setRenderHint(QPainter::Antialiasing, false);
    p->setPen(t.line);
    p->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    if (option.state & QStyle::State_HasFocus) {
      p->setPen(t.accent_ink);
      p->setBrush(Qt::NoBrush);
      p->drawRect(option.rect.adjusted(0, 0, -1, -1));
    }
    p->restore();
  }
};

class HeaderPainter : public QHeaderView {
 public:
  HeaderPainter() : QHeaderView(Qt::Horizontal) {}

 protected:
  void paintSection(QPainter* p, const QRect& rect, int section) const override {
    const Theme& t = theme();
    const bool number = model()->headerData(section, Qt::Horizontal, look_role).toInt() == int(FactTable::Look::number);
    const bool rtl = layoutDirection() == Qt::RightToLeft;
    p->fillRect(rect, t.base);
    paint_text(*p, QRectF(rect).adjusted(section ? 8 : 2, 0, -8, 0), beside(number != rtl),
               model()->headerData(section, Qt::Horizontal).toString(), Face::caption, t.muted);
    p->setPen(t.faint);
    p->drawLine(rect.bottomLeft(), rect.bottomRight());
  }
};

}  // namespace

FactTable::FactTable(const QString& name, const QVector<Column>& columns, QWidget* parent)
    : QTableWidget(0, static_cast<int>(columns.size()), parent), columns_(columns) {
  setAccessibleName(name);
  setHorizontalHeader(new HeaderPainter);
  setItemDelegate(new CellPainter(this));
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
  setSelectionMode(QAbstractItemView::NoSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTabKeyNavigation(false);
  setCornerButtonEnabled(false);
  verticalHeader()->hide();
  verticalHeader()->setMinimumSectionSize(20);
  verticalHeader()->setDefaultSectionSize(row_height_);
  horizontalHeader()->setFixedHeight(header_height);
  horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setMinimumSectionSize(8);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  for (int c = 0; c < columnCount(); ++c) {
    auto* title = new QTableWidgetItem(columns[c].title);
    title->setData(look_role, static_cast<int>(columns[c].look));
    setHorizontalHeaderItem(c, title);
  }
}

void FactTable::set_rows(const QVector<QVector<Cell>>& rows) {
  setRowCount(static_cast<int>(rows.size()));
  for (int r = 0; r < rows.size(); ++r) {
    for (int c = 0; c < columnCount(); ++c) {
      const Cell& cell = rows[r].value(c);
      auto* item = new QTableWidgetItem(cell.text);
      item->setToolTip(cell.text);
      item->setData(look_role, static_cast<int>(columns_[c].look));
      item->setData(warn_role, cell.warn);
      item->setData(absent_role, cell.absent);
      setItem(r, c, item);
    }
  }
  updateGeometry();
}

void FactTable::set_row_height(int height) {
  row_height_ = height;
  verticalHeader()->setDefaultSectionSize(height);
}

QSize FactTable::sizeHint() const { return {600, header_height + rowCount() * row_height_ + 2}; }

void FactTable::fit_columns() {
  int fixed = 0, open = 0;
  for (int c = 0; c < columnCount(); ++c) {
    if (isColumnHidden(c)) continue;
    fixed += columns_[c].width;
    open += columns_[c].width == 0;
  }
  int left = viewport()->width() - fixed;
  for (int c = 0; c < columnCount(); ++c) {
    if (columns_[c].width || isColumnHidden(c)) {
      setColumnWidth(c, columns_[c].width);
      continue;
    }
    const int width = std::max(80, left / open--);  // the last one takes what rounding leaves
    left -= width;
    setColumnWidth(c, width);
  }
}

void FactTable::resizeEvent(QResizeEvent* event) {
  QTableWidget::resizeEvent(event);
  fit_columns();
}

// What the table does not need is the page's.
void FactTable::wheelEvent(QWheelEvent* event) { event->ignore(); }
void FactTable::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_PageUp || event->key() == Qt::Key_PageDown) return event->ignore();
  QTableWidget::keyPressEvent(event);
}

}  // namespace disklathe::ui
