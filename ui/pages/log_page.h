// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>

namespace disklathe::ui {

// What was done, line by line, to be read and copied.
class LogPage : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit LogPage(QWidget* parent = nullptr);
  void set_lines(const QStringList& lines);
};

}  // namespace disklathe::ui
