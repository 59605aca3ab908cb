// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace disklathe::ui {

struct PictureTable;

// What a picture shows, to be walked and copied.
class TableDialog : public QDialog {
  Q_OBJECT
 public:
  TableDialog(const QString& title, const PictureTable& table, QWidget* parent);
};

}  // namespace disklathe::ui
