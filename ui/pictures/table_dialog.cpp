// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/table_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>

#include "ui/pictures/picture.h"

namespace disklathe::ui {

TableDialog::TableDialog(const QString& title, const PictureTable& table, QWidget* parent) : QDialog(parent) {
  setWindowTitle(title);
  resize(720, 480);
  auto* column = new QVBoxLayout(this);
  auto* view = new QTableWidget(static_cast<int>(table.rows.size()), static_cast<int>(table.headers.size()));
  view->setAccessibleName(title);
  view->setHorizontalHeaderLabels(table.headers);
  view->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view->verticalHeader()->hide();
  view->setTabKeyNavigation(false);
  for (int r = 0; r < table.rows.size(); ++r)
    for (int c = 0; c < table.headers.size(); ++c) view->setItem(r, c, new QTableWidgetItem(table.rows[r].value(c)));
  view->resizeColumnsToContents();
  view->horizontalHeader()->setStretchLastSection(true);
  column->addWidget(view);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  column->addWidget(buttons);
}

}  // namespace disklathe::ui
