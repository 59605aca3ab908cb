// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhdx/writer.h"

#include <QtTest>

#include "core/format/vhdx/check.h"
#include "core/format/vhdx/layout.h"
#include "core/format/vhdx/options.h"
#include "core/format/vhdx/reader.h"
#include "tests/support/guest.h"
#include "tests/support/made_image.h"
#include "tests/support/memory_device.h"
#include "tests/support/qemu_img.h"
#include "tests/support/write_guest.h"

using namespace disklathe;
using test::MadeImage;

class VhdxWriterTest : public QObject {
  Q_OBJECT

 private slots:
  void writesWhatQemuImgReads_data() {
    QTest::addColumn<QString>("options");
    QTest::addColumn<uint64_t>("size");
    for (const char* options :
         {"", "subformat=fixed", "block_size=1M", "block_size=2M,block_state_zero=off", "log_size=3M,block_size=16M",
          "subformat=fixed,block_size=1M", "subformat=dynamic,block_state_zero=on"})
      for (const uint64_t size : {1ull, 512ull, 69632ull, (2ull << 20), (5ull << 20) + 1536 + 7})
        QTest::addRow("%s %d", options, int(size)) << options << uint64_t{size};
  }
  void writesWhatQemuImgReads() {
    QFETCH(QString, options);
    QFETCH(uint64_t, size);
    const auto guest = test::mixed_guest(size);
    MadeImage image("vhdx");
    FINE(image.make(guest, {.options = test::options_of(options)}));
    FINE(image.compare(guest));
    FINE(image.check());
  }

  void blockSizesAreQemuImgs_data() {
    QTest::addColumn<uint64_t>("size");
    for (const uint64_t size : {1ull << 30, (1ull << 30) + 512, 100ull << 30, (100ull << 30) + 512, 32ull << 40,
                                (32ull << 40) + 512, 64ull << 40})
      QTest::addRow("%s", std::to_string(size).c_str()) << uint64_t{size};
  }
  void blockSizesAreQemuImgs() {
    QFETCH(uint64_t, size);
    const test::TempDir folder(test::TempDir::Where::memory);
    QCOMPARE(
        test::run_program({"qemu-img", "create", "-q", "-f", "vhdx", folder.file("q"), std::to_string(size)}).status,
        0);
    const auto info = test::run_program({"qemu-img", "info", "-f", "vhdx", "--output=json", folder.file("q")});
    const auto object = QJsonDocument::fromJson(QByteArray::fromStdString(info.output)).object();
    QCOMPARE(qint64(vhdx::parse_options({}, size)->block_size), object["cluster-size"].toInteger());
  }

  void whatTheTargetHeldBeforeIsGone_data() {
    QTest::addColumn<QString>("options");
    QTest::newRow("dynamic") << "block_size=1M";
    QTest::newRow("no zero blocks") << "block_size=1M,block_state_zero=off";
    QTest::newRow("fixed") << "subformat=fixed,block_size=1M";
  }
  void whatTheTargetHeldBeforeIsGone() {
    QFETCH(QString, options);
    auto guest = test::mixed_guest((9 << 20) + 5, 4);
    test::MemoryDevice file(std::vector<std::byte>(20 << 20, std::byte{0xff}));
    const auto writer = vhdx::create({.file = &file, .size = guest.size(), .options = test::options_of(options)});
    QVERIFY(writer.has_value());
    QVERIFY(test::write_guest(**writer, file, nullptr, guest, 300 << 10).has_value());
    QVERIFY((*writer)->finish(true).has_value());
    auto reader = vhdx::open({.file = &file});
    QVERIFY2(reader.has_value(), reader ? "" : test::describe(reader.error()).c_str());
    QCOMPARE((*reader)->size(), (9ull << 20) + 512);
    guest.resize((*reader)->size());
    const auto read = test::read_guest(**reader, {0, guest.size()}, [&](uint16_t) -> BlockDevice& { return file; });
    QVERIFY(read.has_value() && *read == guest);
    QCOMPARE(vhdx::check({.file = &file})->corruptions, 0u);
  }

  void untilItIsFinishedItIsNoImage() {
    const auto guest = test::mixed_guest(4 << 20);
    test::MemoryDevice file;
    for (const char* subformat : {"dynamic", "fixed", "dynamic"}) {  // each on what the last one made
      const auto writer = vhdx::create(
          {.file = &file, .size = guest.size(), .options = {{"subformat", subformat}, {"block_size", "1M"}}});
      QVERIFY(writer.has_value());
      QVERIFY(test::write_guest(**writer, file, nullptr, guest).has_value());
      QVERIFY(!vhdx::open({.file = &file}));
      QVERIFY((*writer)->finish(true).has_value());
      QVERIFY(vhdx::open({.file = &file}).has_value());
    }
  }

  void aHugeDiskTakesNoMoreThanItHolds() {
    MadeImage image("vhdx");
    FINE(image.make_empty(64ull << 40, {.options = {{"block_state_zero", "off"}}}));
    FINE(image.check());
    QVERIFY(QFileInfo(QString::fromStdString(image.path())).size() <= (12 << 20));
  }

  void whatVhdxCannotDoIsRefused() {
    test::MemoryDevice file;
    const auto kind = [&](uint64_t size, FormatOptions options) {
      const auto writer = vhdx::create({.file = &file, .size = size, .options = std::move(options)});
      return writer ? ErrorKind::io : writer.error().kind;
    };
    QCOMPARE(kind((64ull << 40) + 1, {}), ErrorKind::invalid);
    QCOMPARE(kind(~0ull, {}), ErrorKind::invalid);
    QCOMPARE(kind(0, {}), ErrorKind::invalid);  // QEMU opens no such image
    QCOMPARE(kind(512, {{"block_size", "512K"}}), ErrorKind::invalid);
    QCOMPARE(kind(512, {{"block_size", "3M"}}), ErrorKind::invalid);
    QCOMPARE(kind(512, {{"block_size", "512M"}}), ErrorKind::invalid);
    QCOMPARE(kind(512, {{"log_size", "4G"}}), ErrorKind::invalid);
    QCOMPARE(kind(512, {{"log_size", "1000"}}), ErrorKind::invalid);
    QCOMPARE(kind(512, {{"subformat", "sparse"}}), ErrorKind::invalid);
    QCOMPARE(kind(512, {{"nonsense", "1"}}), ErrorKind::invalid);
    QCOMPARE(vhdx::create({.file = &file, .size = 512, .compress = true}).error().kind, ErrorKind::unsupported);
    QCOMPARE(vhdx::create({.file = &file, .size = 512, .backing_file = "b"}).error().kind, ErrorKind::unsupported);
  }
};

QTEST_GUILESS_MAIN(VhdxWriterTest)
#include "writer_test.moc"
