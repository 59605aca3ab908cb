// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>

#include "core/format/registry.h"

namespace disklathe::ui {

// Formats and their options for a person. What the registry has and nobody translated is shown in its own words.
class FormatWords {
  Q_DECLARE_TR_FUNCTIONS(disklathe::ui::FormatWords)

 public:
  static QString name(const Format& format);             // "VHDX (Hyper-V)"
  static QString use(const Format& format);              // "Opens in Hyper-V, VirtualBox and QEMU."
  static QString option(const OptionInfo& option);       // "Block size"
  static QString explanation(const OptionInfo& option);  // a sentence
  static QString value(std::string_view value);          // empty: another name for one of the others
  static QString file_filter();                          // for a file dialog: what can be opened, then everything
  // Not those that the dialog asks for elsewhere, and those that leave nothing to choose.
  static bool is_shown(const OptionInfo& option);

 private:
  struct OptionText;
  static const OptionText* text_of(const OptionInfo& option);
};

}  // namespace disklathe::ui
