// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/file_holes.h"

#include <QTest>

#include "tests/support/memory_device.h"
#include "tests/support/wrapped_device.h"

using namespace disklathe;
using test::MemoryDevice;
using Kind = Extent::Kind;

namespace {

// Counts how often it is asked for a run.
class AskedDevice final : public test::WrappedDevice {
 public:
  using WrappedDevice::WrappedDevice;
  Result<Allocation> allocation(uint64_t at) override {
    ++asked;
    return inner_.allocation(at);
  }
  int asked = 0;
};

}  // namespace

class FileHolesTest : public QObject {
  Q_OBJECT
 private slots:
  void splits_data_at_holes_of_the_file() {
    MemoryDevice file(1 << 20);
    const std::vector<std::byte> bytes(4096, std::byte{1});
    QVERIFY(file.write_now(65536 + 8192, bytes));
    const Extent data{.kind = Kind::data, .guest = {1 << 30, 65536}, .file = 3, .host = {65536, 65536}};
    std::vector<Extent> out;
    QVERIFY(FileHoles().append_split(file, data, 0, 100, out));
    const std::vector<Extent> expected{
        {.kind = Kind::zero, .guest = {1 << 30, 8192}, .file = 3, .host = {65536, 8192}},
        {.kind = Kind::data, .guest = {(1 << 30) + 8192, 4096}, .file = 3, .host = {65536 + 8192, 4096}},
        {.kind = Kind::zero, .guest = {(1 << 30) + 12288, 53248}, .file = 3, .host = {65536 + 12288, 53248}}};
    QVERIFY(out == expected);
  }

  void asks_a_file_without_holes_once() {
    MemoryDevice memory(std::vector(1 << 20, std::byte{1}));
    AskedDevice file(memory);
    FileHoles holes;
    std::vector<Extent> out;
    for (const uint64_t at : {0U, 500000U, 4096U}) {
      QVERIFY(holes.append_split(file, {.kind = Kind::data, .guest = {at, 4096}, .host = {at, 4096}}, 0, 100, out));
    }
    QCOMPARE(file.asked, 1);
    QCOMPARE(out.size(), 3U);
  }

  void stops_at_the_most_extents() {
    MemoryDevice file(1 << 20);
    for (uint64_t at = 0; at < 1 << 20; at += 8192) QVERIFY(file.write_now(at, std::vector(4096, std::byte{1})));
    std::vector<Extent> out(5);
    const Extent data{.kind = Kind::data, .guest = {0, 1 << 20}, .host = {0, 1 << 20}};
    QVERIFY(FileHoles().append_split(file, data, 5, 7, out));
    QCOMPARE(out.size(), 12U);
    QCOMPARE(out.back().guest.end(), 7U * 4096);
  }
};

QTEST_GUILESS_MAIN(FileHolesTest)
#include "file_holes_test.moc"
