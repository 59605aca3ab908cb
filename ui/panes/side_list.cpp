// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panes/side_list.h"

#include <QContextMenuEvent>
#include <QDropEvent>
#include <QMimeData>

#include "ui/panes/side_row_painter.h"

namespace disklathe::ui {
namespace {

constexpr int row_height = 48;

}  // namespace

SideList::SideList(const QString& name, QWidget* parent) : QListView(parent) {
  setAccessibleName(name);
  setItemDelegate(new SideRowPainter(this));
  setFrameShape(QFrame::NoFrame);
  setUniformItemSizes(true);
  setMouseTracking(true);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setBackgroundRole(QPalette::Window);
  viewport()->setBackgroundRole(QPalette::Window);
  viewport()->setAutoFillBackground(false);
  setAcceptDrops(true);
  viewport()->setAcceptDrops(true);
}

void SideList::setModel(QAbstractItemModel* model) {
  QListView::setModel(model);
  const auto fit = [this] { setFixedHeight(sizeHint().height()); };
  connect(model, &QAbstractItemModel::rowsInserted, this, fit);
  connect(model, &QAbstractItemModel::rowsRemoved, this, fit);
  connect(model, &QAbstractItemModel::modelReset, this, fit);
  fit();
}

void SideList::set_dragging(bool dragging) {
  dragging_ = dragging;
  viewport()->update();
}

QSize SideList::sizeHint() const { return {240, (model() ? model()->rowCount() : 0) * row_height}; }

// Not the current row, which Qt sets when the list merely gets the keyboard.
void SideList::selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) {
  QListView::selectionChanged(selected, deselected);
  if (!selected.isEmpty()) Q_EMIT chosen(selected.indexes().first());
}

// What is shown stays: Qt would go over to the neighbour of a row that goes.
void SideList::rowsAboutToBeRemoved(const QModelIndex& parent, int first, int last) {
  const int row = currentIndex().row();
  if (row >= first && row <= last) selectionModel()->clear();
  QListView::rowsAboutToBeRemoved(parent, first, last);
}

void SideList::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void SideList::dragMoveEvent(QDragMoveEvent* event) {
  const QModelIndex index = indexAt(event->position().toPoint());
  if (index.isValid() && index.data(side_target).toBool())
    event->acceptProposedAction();
  else
    event->ignore();
}

void SideList::dropEvent(QDropEvent* event) {
  const QModelIndex index = indexAt(event->position().toPoint());
  if (!index.isValid() || !index.data(side_target).toBool()) return;
  event->acceptProposedAction();
  Q_EMIT dropped_on(index, event->mimeData()->urls());
}

void SideList::contextMenuEvent(QContextMenuEvent* event) {
  const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  const QModelIndex index = by_key ? currentIndex() : indexAt(event->pos());
  if (!index.isValid()) return;
  Q_EMIT menu_wanted(index, by_key ? viewport()->mapToGlobal(visualRect(index).center()) : event->globalPos());
}

void SideList::wheelEvent(QWheelEvent* event) { event->ignore(); }

}  // namespace disklathe::ui
