// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>

#include "core/base/error.h"

namespace disklathe::ui {

// Errors in words: the sentence, the way out, and what only somebody who knows the format can use.
class ErrorWords {
  Q_DECLARE_TR_FUNCTIONS(disklathe::ui::ErrorWords)

 public:
  static QString sentence(const Error& error);
  static QString advice(const Error& error);  // empty: there is none
  // What the core, or the kernel, says in words that are not the person's; empty: the sentence says all of it.
  static QString detail(const Error& error);
  static QString whole(const Error& error);  // the three, one after the other

 private:
  static QString by_kernel(int os_error);
  static QString reason(const Error& error);
};

}  // namespace disklathe::ui
