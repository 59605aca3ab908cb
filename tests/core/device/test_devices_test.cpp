// SPDX-License-Identifier: GPL-3.0-or-later
// The devices that other tests lean on keep their own promises.
#include <QTest>
#include <array>
#include <cerrno>

#include "tests/support/counting_device.h"
#include "tests/support/faulty_device.h"
#include "tests/support/memory_device.h"
#include "tests/support/run_task.h"

using namespace disklathe;
using namespace disklathe::test;

namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* start = reinterpret_cast<const std::byte*>(text.data());
  return {start, start + text.size()};
}

}  // namespace

class TestDevicesTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { ring_ = std::move(*Ring::create(RingKind::immediate)); }

  void memoryKeepsWhatIsWritten_data() {
    QTest::addColumn<bool>("queued");
    QTest::newRow("immediate") << false;
    QTest::newRow("queued") << true;
  }
  void memoryKeepsWhatIsWritten() {
    QFETCH(bool, queued);
    MemoryDevice device(100, queued ? IoMode::queued : IoMode::immediate);
    std::vector<std::byte> out = bytes_of("abcdef"), in(6);
    const std::array<iovec, 2> parts{iovec{out.data(), 2}, iovec{out.data() + 2, 4}};
    const iovec whole{in.data(), in.size()};
    QVERIFY(run_task(*ring_, device.writev(*ring_, 94, parts)).has_value());
    QVERIFY(run_task(*ring_, device.readv(*ring_, 94, {&whole, 1})).has_value());
    QCOMPARE(in, out);
    QCOMPARE(device.write_now(95, out).error().kind, ErrorKind::invalid);
  }

  void memoryKnowsItsHoles() {
    MemoryDevice device(5 * 4096);
    QVERIFY(device.write_now(4096, bytes_of("x")).has_value());
    QCOMPARE(device.allocation(10)->range, (Range{10, 4086}));
    QVERIFY(!device.allocation(10)->data);
    QCOMPARE(device.allocation(4096)->range, (Range{4096, 4096}));
    QVERIFY(device.allocation(4096)->data);
    QVERIFY(run_task(*ring_, device.zero(*ring_, {0, 5 * 4096}, ZeroMethod::punch)).has_value());
    QCOMPARE(device.allocation(0)->range, (Range{0, 5 * 4096}));
  }

  void countingRecordsRanges() {
    MemoryDevice memory(1000);
    CountingDevice device(memory);
    QVERIFY(device.write_now(10, bytes_of("abc")).has_value());
    QVERIFY(run_task(*ring_, device.zero(*ring_, {0, 7}, ZeroMethod::buffers)).has_value());
    QCOMPARE(device.writes(), (std::vector<Range>{{10, 3}}));
    QCOMPARE(device.zeroes().size(), 1U);
    QCOMPARE(device.most_in_flight(), 1U);
  }

  void faultyFailsTheKthOnly() {
    MemoryDevice memory(1000);
    FaultyDevice device(memory);
    device.fail_write(2, EIO);
    QVERIFY(device.write_now(0, bytes_of("a")).has_value());
    QCOMPARE(device.write_now(1, bytes_of("b")).error().os_error, EIO);
    QVERIFY(device.write_now(2, bytes_of("c")).has_value());
    QCOMPARE(memory.content()[1], std::byte{0});
  }

  void faultyFailsAtAnOffset() {
    MemoryDevice memory(1000);
    FaultyDevice device(memory);
    device.fail_at(500, EIO);
    std::vector<std::byte> into(100);
    QVERIFY(device.read_now(400, into).has_value());
    QCOMPARE(device.read_now(401, into).error().offset, std::optional<uint64_t>(500));
  }

  void faultyLosesPower() {
    MemoryDevice memory(1000);
    FaultyDevice device(memory);
    device.stop_after_writes(1);
    QVERIFY(device.write_now(0, bytes_of("a")).has_value());
    QVERIFY(!device.write_now(1, bytes_of("b")));
    QVERIFY(!device.flush_now());
    std::vector<std::byte> into(1);
    QVERIFY(!device.read_now(0, into));
    QCOMPARE(memory.content()[1], std::byte{0});
  }

  void aPowerCutKeepsWhatWasFlushed() {
    MemoryDevice memory(4);
    FaultyDevice device(memory);
    device.keep_changes();
    QVERIFY(device.write_now(0, bytes_of("a")).has_value());
    QVERIFY(device.flush_now().has_value());
    QVERIFY(device.write_now(1, bytes_of("b")).has_value());
    QVERIFY(device.write_now(2, bytes_of("c")).has_value());
    const auto changes = device.changes();
    const std::vector<std::byte> fresh(4);
    using namespace std::string_view_literals;
    QCOMPARE(content_after_power_cut(fresh, changes, 3, [](size_t i) { return i == 2; }), bytes_of("a\0c\0"sv));
    QCOMPARE(content_after_power_cut(fresh, changes, 1, [](size_t) { return false; }), bytes_of("\0\0\0\0"sv));
  }

 private:
  std::unique_ptr<Ring> ring_;
};

QTEST_GUILESS_MAIN(TestDevicesTest)
#include "test_devices_test.moc"
