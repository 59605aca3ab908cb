// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/translations.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

static void init_translations() { Q_INIT_RESOURCE(translations); }

namespace disklathe::ui {
namespace {

// As locale(7) has it: the first of these that says something.
bool numbers_are_c() {
  for (const char* name : {"LC_ALL", "LC_NUMERIC", "LANG"})
    if (const QByteArray value = qgetenv(name); !value.isEmpty())
      return value == "C" || value.startsWith("C.") || value == "POSIX";
  return true;
}

}  // namespace

void install_translations() {
  init_translations();
  const auto install = [](const QLocale& locale, const QString& name, const QString& folder) {
    auto* translator = new QTranslator(QCoreApplication::instance());
    if (translator->load(locale, name, QStringLiteral("_"), folder))
      return QCoreApplication::installTranslator(translator);
    delete translator;
    return false;
  };
  // Who chose a language for messages alone (LANGUAGE) has no format for numbers: that of the language.
  const QLocale users;
  if (users.language() != QLocale::C && numbers_are_c())
    QLocale::setDefault(QLocale(users.language(), users.territory()));
  install(users, QStringLiteral("qtbase"), QLibraryInfo::path(QLibraryInfo::TranslationsPath));
  const QString ours = QStringLiteral(":/disklathe/translations"), name = QStringLiteral("disklathe");
  // What a language has no words for stays English, with its plurals.
  install(QLocale(QLocale::English), name, ours);
  if (users.language() != QLocale::English && users.language() != QLocale::C) install(users, name, ours);
}

}  // namespace disklathe::ui
