// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace disklathe::ui {

class TextLabel;

// A number, and under it what it counts.
class Figure : public QWidget {
  Q_OBJECT
 public:
  explicit Figure(const QString& value = {}, const QString& caption = {}, QWidget* parent = nullptr);
  void set(const QString& value, const QString& caption);

 private:
  TextLabel* value_;
  TextLabel* caption_;
};

}  // namespace disklathe::ui
