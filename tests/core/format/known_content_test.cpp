// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/known_content.h"

#include <QTest>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;

class KnownContentTest : public QObject {
  Q_OBJECT

  static std::vector<std::byte> head_of(const std::string& path) {
    std::vector<std::byte> head(known_content_head);
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(head.data()), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<size_t>(file.gcount()));
    return head;
  }

 private slots:
  void fileSystemsAreNamedWithTheirLabels_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("label");
    QTest::newRow("ext4") << QStringList{"mkfs.ext4", "-q", "-F", "-L", "rootfs"} << "ext4" << "rootfs";
    QTest::newRow("ext2") << QStringList{"mkfs.ext2", "-q", "-F"} << "ext2" << "";
    QTest::newRow("swap") << QStringList{"mkswap", "-L", "spare"} << "swap" << "spare";
    QTest::newRow("fat") << QStringList{"mkfs.vfat", "-n", "EFI"} << "vfat" << "EFI";
  }
  void fileSystemsAreNamedWithTheirLabels() {
    QFETCH(const QStringList, words);
    QFETCH(const QString, type);
    QFETCH(const QString, label);
    const test::TempDir dir(test::TempDir::Where::memory);
    const std::string path = dir.file("disk");
    std::ofstream(path).close();
    std::filesystem::resize_file(path, 16 << 20);
    std::vector<std::string> command;
    for (const QString& word : words) command.push_back(word.toStdString());
    command.push_back(path);
    const auto made = test::run_program(command);
    if (made.status == 127) QSKIP(qPrintable(words.first() + " is not installed here"));
    QCOMPARE(made.status, 0);
    const KnownContent content = known_content(head_of(path));
    QCOMPARE(QString::fromStdString(content.type), type);
    QCOMPARE(QString::fromStdString(content.label), label);
  }

  void zeroesAndWhatIsTooShortAreNothing() {
    const std::vector<std::byte> zeroes(known_content_head);
    QCOMPARE(known_content(zeroes), KnownContent{});
    for (const size_t length : {size_t{0}, size_t{1}, size_t{511}, size_t{1100}})
      QCOMPARE(known_content(Bytes(zeroes).first(length)), KnownContent{});
  }

  void aMagicAtTheVeryEndIsNotReadPast() {
    std::vector<std::byte> head(4096);
    std::memcpy(head.data() + 4086, "SWAPSPACE2", 10);
    QCOMPARE(known_content(head).type, "swap");
    QCOMPARE(known_content(Bytes(head).first(4095)).type, "");
  }
};

QTEST_GUILESS_MAIN(KnownContentTest)
#include "known_content_test.moc"
