// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
//
// A language that is offered is complete: each string of the sources is translated, and nothing that is filled in is
// lost on the way. English has its plurals only.
#include <QtWidgets>

#include <QTest>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support_ui/driver.h"
#include "ui/main_window.h"
#include "ui/theme/translations.h"

using namespace disklathe;
using namespace Qt::StringLiterals;

namespace {

struct Message {
  QString context, source, state;
  QStringList translations;  // one, or one a plural form
  bool plural = false;
};

QList<Message> read_messages(const QString& path) {
  QFile file(path);
  QList<Message> messages;
  if (!file.open(QIODevice::ReadOnly)) return messages;
  QXmlStreamReader xml(&file);
  QString context;
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    if (xml.name() == u"name") context = xml.readElementText();
    if (xml.name() == u"message") {
      messages << Message{.context = context, .source = {}, .state = {}, .translations = {}};
      messages.last().plural = xml.attributes().value(u"numerus") == u"yes";
    }
    if (xml.name() == u"source") messages.last().source = xml.readElementText();
    if (xml.name() == u"translation") {
      messages.last().state = xml.attributes().value(u"type").toString();
      if (!messages.last().plural) messages.last().translations << xml.readElementText();
    }
    if (xml.name() == u"numerusform") messages.last().translations << xml.readElementText();
  }
  return messages;
}

QString sources() { return qEnvironmentVariable("DISKLATHE_SOURCE_DIR"); }

QStringList placeholders(const QString& text) {
  static const QRegularExpression placeholder(u"%L?[1-9]"_s);
  QStringList found;
  for (const auto& match : placeholder.globalMatch(text)) found << match.captured();
  found.sort();
  return found;
}

}  // namespace

class TranslationsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QSettings().clear();
  }
  void everyStringIsTranslated_data() {
    QTest::addColumn<QString>("name");
    for (const QString& name : QDir(sources() + u"/translations"_s).entryList({u"*.ts"_s}, QDir::Files))
      QTest::newRow(qPrintable(name)) << name;
  }
  void everyStringIsTranslated() {
    QFETCH(QString, name);
    const QString lupdate = QLibraryInfo::path(QLibraryInfo::BinariesPath) + u"/lupdate"_s;
    if (!QFileInfo(lupdate).isExecutable()) QSKIP("lupdate is not installed here");
    const test::TempDir folder;
    const QString copy = QString::fromStdString(folder.file(name.toStdString()));
    QVERIFY(QFile::copy(sources() + u"/translations/"_s + name, copy));
    std::vector<std::string> words{lupdate.toStdString(), "-silent", "-I",          sources().toStdString(),
                                   "-locations",          "none",    "-no-obsolete"};
    if (name == u"disklathe_en.ts") words.emplace_back("-pluralonly");
    for (const char* part : {"/ui", "/app/gui"}) words.push_back((sources() + QLatin1String(part)).toStdString());
    words.insert(words.end(), {"-ts", copy.toStdString()});
    QCOMPARE(test::run_program(words).status, 0);
    const auto messages = read_messages(copy);
    QVERIFY(messages.size() > 5);
    QStringList missing;
    // In another context than its class's a string is not found.
    for (const Message& message : messages)
      QVERIFY2(message.context == u"main" || message.context.startsWith(u"disklathe::ui::"),
               qPrintable(message.context));
    for (const Message& message : messages)
      if (!message.state.isEmpty() || message.translations.contains(QString()))
        missing << message.context + u": "_s + message.source;
    QVERIFY2(missing.isEmpty(),
             qPrintable(u"not translated (ninja translations brings the file up to date):\n"_s + missing.join(u'\n')));
  }
  void nothingThatIsFilledInIsLost_data() { everyStringIsTranslated_data(); }
  void nothingThatIsFilledInIsLost() {
    QFETCH(QString, name);
    for (const Message& message : read_messages(sources() + u"/translations/"_s + name))
      for (qsizetype form = 0; form < message.translations.size(); ++form) {
        const QString& translation = message.translations[form];
        const QString both = message.source + u" -> "_s + translation;
        QVERIFY2(placeholders(translation) == placeholders(message.source), qPrintable(both));
        // "Eine Datei" needs no number.
        if (message.plural && form > 0) QVERIFY2(translation.contains(u"%n"), qPrintable(both));
        QVERIFY2(translation.trimmed() == translation, qPrintable(both));
        QVERIFY2(translation.endsWith(u'…') == message.source.endsWith(u'…'), qPrintable(both));
        QVERIFY2(translation.endsWith(u'.') == message.source.endsWith(u'.'), qPrintable(both));
        QVERIFY2(translation.count(u'&') == message.source.count(u'&'), qPrintable(both));
      }
  }
  void theUsersLanguageIsShown() {
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    ui::install_translations();
    ui::MainWindow window;
    window.show();
    QVERIFY(ui::drive::says(window, u"Oder wählen Sie ein Gerät aus der Liste"_s));
    QVERIFY(ui::drive::button(window, u"Auf Gerät schreiben…"_s));
    QCOMPARE(QCoreApplication::translate("disklathe::ui::JobsPane", "%n running", nullptr, 1), u"1 läuft"_s);
    QCOMPARE(QCoreApplication::translate("disklathe::ui::JobsPane", "%n running", nullptr, 3), u"3 laufen"_s);
    // Qt's own dialogs too, by Qt's own catalogue.
    if (!QFileInfo::exists(QLibraryInfo::path(QLibraryInfo::TranslationsPath) + u"/qtbase_de.qm"_s))
      QSKIP("Qt's translations (qt6-translations-l10n) are not installed here");
    QFileDialog dialog;
    dialog.setOption(QFileDialog::DontUseNativeDialog);
    dialog.show();
    QVERIFY(ui::drive::said(dialog).contains(u"Abbrechen"_s));
    QVERIFY(ui::drive::said(dialog).contains(u"Suchen in:"_s));
  }
};

QTEST_MAIN(TranslationsTest)
#include "translations_test.moc"
