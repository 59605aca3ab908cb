// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhd/writer.h"

#include <QtTest>

#include "core/format/vhd/options.h"
#include "core/format/vhd/reader.h"
#include "tests/support/guest.h"
#include "tests/support/made_image.h"
#include "tests/support/memory_device.h"
#include "tests/support/qemu_img.h"
#include "tests/support/write_guest.h"

using namespace disklathe;
using test::MadeImage;

class VhdWriterTest : public QObject {
  Q_OBJECT

  // A disk's bytes, with zeroes to the end of what the image says it has.
  static std::vector<std::byte> read_back(test::MemoryDevice& file) {
    auto reader = vhd::open({.file = &file});
    if (!reader) return {};
    auto bytes = test::read_guest(**reader, {0, (*reader)->size()}, [&](uint16_t) -> BlockDevice& { return file; });
    return bytes ? *bytes : std::vector<std::byte>();
  }

 private slots:
  void writesWhatQemuImgReads_data() {
    QTest::addColumn<QString>("options");
    QTest::addColumn<uint64_t>("size");
    for (const char* options : {"", "subformat=dynamic", "subformat=fixed", "force_size=on",
                                "subformat=fixed,force_size=on", "subformat=dynamic,force_size=off"})
      for (const uint64_t size : {0ull, 1ull, 512ull, 69632ull, (2ull << 20), (5ull << 20) + 1536 + 7})
        if (size > 0 || !std::string_view(options).contains("fixed"))
          QTest::addRow("%s %d", options, int(size)) << options << uint64_t{size};
  }
  void writesWhatQemuImgReads() {
    QFETCH(QString, options);
    QFETCH(uint64_t, size);
    const auto guest = test::mixed_guest(size);
    MadeImage image("vpc");
    FINE(image.make(guest, {.options = test::options_of(options)}));
    FINE(image.compare(guest));
  }

  void whatTheTargetHeldBeforeIsGone_data() {
    QTest::addColumn<QString>("options");
    QTest::newRow("dynamic") << "force_size=on";
    QTest::newRow("fixed") << "force_size=on,subformat=fixed";
  }
  void whatTheTargetHeldBeforeIsGone() {
    QFETCH(QString, options);
    auto guest = test::mixed_guest((9 << 20) + 5, 4);
    test::MemoryDevice file(std::vector<std::byte>(20 << 20, std::byte{0xff}));
    const auto writer = vhd::create({.file = &file, .size = guest.size(), .options = test::options_of(options)});
    QVERIFY(writer.has_value());
    QVERIFY(test::write_guest(**writer, file, nullptr, guest, 300 << 10).has_value());
    QVERIFY((*writer)->finish(true).has_value());
    const auto read = read_back(file);
    QCOMPARE(read.size(), size_t{10 << 20});
    guest.resize(read.size());
    QVERIFY(read == guest);
  }

  void untilItIsFinishedItIsNoImage_data() {
    QTest::addColumn<QString>("subformat");
    QTest::newRow("dynamic") << "dynamic";
    QTest::newRow("fixed") << "fixed";
  }
  void untilItIsFinishedItIsNoImage() {
    QFETCH(QString, subformat);
    const auto guest = test::mixed_guest(4 << 20);
    test::MemoryDevice file;
    for (int round = 0; round < 2; ++round) {  // the second one on what the first one made
      const auto writer =
          vhd::create({.file = &file, .size = guest.size(), .options = {{"subformat", subformat.toStdString()}}});
      QVERIFY(writer.has_value());
      QVERIFY(test::write_guest(**writer, file, nullptr, guest).has_value());
      QVERIFY(!vhd::open({.file = &file}));
      QVERIFY((*writer)->finish(true).has_value());
      QVERIFY(vhd::open({.file = &file}).has_value());
    }
  }

  void sparseBlocksAreNotStored() {
    std::vector<std::byte> guest(64 << 20);
    guest[33 << 20] = std::byte{1};
    MadeImage image("vpc");
    FINE(image.make(guest, {}));
    FINE(image.compare(guest));
    QVERIFY(QFileInfo(QString::fromStdString(image.path())).size() < (3 << 20));
  }

  void sizesAreWhatQemuImgMakesThem_data() {
    QTest::addColumn<uint64_t>("size");
    for (const uint64_t size : {1ull, 512ull, 35840ull, 34816ull, 1ull << 20, (40ull << 20) + 512, 503ull << 20,
                                1ull << 30, 33ull << 30, 128ull << 30, 130ull << 30, 2040ull << 30})
      QTest::addRow("%s", std::to_string(size).c_str()) << uint64_t{size};
  }
  void sizesAreWhatQemuImgMakesThem() {
    QFETCH(uint64_t, size);
    const test::TempDir folder(test::TempDir::Where::memory);
    const auto made =
        test::run_program({"qemu-img", "create", "-q", "-f", "vpc", folder.file("q.vhd"), std::to_string(size)});
    QCOMPARE(made.status, 0);
    const auto info = test::run_program({"qemu-img", "info", "-f", "vpc", "--output=json", folder.file("q.vhd")});
    const auto object = QJsonDocument::fromJson(QByteArray::fromStdString(info.output)).object();
    const auto shape = vhd::shape_of(size, {});
    QVERIFY(shape.has_value());
    QCOMPARE(qint64(shape->size), object["virtual-size"].toInteger());
  }

  void azureTakesWholeMebibytes() {
    QCOMPARE(vhd::shape_of((30ull << 30) + 1, {.force_size = true})->size, (30ull << 30) + (1 << 20));
    QCOMPARE(vhd::shape_of(30ull << 30, {.force_size = true})->size, 30ull << 30);
  }

  void whatVhdCannotDoIsRefused() {
    test::MemoryDevice file;
    QCOMPARE(vhd::create({.file = &file, .size = (2040ull << 30) + 1}).error().kind, ErrorKind::invalid);
    QCOMPARE(vhd::create({.file = &file, .size = 0, .options = {{"subformat", "fixed"}}}).error().kind,
             ErrorKind::invalid);
    QCOMPARE(vhd::create({.file = &file, .size = ~0ull}).error().kind, ErrorKind::invalid);
    QCOMPARE(vhd::create({.file = &file, .size = 512, .options = {{"subformat", "x"}}}).error().kind,
             ErrorKind::invalid);
    QCOMPARE(vhd::create({.file = &file, .size = 512, .compress = true}).error().kind, ErrorKind::unsupported);
    QCOMPARE(vhd::create({.file = &file, .size = 512, .backing_file = "b"}).error().kind, ErrorKind::unsupported);
  }

  void placesDoNotCrossBlocks() {
    test::MemoryDevice file;
    const auto writer = vhd::create({.file = &file, .size = 8 << 20, .target_is_zero = true});
    QVERIFY(writer.has_value());
    QCOMPARE((*writer)->boundary(), uint64_t{2 << 20});
    std::vector<Placement> across{{.guest = {(2 << 20) - 512, 1024}, .stored = 1024}};
    QCOMPARE((*writer)->place(across).error().kind, ErrorKind::invalid);
    std::vector<Placement> late{{.guest = {4 << 20, 512}, .stored = 512}};
    QVERIFY((*writer)->place(late).has_value());
    QCOMPARE(late[0].host % 4096, 0u);
    std::vector<Placement> early{{.guest = {0, 512}, .stored = 512}};
    QCOMPARE((*writer)->place(early).error().kind, ErrorKind::invalid);
  }
};

QTEST_GUILESS_MAIN(VhdWriterTest)
#include "writer_test.moc"
