// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/raw/writer.h"

#include <QtTest>

#include "tests/support/faulty_device.h"
#include "tests/support/memory_device.h"
#include "tests/support/write_guest.h"

using namespace disklathe;

class RawWriterTest : public QObject {
  Q_OBJECT

 private slots:
  void holdsExactlyTheGuestsBytes_data() {
    QTest::addColumn<uint64_t>("size");
    for (const uint64_t size : {0ull, 1ull, 511ull, 4096ull, (1ull << 20) + 77})
      QTest::addRow("%d", int(size)) << uint64_t{size};
  }
  void holdsExactlyTheGuestsBytes() {
    QFETCH(uint64_t, size);
    const auto guest = test::mixed_guest(size, 3);
    test::MemoryDevice file(std::vector<std::byte>(2000, std::byte{0xff}));
    const auto writer = raw::create({.file = &file, .size = size});
    QVERIFY(writer);
    QVERIFY(test::write_guest(**writer, file, nullptr, guest));
    QVERIFY((*writer)->finish(true));
    QVERIFY(file.content() == guest);
  }

  void leavesZeroesAloneOnAFreshFileOnly() {
    test::MemoryDevice file;
    const auto fresh = raw::create({.file = &file, .size = 8192, .target_is_zero = true});
    QVERIFY(fresh);
    QCOMPARE(*(*fresh)->place_zero({4096, 4096}), std::nullopt);
    const auto used = raw::create({.file = &file, .size = 8192});
    QVERIFY(used);
    QCOMPARE(*(*used)->place_zero({4096, 4096}), (Range{4096, 4096}));
  }

  void writesZeroesFirstWhenFullyPreallocated() {
    test::MemoryDevice file(std::vector<std::byte>(8192, std::byte{0xff}));
    const auto writer = raw::create({.file = &file, .size = 8192, .options = {{"preallocation", "full"}}});
    QVERIFY(writer);
    QVERIFY(file.content() == std::vector<std::byte>(8192));
    QCOMPARE(*(*writer)->place_zero({0, 8192}), std::nullopt);
  }

  void usesTheStartOfALargerDevice() {
    test::MemoryDevice file(8192);
    file.fix_size();
    QVERIFY(raw::create({.file = &file, .size = 4096}));
  }

  void refusesADeviceThatIsTooSmall() {
    test::MemoryDevice file(4096);
    file.fix_size();
    const auto writer = raw::create({.file = &file, .size = 8192});
    QVERIFY(!writer);
    QCOMPARE(writer.error().kind, ErrorKind::no_space);
  }

  void refusesWhatItHasNot() {
    test::MemoryDevice file(4096);
    for (const CreateRequest& request :
         {CreateRequest{.file = &file, .size = 4096, .options = {{"cluster_size", "64K"}}},
          CreateRequest{.file = &file, .size = 4096, .options = {{"preallocation", "metadata"}}},
          CreateRequest{.file = &file, .size = 4096, .compress = true},
          CreateRequest{.file = &file, .size = 4096, .backing_file = "base"}})
      QVERIFY(!raw::create(request));
  }

  void isDurableOnlyWhenAsked() {
    test::MemoryDevice memory;
    test::FaultyDevice file(memory);
    const auto writer = raw::create({.file = &file, .size = 4096});
    QVERIFY(writer);
    QVERIFY((*writer)->finish(false));
    QCOMPARE(file.flushes(), 0u);
    QVERIFY((*writer)->finish(true));
    QCOMPARE(file.flushes(), 1u);
  }

  void refusesWhatLiesBehindTheDisk() {
    test::MemoryDevice file;
    const auto writer = raw::create({.file = &file, .size = 4096});
    QVERIFY(writer);
    Placement placement{.guest = {4096, 1}, .stored = 1};
    QVERIFY(!(*writer)->place({&placement, 1}));
    QVERIFY(!(*writer)->place_zero({1, 4096}));
  }
};

QTEST_GUILESS_MAIN(RawWriterTest)
#include "writer_test.moc"
