// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/raw/reader.h"

#include <QTest>

#include "tests/support/guest.h"
#include "tests/support/memory_device.h"

using namespace disklathe;
using test::map_all;
using test::MemoryDevice;
using Kind = Extent::Kind;

class RawReaderTest : public QObject {
  Q_OBJECT
 private slots:
  void is_as_large_as_the_file() {
    MemoryDevice file(1234567);
    QCOMPARE((*raw::open({.file = &file}))->size(), 1234567U);
  }

  void tells_holes_of_the_file_from_data() {
    MemoryDevice file(1 << 20);
    const std::vector<std::byte> data(8192, std::byte{1});
    QVERIFY(file.write_now(65536, data));
    const auto reader = raw::open({.file = &file});
    const auto extents = map_all(**reader, {0, 1 << 20});
    const std::vector<Extent> expected{
        {.kind = Kind::zero, .guest = {0, 65536}, .host = {0, 65536}},
        {.kind = Kind::data, .guest = {65536, 8192}, .host = {65536, 8192}},
        {.kind = Kind::zero, .guest = {73728, (1 << 20) - 73728}, .host = {73728, (1 << 20) - 73728}}};
    QVERIFY(*extents == expected);
  }

  void answers_for_any_part() {
    MemoryDevice file(std::vector(1000, std::byte{1}));
    const auto reader = raw::open({.file = &file});
    std::vector<Extent> extents;
    QVERIFY((*reader)->map({7, 11}, extents));
    QVERIFY((extents.at(0) == Extent{.kind = Kind::data, .guest = {7, 11}, .host = {7, 11}}));
    QCOMPARE((*reader)->map({999, 2}, extents).error().kind, ErrorKind::invalid);
  }

  void decodes_nothing() {
    MemoryDevice file(4096);
    QCOMPARE((*raw::open({.file = &file}))->decode({}, {}, {}).error().kind, ErrorKind::unsupported);
  }
};

QTEST_GUILESS_MAIN(RawReaderTest)
#include "reader_test.moc"
