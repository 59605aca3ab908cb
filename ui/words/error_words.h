// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>

#include "core/base/error.h"

namespace disklathe::ui {

// Errors in words: the sentence, and the way out.
class ErrorWords {
  Q_DECLARE_TR_FUNCTIONS(disklathe::ui::ErrorWords)

 public:
  static QString sentence(const Error& error);
  static QString advice(const Error& error);  // empty: there is none
};

}  // namespace disklathe::ui
