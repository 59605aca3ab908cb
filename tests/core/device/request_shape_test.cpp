// SPDX-License-Identifier: GPL-3.0-or-later
//
// The arithmetic by itself, and then against the kernel's own counters on loop and zram devices (needs root).
#include "core/device/request_shape.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include "tests/support/loop_device.h"
#include "tests/support/temp_dir.h"
#include "tests/support/zram_device.h"

using namespace disklathe;

namespace {

constexpr uint64_t kib = 1024, mib = 1024 * kib;

Limit of(uint64_t value) { return {.value = value, .source = LimitSource::sysfs}; }

Limits disk(uint64_t transfer, uint64_t segments, uint32_t physical = 512) {
  Limits limits;
  limits.logical_block = of(512);
  limits.physical_block = physical;
  limits.max_transfer = of(transfer);
  limits.max_segments = of(segments);
  limits.kernel_splits = true;
  return limits;
}

QString splits_of(const RequestShape::Commands& commands) {
  std::string text = std::to_string(commands.count) + ":";
  for (const auto& split : commands.splits)
    text += " " + std::to_string(split.at / 512) + std::string(name_of(split.cause)).substr(0, 1);
  return QString::fromStdString(text);
}

// Physical page numbers (Documentation/admin-guide/mm/pagemap.rst); 0 for who may not see them.
std::vector<uint64_t> frames_of(const void* memory, size_t pages) {
  std::vector<uint64_t> frames(pages);
  const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  const auto at = static_cast<off_t>(reinterpret_cast<uintptr_t>(memory) / 4096 * 8);
  if (fd < 0 || pread(fd, frames.data(), pages * 8, at) < 0) frames.assign(pages, 0);
  if (fd >= 0) close(fd);
  for (uint64_t& frame : frames) frame &= (uint64_t{1} << 55) - 1;
  return frames;
}

// Memory in pages of which none follows the one before it physically: no two of them make one segment.
class ScatteredMemory {
 public:
  explicit ScatteredMemory(uint64_t bytes) : bytes_(bytes) {
    memory_ = mmap(nullptr, spare * bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory_, spare * bytes_, MADV_NOHUGEPAGE);
    std::memset(memory_, 0x5a, spare * bytes_);
    const auto frames = frames_of(memory_, spare * bytes_ / 4096);
    uint64_t before = 0;
    for (size_t i = 0; i < frames.size() && vectors_.size() < bytes_ / 4096; ++i) {
      if (frames[i] == before + 1) continue;
      before = frames[i];
      vectors_.push_back({.iov_base = static_cast<char*>(memory_) + i * 4096, .iov_len = 4096});
    }
  }
  ScatteredMemory(const ScatteredMemory&) = delete;
  ScatteredMemory& operator=(const ScatteredMemory&) = delete;
  ~ScatteredMemory() { munmap(memory_, spare * bytes_); }
  const std::vector<iovec>& vectors() const { return vectors_; }
  iovec in_one_piece() const { return {.iov_base = memory_, .iov_len = bytes_}; }

 private:
  // Of pages that come in pairs every other one is left out.
  static constexpr uint64_t spare = 3;
  uint64_t bytes_;
  void* memory_;
  std::vector<iovec> vectors_;
};

// Completed writes: the fifth number of /sys/block/NAME/stat (Documentation/block/stat.rst).
uint64_t writes_of(const std::string& name) {
  std::ifstream file("/sys/block/" + name + "/stat");
  std::array<uint64_t, 5> numbers{};
  for (uint64_t& number : numbers) file >> number;
  return numbers[4];
}

// The kernel wakes the writer before it counts.
uint64_t settled_writes_of(const std::string& name) {
  uint64_t count = writes_of(name);
  for (int same = 0; same < 3;) {
    usleep(500);
    const uint64_t now = writes_of(name);
    same = now == count ? same + 1 : 0;
    count = now;
  }
  return count;
}

// Commands that the kernel made of one direct write; 0: it failed.
uint64_t commands_made(const std::string& name, const std::vector<iovec>& vectors, off_t at) {
  const int fd = open(("/dev/" + name).c_str(), O_RDWR | O_DIRECT | O_CLOEXEC);
  const uint64_t before = settled_writes_of(name);
  const ssize_t written = pwritev(fd, vectors.data(), static_cast<int>(vectors.size()), at);
  const uint64_t after = settled_writes_of(name);
  close(fd);
  return written > 0 ? after - before : 0;
}

Limits limits_of(const std::string& name) {
  const int fd = open(("/dev/" + name).c_str(), O_RDONLY | O_CLOEXEC);
  const Limits limits = read_limits(fd);
  close(fd);
  return limits;
}

void compare_with_kernel(const std::string& name) {
  const Limits limits = limits_of(name);
  for (const uint64_t size :
       {4 * kib, 64 * kib, 124 * kib, 512 * kib, 516 * kib, 1 * mib, 1028 * kib, 1280 * kib, 2 * mib, 4 * mib}) {
    for (const uint64_t at : {uint64_t{0}, 4 * kib}) {
      const auto shape = shape_of_request(limits, {.at = at, .length = size});
      QVERIFY(shape);
      const ScatteredMemory memory(size);
      QCOMPARE(memory.vectors().size(), size / 4096);
      const QString where = QStringLiteral("%1 bytes at %2").arg(size).arg(at);
      // The counter is the device's: whoever else looks at it is counted too, so the least of some tries is the answer.
      uint64_t apart = commands_made(name, memory.vectors(), static_cast<off_t>(at));
      for (int tries = 0; tries < 4 && apart > shape->scattered.count; ++tries) {
        apart = std::min(apart, commands_made(name, memory.vectors(), static_cast<off_t>(at)));
      }
      QVERIFY2(apart == shape->scattered.count,
               qPrintable(where + QStringLiteral(": %1, not %2").arg(apart).arg(shape->scattered.count)));
      // Where some pages join, a bio may end anywhere: at most one command more for each.
      const uint64_t real = commands_made(name, {memory.in_one_piece()}, static_cast<off_t>(at));
      QVERIFY2(real >= shape->contiguous.count && real <= shape->scattered.count + size / mib,
               qPrintable(where + QStringLiteral(": %1").arg(real)));
    }
  }
}

}  // namespace

class RequestShapeTest : public QObject {
  Q_OBJECT

 private slots:
  void splits_data() {
    QTest::addColumn<quint64>("transfer");
    QTest::addColumn<quint64>("segments");
    QTest::addColumn<quint64>("at");
    QTest::addColumn<quint64>("length");
    QTest::addColumn<QString>("contiguous");
    QTest::addColumn<QString>("scattered");
    const auto row = [](const char* name, uint64_t transfer, uint64_t segments, uint64_t at, uint64_t length,
                        const char* contiguous, const char* scattered) {
      QTest::newRow(name) << quint64{transfer} << quint64{segments} << quint64{at} << quint64{length}
                          << QString::fromLatin1(contiguous) << QString::fromLatin1(scattered);
    };
    row("one command", 128 * kib, 256, 0, 128 * kib, "1:", "1:");
    row("the transfer binds", 128 * kib, 256, 0, 300 * kib, "3: 256t 512t", "3: 256t 512t");
    row("the segments bind when pages lie apart", 1280 * kib, 128, 0, 1280 * kib, "1:", "3: 1024s 2048v");
    row("whole bios are merged", 4 * mib, 4096, 0, 2 * mib, "1:", "1:");
    row("bios that do not fit together are not", 1536 * kib, 4096, 0, 2 * mib, "2: 3072t", "2: 2048v");
    row("the rest of a cut bio takes the next", 60 * kib, 256, 0, 1028 * kib,
        "18: 120t 240t 360t 480t 600t 720t 840t 960t 1080t 1200t 1320t 1440t 1560t 1680t 1800t 1920t",
        "18: 120t 240t 360t 480t 600t 720t 840t 960t 1080t 1200t 1320t 1440t 1560t 1680t 1800t 1920t");
    row("offsets do not move the splits", 128 * kib, 256, 512, 256 * kib, "2: 257t", "2: 257t");
  }

  void splits() {
    QFETCH(const quint64, transfer);
    QFETCH(const quint64, segments);
    QFETCH(const quint64, at);
    QFETCH(const quint64, length);
    QFETCH(const QString, contiguous);
    QFETCH(const QString, scattered);
    const auto shape = shape_of_request(disk(transfer, segments), {.at = at, .length = length});
    QVERIFY(shape);
    QCOMPARE(splits_of(shape->contiguous), contiguous);
    QCOMPARE(splits_of(shape->scattered), scattered);
  }

  void splitsFallOnPhysicalBlocks() {
    const auto shape = shape_of_request(disk(128 * kib, 256, 4096), {.at = 512, .length = 256 * kib});
    QVERIFY(shape);
    QCOMPARE(splits_of(shape->contiguous), QStringLiteral("3: 256t 512t"));
  }

  void chunkBoundariesCountFromTheStartOfTheDisk() {
    Limits limits = disk(1 * mib, 256);
    limits.chunk = of(128 * kib);
    QCOMPARE(splits_of(shape_of_request(limits, {.at = 64 * kib, .length = 128 * kib})->contiguous),
             QStringLiteral("2: 256c"));
    // A partition that begins 64 KiB into a chunk.
    QCOMPARE(splits_of(shape_of_request(limits, {.at = 64 * kib, .length = 128 * kib}, 64 * kib)->contiguous),
             QStringLiteral("1:"));
  }

  void driverThatTakesBiosGetsThemWhole() {
    Limits limits = disk(124 * kib, 128);
    limits.kernel_splits = false;
    const auto shape = shape_of_request(limits, {.at = 0, .length = 4 * mib});
    QCOMPARE(shape->contiguous.count, 1ULL);
    QCOMPARE(shape->scattered.count, 4ULL);
  }

  void notReportedLimitsSplitNothing() {
    Limits limits;
    limits.kernel_splits = true;
    QCOMPARE(shape_of_request(limits, {.at = 0, .length = 64 * mib})->contiguous.count, 1ULL);
  }

  void partlyWrittenBlocks_data() {
    QTest::addColumn<quint64>("at");
    QTest::addColumn<quint64>("length");
    QTest::addColumn<quint64>("start");
    QTest::addColumn<QString>("blocks");
    QTest::newRow("none") << quint64{4096} << quint64{8192} << quint64{0} << "";
    QTest::newRow("head") << quint64{512} << quint64{7680} << quint64{0} << "0+4096 ";
    QTest::newRow("tail") << quint64{4096} << quint64{512} << quint64{0} << "4096+4096 ";
    QTest::newRow("both ends in one block") << quint64{512} << quint64{512} << quint64{0} << "0+4096 ";
    QTest::newRow("both ends") << quint64{3584} << quint64{8192} << quint64{0} << "0+4096 8192+4096 ";
    QTest::newRow("misaligned partition") << quint64{4096} << quint64{4096} << quint64{512} << "3584+4096 7680+4096 ";
    QTest::newRow("aligned in a misaligned partition") << quint64{3584} << quint64{4096} << quint64{512} << "";
  }

  void partlyWrittenBlocks() {
    QFETCH(const quint64, at);
    QFETCH(const quint64, length);
    QFETCH(const quint64, start);
    QFETCH(const QString, blocks);
    const auto shape = shape_of_request(disk(mib, 256, 4096), {.at = at, .length = length}, start);
    QVERIFY(shape);
    QString found;
    for (const Range& block : shape->read_modify_write)
      found += QStringLiteral("%1+%2 ").arg(block.at).arg(block.length);
    QCOMPARE(found, blocks);
  }

  void blocksMayBeginOffByteZero() {
    Limits limits = disk(mib, 256, 4096);
    limits.alignment_offset = of(3584);
    QVERIFY(shape_of_request(limits, {.at = 3584, .length = 4096})->read_modify_write.empty());
    QVERIFY(!shape_of_request(limits, {.at = 4096, .length = 4096})->read_modify_write.empty());
  }

  void impossibleRequestsAreRefused() {
    const Limits limits = disk(mib, 256);
    QVERIFY(!shape_of_request(limits, {.at = 0, .length = 0}));
    QVERIFY(!shape_of_request(limits, {.at = 0, .length = uint64_t{3} << 30}));
    QVERIFY(!shape_of_request(limits, {.at = 100, .length = 512}));
    QVERIFY(!shape_of_request(limits, {.at = 0, .length = 100}));
    QVERIFY(!shape_of_request(limits, {.at = UINT64_MAX - 511, .length = 512}, 512));
  }

  void kernelCountsTheSameOnLoop_data() {
    QTest::addColumn<unsigned>("sector");
    QTest::addColumn<unsigned>("max_sectors_kb");
    QTest::newRow("as it comes") << 512U << 0U;
    QTest::newRow("4 KiB blocks") << 4096U << 0U;
    QTest::newRow("64 KiB transfers") << 512U << 64U;
    QTest::newRow("60 KiB transfers on 4 KiB blocks") << 4096U << 60U;
  }

  void kernelCountsTheSameOnLoop() {
    QFETCH(const unsigned, sector);
    QFETCH(const unsigned, max_sectors_kb);
    const test::TempDir folder(test::TempDir::Where::memory);
    test::write_file(folder.file("disk"), "");
    QVERIFY(truncate(folder.file("disk").c_str(), 8 << 20) == 0);
    const auto loop = test::LoopDevice::attach(folder.file("disk"), sector);
    if (!loop) QSKIP(test::LoopDevice::why_not());
    const std::string setting = "/sys/block/" + loop->name() + "/queue/max_sectors_kb";
    unsigned before = 0;
    std::ifstream(setting) >> before;
    if (max_sectors_kb && !(std::ofstream(setting) << max_sectors_kb << std::flush))
      QSKIP("max_sectors_kb cannot be set");
    compare_with_kernel(loop->name());
    std::ofstream(setting) << before << std::flush;
  }

  void kernelCountsTheSameOnZram() {
    std::string why_not;
    const auto zram = test::ZramDevice::create(8 << 20, why_not);
    if (!zram) QSKIP(why_not.c_str());
    compare_with_kernel(zram->name());
  }
};

QTEST_GUILESS_MAIN(RequestShapeTest)
#include "request_shape_test.moc"
