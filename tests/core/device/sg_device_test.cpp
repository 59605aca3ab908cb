// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/sg_device.h"

#include <QTest>
#include <cerrno>
#include <random>

#include "core/io/aligned_buffer.h"
#include "tests/support/fake_scsi_disk.h"
#include "tests/support/run_task.h"

using namespace disklathe;
using test::FakeScsiDisk;

namespace {

constexpr uint64_t kib = 1 << 10, mib = 1 << 20;

Limits limits(std::optional<uint64_t> transfer, std::optional<uint64_t> segments, uint64_t dma = 512) {
  return {.max_hw_transfer = {transfer, LimitSource::sysfs},
          .max_segments = {segments, LimitSource::sysfs},
          .dma_alignment = {dma, LimitSource::sysfs}};
}

// A disk of 4 MiB and the device that speaks to it.
struct Rig {
  FakeScsiDisk* disk;
  Result<std::unique_ptr<SgDevice>> device;

  explicit Rig(const Limits& bounds, uint32_t block = 512, uint32_t max_transfer = 0, bool writable = true)
      : disk(new FakeScsiDisk(4 * mib / block, block)), device(make(bounds, max_transfer, writable)) {
    disk->moved.clear();
  }
  SgDevice& operator*() const { return **device; }

 private:
  Result<std::unique_ptr<SgDevice>> make(const Limits& bounds, uint32_t max_transfer, bool writable) const {
    disk->max_transfer = max_transfer;
    return SgDevice::make(std::unique_ptr<ScsiTransport>(disk), "fake", writable, bounds);
  }
};

uint64_t largest(const FakeScsiDisk& disk, uint32_t block = 512) {
  uint64_t most = 0;
  for (const auto& moved : disk.moved) most = std::max<uint64_t>(most, uint64_t{moved.count} * block);
  return most;
}

void fill(MutableBytes bytes, unsigned seed) {
  std::mt19937 random(seed);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
}

}  // namespace

class SgDeviceTest : public QObject {
  Q_OBJECT

 private slots:
  void aRequestIsSplitAtTheLargestTransfer() {
    Rig rig(limits(128 * kib, 1000));
    AlignedBuffer memory(mib, 4096);
    QVERIFY((*rig).write_now(0, memory.bytes()));
    QCOMPARE(rig.disk->moved.size(), 8U);
    QCOMPARE(largest(*rig.disk), 128 * kib);
    for (size_t i = 0; i < 8; ++i) QCOMPARE(rig.disk->moved[i].block, i * 256);
    QCOMPARE((*rig).bounces(), 0U);
  }

  void eachPageOfMemoryCountsAsASegment() {
    Rig rig(limits(mib, 4));
    AlignedBuffer memory(64 * kib, 4096);
    QVERIFY((*rig).read_now(0, memory.bytes()));
    QCOMPARE(largest(*rig.disk), 16 * kib);
    rig.disk->moved.clear();
    // It begins inside a page: that page is one of the four.
    QVERIFY((*rig).read_now(0, memory.bytes().subspan(512, 32 * kib)));
    QCOMPARE(rig.disk->moved[0].count, (16 * kib - 512) / 512);
    for (const auto& moved : rig.disk->moved) {
      const uint64_t bytes = uint64_t{moved.count} * 512;
      QVERIFY((moved.memory + bytes - 1) / 4096 - moved.memory / 4096 + 1 <= 4);
    }
  }

  void theLimitThatTheDiskNamesBindsToo() {
    Rig rig(limits(mib, 1000), 512, 16);
    AlignedBuffer memory(64 * kib, 4096);
    QVERIFY((*rig).write_now(0, memory.bytes()));
    QCOMPARE(largest(*rig.disk), 8 * kib);
    QCOMPARE((*rig).limits().max_hw_transfer.value, 8 * kib);
  }

  void whereNobodyNamesLimitsCommandsAreSmall() {
    Rig rig(Limits{});
    AlignedBuffer memory(mib, 4096);
    QVERIFY((*rig).read_now(0, memory.bytes()));
    QCOMPARE(largest(*rig.disk), 128 * kib);
  }

  void memoryOffTheAlignmentIsCopied() {
    Rig rig(limits(mib, 1000));
    AlignedBuffer memory(64 * kib + 4096, 4096);
    fill(memory.bytes(), 1);
    QVERIFY((*rig).write_now(0, memory.bytes().subspan(4, 64 * kib)));
    QCOMPARE((*rig).bounces(), 1U);
    for (const auto& moved : rig.disk->moved) QCOMPARE(moved.memory % 512, 0U);
    QVERIFY(std::equal(rig.disk->content.begin(), rig.disk->content.begin() + 64 * kib, memory.data() + 4));
    // A host adapter that takes any multiple of 4 gets it as it is.
    Rig lenient(limits(mib, 1000, 4));
    QVERIFY((*lenient).write_now(0, memory.bytes().subspan(4, 64 * kib)));
    QCOMPARE((*lenient).bounces(), 0U);
  }

  // Against a plain copy in memory, with limits that make every command odd.
  void anyOffsetSizeAndMemoryGivesTheRightBytes() {
    for (const uint32_t block : {512U, 4096U}) {
      Rig rig(limits(40 * kib, 3), block);
      fill(rig.disk->content, 7);
      std::vector<std::byte> expected = rig.disk->content;
      std::mt19937 random(block);
      AlignedBuffer memory(128 * kib, 4096);
      const auto below = [&](uint64_t bound) { return std::uniform_int_distribution<uint64_t>(0, bound - 1)(random); };
      for (int i = 0; i < 300; ++i) {
        const uint64_t unit = uint64_t{1} << below(13);
        const uint64_t skip = below(8 * kib) / unit * unit;
        const uint64_t length = (1 + below(100 * kib)) / unit * unit;
        const uint64_t at = below(4 * mib - length) / unit * unit;
        const MutableBytes part = memory.bytes().subspan(skip, length);
        if (i % 2) {
          fill(part, static_cast<unsigned>(i));
          std::ranges::copy(part, expected.begin() + static_cast<std::ptrdiff_t>(at));
          QVERIFY((*rig).write_now(at, part));
        } else {
          QVERIFY((*rig).read_now(at, part));
          QVERIFY(std::ranges::equal(part, std::span(expected).subspan(at, length)));
        }
      }
      QVERIFY(rig.disk->content == expected);
      QVERIFY(largest(*rig.disk, block) <= 12 * kib);
    }
  }

  void aWriteOfWholeBlocksReadsNothing() {
    Rig rig(limits(mib, 1000));
    std::vector<std::byte> odd(64 * kib + 1);
    QVERIFY((*rig).write_now(512, std::span(odd).subspan(1)));
    for (const auto& moved : rig.disk->moved) QVERIFY(moved.write);
    rig.disk->moved.clear();
    // Of one that begins and ends inside blocks, those two.
    QVERIFY((*rig).write_now(100, std::span(odd).first(8 * kib)));
    size_t read = 0;
    for (const auto& moved : rig.disk->moved) read += moved.write ? 0 : moved.count;
    QCOMPARE(read, 2U);
  }

  void vectorsGoOneAfterTheOther() {
    Rig rig(limits(mib, 1000));
    auto ring = Ring::create(RingKind::immediate);
    AlignedBuffer memory(64 * kib, 4096);
    fill(memory.bytes(), 3);
    const std::array<iovec, 2> vectors{iovec{memory.data() + 32 * kib, 4 * kib}, iovec{memory.data(), 8 * kib}};
    QVERIFY(test::run_task(**ring, (*rig).writev(**ring, mib, vectors)));
    QVERIFY(std::equal(memory.data() + 32 * kib, memory.data() + 36 * kib, rig.disk->content.data() + mib));
    QVERIFY(std::equal(memory.data(), memory.data() + 8 * kib, rig.disk->content.data() + mib + 4 * kib));
  }

  void zeroesAreWritten() {
    Rig rig(limits(256 * kib, 1000));
    fill(rig.disk->content, 9);
    auto ring = Ring::create(RingKind::immediate);
    QVERIFY(test::run_task(**ring, (*rig).zero(**ring, {1000, 3 * mib}, ZeroMethod::buffers)));
    QVERIFY(std::all_of(rig.disk->content.begin() + 1000, rig.disk->content.begin() + 1000 + 3 * mib,
                        [](std::byte byte) { return byte == std::byte{0}; }));
    const auto punched = test::run_task(**ring, (*rig).zero(**ring, {0, mib}, ZeroMethod::punch));
    QCOMPARE(punched.error().kind, ErrorKind::unsupported);
  }

  void whatIsOutsideNeverReachesTheDisk() {
    Rig rig(limits(mib, 1000));
    std::array<std::byte, 512> memory{};
    QCOMPARE((*rig).read_now(4 * mib, memory).error().kind, ErrorKind::invalid);
    QCOMPARE((*rig).write_now(UINT64_MAX, memory).error().kind, ErrorKind::invalid);
    Rig reader(limits(mib, 1000), 512, 0, false);
    QCOMPARE((*reader).write_now(0, memory).error().kind, ErrorKind::invalid);
    QVERIFY(rig.disk->moved.empty() && reader.disk->moved.empty());
  }

  void aBadBlockIsAnErrorWithItsPlace() {
    Rig rig(limits(4 * kib, 1000));
    AlignedBuffer memory(16 * kib, 4096);
    rig.disk->answers = {{}, {}, {3, 0x11, 0}};
    const auto read = (*rig).read_now(mib, memory.bytes());
    QCOMPARE(read.error().kind, ErrorKind::io);
    QCOMPARE(read.error().os_error, EIO);
    QCOMPARE(read.error().offset, mib + 8 * kib);
    QCOMPARE(read.error().subject, "fake");
  }

  void aDiskThatIsOnlyBusyIsAskedAgain() {
    Rig rig(limits(mib, 1000));
    AlignedBuffer memory(4 * kib, 4096);
    rig.disk->host_answers = {0x08};
    rig.disk->answers = {{6, 0x29, 0x02}, {0x0b, 0x47, 0}, {1, 0x17, 1, 1}};
    QVERIFY((*rig).write_now(0, memory.bytes()));
    QCOMPARE(rig.disk->moved.size(), 1U);
  }

  // An error that came after an earlier command was answered: this command was not done.
  void aDeferredErrorIsNoSuccess() {
    Rig rig(limits(mib, 1000));
    AlignedBuffer memory(4 * kib, 4096);
    rig.disk->answers = {{3, 0x0c, 0, 1}};
    const auto written = (*rig).write_now(0, memory.bytes());
    QCOMPARE(written.error().kind, ErrorKind::io);
    QVERIFY(QString::fromStdString(written.error().cause).contains("earlier"));
  }

  void anotherMediumEndsIt() {
    Rig rig(limits(mib, 1000));
    AlignedBuffer memory(4 * kib, 4096);
    rig.disk->answers = {{6, 0x28, 0}};
    QCOMPARE((*rig).write_now(0, memory.bytes()).error().kind, ErrorKind::changed);
    QVERIFY(rig.disk->moved.empty());
  }

  void aResetThatMayHaveLostWritesEndsIt() {
    Rig rig(limits(mib, 1000));
    AlignedBuffer memory(4 * kib, 4096);
    rig.disk->answers = {{6, 0x29, 0x01}};
    QVERIFY((*rig).read_now(0, memory.bytes()));  // nothing was written yet
    QVERIFY((*rig).write_now(0, memory.bytes()));
    rig.disk->answers = {{6, 0x29, 0x01}};
    const auto flushed = (*rig).flush_now();
    QCOMPARE(flushed.error().kind, ErrorKind::io);
    QVERIFY(QString::fromStdString(flushed.error().cause).contains("may be lost"));
  }

  void aDiskThatIsGoneHasVanished() {
    Rig rig(limits(mib, 1000));
    AlignedBuffer memory(4 * kib, 4096);
    rig.disk->host_answers = {0x01};
    QCOMPARE((*rig).read_now(0, memory.bytes()).error().kind, ErrorKind::vanished);
    // The kernel may answer for it with a failure first.
    for (const uint16_t first : {uint16_t{0x05}, uint16_t{0x07}}) {
      rig.disk->host_answers = {first, 0x01};
      QCOMPARE((*rig).read_now(0, memory.bytes()).error().kind, ErrorKind::vanished);
    }
    rig.disk->host_answers = {0x07, 0x07, 0x07, 0x07, 0x07};
    QCOMPARE((*rig).read_now(0, memory.bytes()).error().kind, ErrorKind::io);
  }

  void flushingADiskWithoutACacheIsFine() {
    Rig rig(limits(mib, 1000));
    rig.disk->knows_flush = false;
    QVERIFY((*rig).flush_now());
    Rig cached(limits(mib, 1000));
    QVERIFY((*cached).flush_now());
    QCOMPARE(cached.disk->flushes, 1U);
  }

  void whatIsNoDiskOrImpossibleIsNotOpened() {
    auto tape = std::make_unique<FakeScsiDisk>(100, 512);
    tape->type = 0x01;
    QCOMPARE(SgDevice::make(std::move(tape), "tape", false, Limits{}).error().kind, ErrorKind::unsupported);
    auto narrow = std::make_unique<FakeScsiDisk>(100, 4096);
    QCOMPARE(SgDevice::make(std::move(narrow), "narrow", false, limits(2 * kib, 1)).error().kind,
             ErrorKind::unsupported);
    // What was pending from before is no concern of who opens it.
    auto fresh = std::make_unique<FakeScsiDisk>(100, 512);
    fresh->answers = {{6, 0x29, 0}, {6, 0x28, 0}};
    QVERIFY(SgDevice::make(std::move(fresh), "fresh", false, Limits{}));
  }

  void onlyScsiGenericNodesAreOpened() {
    for (const char* path : {"/dev/null", "/", "/etc/passwd"})
      QCOMPARE(sg_node_of(path).error().kind, ErrorKind::invalid);
    QCOMPARE(sg_node_of("/nowhere").error().kind, ErrorKind::not_found);
  }
};

QTEST_GUILESS_MAIN(SgDeviceTest)
#include "sg_device_test.moc"
