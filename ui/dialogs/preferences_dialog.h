// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/dialogs/dialog_frame.h"

class QCheckBox;
class QComboBox;

namespace disklathe::ui {

// What a person may want otherwise. Few, as each has a good default.
class PreferencesDialog : public DialogFrame {
  Q_OBJECT
 public:
  explicit PreferencesDialog(QWidget* parent = nullptr);
  // The colours that were chosen, for the start of the program.
  static void apply_colors();

 private:
  void save();

  QCheckBox* verify_;
  QCheckBox* notify_;
  QComboBox* colors_;
};

}  // namespace disklathe::ui
