// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/translations.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

static void init_translations() { Q_INIT_RESOURCE(translations); }

namespace disklathe::ui {

void install_translations() {
  init_translations();
  const auto install = [](const QLocale& locale, const QString& name, const QString& folder) {
    auto* translator = new QTranslator(QCoreApplication::instance());
    if (translator->load(locale, name, QStringLiteral("_"), folder))
      return QCoreApplication::installTranslator(translator);
    delete translator;
    return false;
  };
  const QLocale users;
  install(users, QStringLiteral("qtbase"), QLibraryInfo::path(QLibraryInfo::TranslationsPath));
  const QString ours = QStringLiteral(":/disklathe/translations"), name = QStringLiteral("disklathe");
  // What a language has no words for stays English, with its plurals.
  install(QLocale(QLocale::English), name, ours);
  if (users.language() != QLocale::English && users.language() != QLocale::C) install(users, name, ours);
}

}  // namespace disklathe::ui
