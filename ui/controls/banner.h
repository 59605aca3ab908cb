// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/controls/surfaces.h"

class QLabel;
class QPushButton;

namespace disklathe::ui {

class TextLabel;

// One sentence between the header and the tabs, and at most one button that resolves what it says.
class Banner : public Card {
  Q_OBJECT
 public:
  explicit Banner(QWidget* parent = nullptr);
  // An empty button: none.
  void show_message(Tone tone, const QString& sentence, const QString& button = {});
  QString sentence() const;

 Q_SIGNALS:
  void resolved();

 private:
  QLabel* sign_;
  TextLabel* sentence_;
  QPushButton* button_;
};

}  // namespace disklathe::ui
