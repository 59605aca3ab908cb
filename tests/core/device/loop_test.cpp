// SPDX-License-Identifier: GPL-3.0-or-later
// FileDevice on real block devices of both sector sizes.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <QTest>
#include <array>
#include <cstring>
#include <random>
#include <string>

#include "core/device/file_device.h"
#include "core/io/aligned_buffer.h"
#include "tests/support/child.h"
#include "tests/support/loop_device.h"
#include "tests/support/run_task.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;
using test::LoopDevice;
using test::run_task;
using test::TempDir;

namespace {

constexpr uint64_t mib = 1 << 20;

iovec vector_of(MutableBytes bytes) { return {bytes.data(), bytes.size()}; }

}  // namespace

class LoopTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    test::write_file(backing(), std::string(4 * mib, '\0'));
    if (!LoopDevice::attach(backing(), 512)) QSKIP(LoopDevice::why_not());
  }
  void init() {
    ring_ = std::move(*Ring::create());
    test::write_file(backing(), std::string(4 * mib, 'x'));
  }

  void limitsAreTheDevices_data() { sectors(); }
  void limitsAreTheDevices() {
    auto loop = attach();
    auto device = open_loop(*loop, true);
    QFETCH(uint32_t, sector);
    const Limits& limits = device->limits();
    QVERIFY(device->is_block_device());
    QCOMPARE(device->size(), 4 * mib);
    QCOMPARE(device->io_mode(), IoMode::queued);
    QCOMPARE(limits.logical_block.value, std::optional<uint64_t>(sector));
    QCOMPARE(limits.logical_block.source, LimitSource::ioctl);
    QCOMPARE(limits.physical_block, sector);
    QCOMPARE(limits.offset_align, sector);
    QVERIFY(limits.min_mem_align >= 1 && limits.min_mem_align <= sector);
    QCOMPARE(limits.opt_mem_align, 4096U);
    QVERIFY(limits.alignment_source == LimitSource::statx || limits.alignment_source == LimitSource::ioctl);
    QVERIFY(limits.max_transfer.value.has_value());
    QCOMPARE(limits.max_transfer.source, LimitSource::sysfs);
    // Asked, and it named none.
    QVERIFY(!limits.optimal_io.value);
    QCOMPARE(limits.optimal_io.source, LimitSource::sysfs);
    QVERIFY(!limits.zone_size.value);
  }

  void everyAlignmentGivesTheSameBytes_data() { sectors(); }
  void everyAlignmentGivesTheSameBytes() {
    auto loop = attach();
    auto device = open_loop(*loop, true);
    std::string expected(4 * mib, 'x');
    std::mt19937 random(2);
    const auto below = [&](uint64_t end) { return std::uniform_int_distribution<uint64_t>(0, end - 1)(random); };
    AlignedBuffer memory(512 << 10, 4096);
    for (int i = 0; i < 400; ++i) {
      const std::array<uint64_t, 4> units{1, 512, 4096, 65536};
      const uint64_t unit = units[below(units.size())];
      const uint64_t at = below(4 * mib / unit) * unit;
      const uint64_t length = std::min((below((256 << 10) / unit) + 1) * unit, 4 * mib - at);
      const MutableBytes bytes = memory.bytes().subspan(below(8) * units[below(3)], length);
      const iovec vector = vector_of(bytes);
      switch (below(3)) {
        case 0:
          for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
          std::memcpy(expected.data() + at, bytes.data(), length);
          QVERIFY(run_task(*ring_, device->writev(*ring_, at, {&vector, 1})).has_value());
          break;
        case 1:
          std::ranges::fill(bytes, std::byte{0xee});
          QVERIFY(run_task(*ring_, device->readv(*ring_, at, {&vector, 1})).has_value());
          QVERIFY(std::memcmp(bytes.data(), expected.data() + at, length) == 0);
          break;
        default:
          const auto method = below(2) == 0 ? ZeroMethod::punch : ZeroMethod::buffers;
          const Result<void> zeroed = run_task(*ring_, device->zero(*ring_, {at, length}, method));
          if (!zeroed && zeroed.error().kind == ErrorKind::unsupported) break;
          QVERIFY(zeroed.has_value());
          std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(at), length, '\0');
      }
    }
    QVERIFY(run_task(*ring_, device->flush(*ring_)).has_value());
    QVERIFY(test::read_file(backing()) == expected);
    QVERIFY(test::read_file(loop->path()) == expected);  // through the device's page cache
  }

  void aWrittenDeviceIsHeldAlone_data() { sectors(); }
  void aWrittenDeviceIsHeldAlone() {
    auto loop = attach();
    auto held = open_loop(*loop, true);
    const auto second = FileDevice::open({.path = loop->path(), .writable = true});
    QVERIFY(!second);
    QCOMPARE(second.error().kind, ErrorKind::busy);
    QVERIFY(FileDevice::open({.path = loop->path()}).has_value());  // looking is free
    held.reset();
    QVERIFY(FileDevice::open({.path = loop->path(), .writable = true}).has_value());
  }

  void aFixedSizeStays() {
    auto loop = LoopDevice::attach(backing(), 512);
    auto device = open_loop(*loop, true);
    QCOMPARE(device->resize(mib).error().kind, ErrorKind::unsupported);
    QCOMPARE(device->allocate_now({0, mib}).error().kind, ErrorKind::unsupported);
    QVERIFY(!device->allocated_bytes());
    QVERIFY(device->allocation(100)->data);
    QCOMPARE(device->allocation(100)->range, (Range{100, 4 * mib - 100}));
  }

  void zeroingByACommandItHasNotIsUnsupported() {
    // Over a read-write file a loop device has write-zeroes; its number in sysfs decides.
    auto loop = LoopDevice::attach(backing(), 512);
    auto device = open_loop(*loop, true);
    const Result<void> result = run_task(*ring_, device->zero(*ring_, {0, mib}, ZeroMethod::write_zeroes));
    QCOMPARE(result.has_value(), device->limits().max_write_zeroes.value.has_value());
    if (!result) QCOMPARE(result.error().kind, ErrorKind::unsupported);
  }

  void aReadOnlyDeviceCannotBeOpenedForWriting() {
    auto loop = LoopDevice::attach(backing(), 512, true);
    const auto device = FileDevice::open({.path = loop->path(), .writable = true});
    QVERIFY(!device);
    QCOMPARE(device.error().kind, ErrorKind::permission);
  }

  void aDeviceThatIsGoneSaysVanished() {
    auto loop = LoopDevice::attach(backing(), 512);
    auto device = open_loop(*loop, true);
    AlignedBuffer memory(4096, 4096);
    const iovec vector = vector_of(memory.bytes());
    QVERIFY(run_task(*ring_, device->readv(*ring_, 0, {&vector, 1})).has_value());
    QCOMPARE(truncate(backing().c_str(), 0), 0);
    loop->follow_size();
    // The kernel's own answers are an early end and "no space".
    for (const Result<void>& result : {run_task(*ring_, device->readv(*ring_, 0, {&vector, 1})),
                                       run_task(*ring_, device->writev(*ring_, 0, {&vector, 1}))}) {
      QVERIFY(!result);
      QCOMPARE(result.error().kind, ErrorKind::vanished);
      QCOMPARE(result.error().subject, loop->path());
    }
  }

  void aDeviceThatBecameReadOnlyIsToldFromOneThatFails() {
    auto loop = LoopDevice::attach(backing(), 512);
    const int code = test::in_child(
        [](const std::string& path) {
          auto device = FileDevice::open({.path = path, .writable = true, .cache = CacheMode::writeback});
          if (!device) return 77;
          for (const long call : {SYS_pwrite64, SYS_pwritev, SYS_pwritev2})
            if (!test::deny_system_call(call, EIO)) return 77;
          const std::array<std::byte, 512> bytes{};
          if (auto failing = (*device)->write_now(0, bytes); failing || failing.error().kind != ErrorKind::io) return 1;
          const int yes = 1;
          if (ioctl((*device)->descriptor(), BLKROSET, &yes) != 0) return 77;
          auto refused = (*device)->write_now(0, bytes);
          const int no = 0;
          ioctl((*device)->descriptor(), BLKROSET, &no);
          return !refused && refused.error().kind == ErrorKind::permission && !refused.error().cause.empty() ? 0 : 2;
        },
        loop->path());
    if (code == 77) QSKIP("system calls cannot be denied, or devices not be made read-only here");
    QCOMPARE(code, 0);
  }

  void theSameDeviceIsKnownByItsNumber() {
    auto loop = LoopDevice::attach(backing(), 512);
    const TempDir dir;
    struct stat status{};
    QCOMPARE(stat(loop->path().c_str(), &status), 0);
    const std::string other_node = dir.file("node");
    if (mknod(other_node.c_str(), S_IFBLK | 0600, status.st_rdev) != 0) QSKIP("device nodes cannot be made here");
    const auto other = FileDevice::open({.path = other_node});
    if (!other) QSKIP("device nodes cannot be opened here");
    QVERIFY(open_loop(*loop, false)->same_file_as(**other));
  }

 private:
  static void sectors() {
    QTest::addColumn<uint32_t>("sector");
    QTest::newRow("512") << uint32_t{512};
    QTest::newRow("4096") << uint32_t{4096};
  }

  std::unique_ptr<LoopDevice> attach() const {
    QFETCH(uint32_t, sector);
    auto loop = LoopDevice::attach(backing(), sector);
    if (!loop) qFatal("the loop device went away");
    return loop;
  }

  static std::unique_ptr<FileDevice> open_loop(const LoopDevice& loop, bool writable) {
    auto device = FileDevice::open({.path = loop.path(), .writable = writable});
    if (!device) qFatal("open %s: errno %d", loop.path().c_str(), device.error().os_error);
    return std::move(*device);
  }

  std::string backing() const { return dir_.file("backing"); }

  TempDir dir_{TempDir::Where::memory};
  std::unique_ptr<Ring> ring_;
};

QTEST_GUILESS_MAIN(LoopTest)
#include "loop_test.moc"
