// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>
#include <optional>
#include <string>

namespace disklathe::ui {

// What the core says in its own words (the cause of an error, a warning about an image; English, and named as the
// format's specification names it) in the person's.
class CoreWords {
  Q_DECLARE_TR_FUNCTIONS(disklathe::ui::CoreWords)

 public:
  // Nothing: there are none for it, and it can only be shown as a technical detail.
  static std::optional<QString> translated(const std::string& words);
  // What there are words for, as the core writes it: %1 where it fills something in.
  static const QStringList& known();
};

}  // namespace disklathe::ui
