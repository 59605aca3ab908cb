// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui
//
// What the core says reaches people in their language: what has words here is what the core says, and each warning
// about an image, each option of a format has its words.
#include "ui/words/core_words.h"

#include <QtCore>

#include <QTest>
#include <cerrno>

#include "core/format/registry.h"
#include "core/stream/decoder.h"
#include "ui/theme/translations.h"
#include "ui/words/error_words.h"
#include "ui/words/format_words.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace Qt::StringLiterals;

namespace {

QByteArray sources() { return qgetenv("DISKLATHE_SOURCE_DIR"); }

// The literals of a source, each as one, however it is broken into lines.
QString without_breaks(const QString& source) {
  static const QRegularExpression broken(u"\"\\s*\n\\s*\""_s);
  return QString(source).remove(broken);
}

QHash<QString, QString> core_sources() {
  QHash<QString, QString> all;
  for (const char* part : {"/core", "/helper", "/ui/jobs"}) {
    QDirIterator files(QString::fromUtf8(sources() + part), {u"*.cpp"_s}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      if (file.open(QIODevice::ReadOnly)) all[file.fileName()] = without_breaks(QString::fromUtf8(file.readAll()));
    }
  }
  return all;
}

}  // namespace

class CoreWordsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatHasWordsIsSaidByTheCore() {
    const auto all = core_sources();
    QVERIFY(all.size() > 50);
    QStringList stale, encoded;
    for (const stream::Encoding& encoding : stream::encodings())
      encoded << QString::fromUtf8(encoding.description.data(), static_cast<qsizetype>(encoding.description.size())) +
                     u" data"_s;
    for (const QString& words : CoreWords::known()) {
      if (encoded.contains(words)) continue;
      // Between what is filled in: parts of one literal, or of several that are put together.
      static const QRegularExpression place(u"%\\d"_s);
      const QStringList parts = words.split(place, Qt::SkipEmptyParts);
      const bool said = std::any_of(all.begin(), all.end(), [&](const QString& source) {
        return std::ranges::all_of(parts, [&](const QString& part) { return source.contains(part.trimmed()); });
      });
      if (!said) stale << words;
    }
    QVERIFY2(stale.isEmpty(), qPrintable(stale.join(u'\n')));
  }
  void everyWarningAboutAnImageHasWords() {
    static const QRegularExpression warning(u"warnings\\.push_back\\(\"([^\"]+)\"(\\)| \\+)"_s);
    int found = 0;
    const auto all = core_sources();
    for (const QString& source : all)
      for (const auto& match : warning.globalMatch(source)) {
        ++found;
        const QString words = match.captured(1) + (match.captured(2) == u" +" ? u"something"_s : QString());
        // A chain that is edited is no business of the window.
        if (words.startsWith(u"the first write makes")) continue;
        QVERIFY2(CoreWords::translated(words.toStdString()), qPrintable(words));
      }
    QVERIFY(found > 10);
  }
  void everyOptionThatIsOfferedHasWords() {
    for (const Format& format : formats())
      for (const OptionInfo& option : format.options) {
        if (!format.create || !FormatWords::is_shown(option)) continue;
        const QString help = QString::fromUtf8(option.help.data(), static_cast<qsizetype>(option.help.size()));
        QVERIFY2(FormatWords::explanation(option) != help + u'.', qPrintable(help));
      }
  }
  void whatIsFilledInStaysAndNumbersAreGrouped() {
    QCOMPARE(CoreWords::translated("it has 1048576 bytes, the image needs 2621440: 1572864 are missing"),
             std::optional(u"it has 1,048,576 bytes, the image needs 2,621,440: 1,572,864 are missing"_s));
    QCOMPARE(CoreWords::translated("what it holds is a qcow2 image, which cannot be read from front to back only"),
             std::optional(u"what it holds is a qcow2 image, which cannot be read from front to back only"_s));
    QVERIFY(!CoreWords::translated("L2 table 3 does not lie inside the file"));
  }
  void germanWordsLeaveNoEnglishInTheSentence() {
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    install_translations();
    const Error damaged{.kind = ErrorKind::corrupt,
                        .subject = "a.qcow2",
                        .offset = 262144,
                        .cause = "L2 table 3 does not lie inside the file"};
    QCOMPARE(ErrorWords::sentence(damaged), u"a.qcow2 ist bei Byte 262.144 beschädigt."_s);
    QCOMPARE(ErrorWords::detail(damaged), u"Technische Angabe: L2 table 3 does not lie inside the file."_s);
    const Error failed{.kind = ErrorKind::io, .subject = "sdc", .offset = 4096, .os_error = EIO, .cause = {}};
    QCOMPARE(ErrorWords::sentence(failed), u"sdc versagte bei Byte 4.096: Ein-/Ausgabefehler."_s);
    QCOMPARE(ErrorWords::detail(failed), QString());
    const Error encrypted{
        .kind = ErrorKind::unsupported, .subject = "a.vmdk", .offset = {}, .cause = "the disk is encrypted"};
    QVERIFY2(ErrorWords::sentence(encrypted).endsWith(u": Die Disk ist verschlüsselt."_s),
             qPrintable(ErrorWords::sentence(encrypted)));
  }
};

QTEST_GUILESS_MAIN(CoreWordsTest)
#include "core_words_test.moc"
