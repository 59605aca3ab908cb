// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTranslator>

namespace disklathe::ui::looks {

// A language whose words are half as long again, and marked: what is not translated, cut, or does not fit shows.
class PseudoTranslator : public QTranslator {
 public:
  using QTranslator::QTranslator;
  bool isEmpty() const override { return false; }
  QString translate(const char* context, const char* source, const char* comment, int number) const override;
};

}  // namespace disklathe::ui::looks
