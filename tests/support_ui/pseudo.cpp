// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support_ui/pseudo.h"

namespace disklathe::ui::looks {

QString PseudoTranslator::translate(const char* context, const char* source, const char*, int number) const {
  if (!QByteArray(context).startsWith("disklathe::ui::")) return {};
  QString text = QString::fromUtf8(source);
  if (number >= 0) text.replace(QLatin1String("%n"), QString::number(number));
  if (right_to_left_) {
    // What is filled in, and mnemonics, stay. Letters become Hebrew ones.
    for (qsizetype i = 0; i < text.size(); ++i) {
      const char16_t letter = text[i].toLower().unicode();
      if ((i > 0 && text[i - 1] == u'%') || letter < u'a' || letter > u'z') continue;
      text[i] = QChar(static_cast<char16_t>(0x5d0 + (letter - u'a')));
    }
    return text;
  }
  text.replace(QLatin1Char('a'), QChar(0xe4))
      .replace(QLatin1Char('e'), QChar(0xe9))
      .replace(QLatin1Char('o'), QChar(0xf8));
  if (text.size() < 3 || !text.contains(QLatin1Char(' ')))
    return text.size() < 3 ? text : text + QStringLiteral("øøø").left(text.size() / 3);
  return text + QLatin1Char(' ') + QStringLiteral("lørém ipsüm dølør sit ämét consectetur").left(text.size() / 2);
}

}  // namespace disklathe::ui::looks
