// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTranslator>

namespace disklathe::ui::looks {

// A language whose words are half as long again, and marked: what is not translated, cut, or does not fit shows.
// right_to_left: a language of letters that run so instead, for what mixed directions do to numbers and names.
class PseudoTranslator : public QTranslator {
 public:
  explicit PseudoTranslator(bool right_to_left = false) : right_to_left_(right_to_left) {}
  bool isEmpty() const override { return false; }
  QString translate(const char* context, const char* source, const char* comment, int number) const override;

 private:
  bool right_to_left_;
};

}  // namespace disklathe::ui::looks
