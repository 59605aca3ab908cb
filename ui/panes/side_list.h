// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListView>

#include "ui/theme/glyph.h"

namespace disklathe::ui {

// What a row of the left pane shows, besides its model's Qt::DisplayRole (the name).
enum SideRole : int {
  side_glyph = Qt::UserRole + 1,  // int(Glyph)
  side_detail,                    // QString: size first, then where it is
  side_badge,                     // QString: what it is used for
  side_locked,                    // bool: the system's; may be looked at, never written
  side_progress,                  // double 0 to 1, where a job runs on it
  side_target,                    // bool: may be written
  side_key,                       // QString: what it is known by
};

// A list of 48 px rows, as high as they are.
class SideList : public QListView {
  Q_OBJECT
 public:
  explicit SideList(const QString& name, QWidget* parent = nullptr);
  void setModel(QAbstractItemModel* model) override;
  // While something is dragged: rows that cannot be a target are paled, those that can have a dashed frame.
  void set_dragging(bool dragging);
  bool dragging() const { return dragging_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {160, sizeHint().height()}; }

 Q_SIGNALS:
  void chosen(const QModelIndex& index);
  void dropped_on(const QModelIndex& index, const QList<QUrl>& urls);
  void menu_wanted(const QModelIndex& index, const QPoint& global);

 protected:
  void rowsAboutToBeRemoved(const QModelIndex& parent, int first, int last) override;
  void selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  bool dragging_ = false;
};

}  // namespace disklathe::ui
