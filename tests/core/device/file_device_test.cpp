// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/file_device.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTest>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/io/aligned_buffer.h"
#include "tests/support/run_task.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;
using test::read_file;
using test::run_task;
using test::TempDir;
using test::write_file;

namespace {

constexpr uint64_t kib = 1024;

iovec vector_of(MutableBytes bytes) { return {bytes.data(), bytes.size()}; }

std::unique_ptr<FileDevice> open_device(const std::string& path, bool writable, CacheMode cache) {
  Result<std::unique_ptr<FileDevice>> device = FileDevice::open({.path = path, .writable = writable, .cache = cache});
  if (!device) qFatal("open %s: %s, errno %d", path.c_str(), device.error().cause.c_str(), device.error().os_error);
  return std::move(*device);
}

Error open_error(const std::string& path, bool writable = false, CacheMode cache = CacheMode::automatic) {
  Result<std::unique_ptr<FileDevice>> device = FileDevice::open({.path = path, .writable = writable, .cache = cache});
  return device ? Error{.cause = "it was opened"} : device.error();
}

std::string text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

class FileDeviceTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { ring_ = std::move(*Ring::create()); }

  void everyAlignmentGivesTheSameBytes_data() { caches(); }
  void everyAlignmentGivesTheSameBytes() {
    // Random requests of every alignment of offset, length, memory and vectors, against a copy in memory.
    const uint64_t size = 1024 * kib + 777;
    const std::string path = make_file(std::string(size, '\0'));
    auto device = open_in_row(path);
    std::string expected(size, '\0');
    std::mt19937 random(1);
    const auto below = [&](uint64_t end) { return std::uniform_int_distribution<uint64_t>(0, end - 1)(random); };
    AlignedBuffer memory(512 * kib, 4096);
    QFETCH(int, cache);
    const int requests = static_cast<CacheMode>(cache) == CacheMode::directsync ? 100 : 600;  // each of them waits
    for (int i = 0; i < requests; ++i) {
      const std::array<uint64_t, 5> units{1, 256, 512, 4096, 65536};
      const uint64_t unit = units[below(units.size())], memory_unit = units[below(units.size() - 1)];
      const uint64_t at = below(size / unit) * unit;
      const uint64_t length = std::min((below(128 * kib / unit + 1) + 1) * unit, size - at);
      MutableBytes bytes = memory.bytes().subspan(below(16) * memory_unit, length);
      const uint64_t cut = below(length / unit + 1) * unit;
      const std::array<iovec, 2> vectors{vector_of(bytes.first(std::min(cut, length))),
                                         vector_of(bytes.subspan(std::min(cut, length)))};
      if (below(2) == 0) {
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
        std::memcpy(expected.data() + at, bytes.data(), length);
        QVERIFY(run_task(*ring_, device->writev(*ring_, at, vectors)).has_value());
      } else {
        std::ranges::fill(bytes, std::byte{0xee});
        QVERIFY(run_task(*ring_, device->readv(*ring_, at, vectors)).has_value());
        QVERIFY(std::memcmp(bytes.data(), expected.data() + at, length) == 0);
      }
      if (below(50) == 0) QVERIFY(run_task(*ring_, device->flush(*ring_)).has_value());
    }
    QVERIFY(device->flush_now().has_value());
    QVERIFY(read_file(path) == expected);
    QCOMPARE(read_file(path).size(), size);
  }

  void neighboursInOnePageWrittenAtOnceKeepTheirBytes_data() { caches(); }
  void neighboursInOnePageWrittenAtOnceKeepTheirBytes() {
    // Aligned and odd requests that share pages, all in flight together: the two descriptors never cross.
    const uint64_t size = 512 * kib;
    const std::string path = make_file(std::string(size, '\0'));
    auto device = open_in_row(path);
    AlignedBuffer memory(size, 4096);
    for (size_t i = 0; i < size; ++i) memory.data()[i] = static_cast<std::byte>(i / 100 + 1);
    std::vector<iovec> vectors;
    std::vector<uint64_t> offsets;
    for (uint64_t at = 0, n = 0; at < size; ++n) {
      const uint64_t length = std::min<uint64_t>(n % 3 == 0 ? 512 - at % 512 : n % 3 == 1 ? 512 : 700, size - at);
      offsets.push_back(at);
      vectors.push_back(vector_of(memory.bytes().subspan(at, length)));
      at += length;
    }
    std::vector<Task<Result<void>>> writes;
    for (size_t i = 0; i < vectors.size(); ++i) {
      writes.push_back(device->writev(*ring_, offsets[i], {&vectors[i], 1}));
    }
    QVERIFY(run_task(*ring_, when_all(std::move(writes))).has_value());
    QVERIFY(device->flush_now().has_value());
    QVERIFY(read_file(path) == text_of(memory.bytes()));
  }

  void zeroesAnyRange_data() { caches(); }
  void zeroesAnyRange() {
    const uint64_t size = 3000 * kib + 1;
    const std::string path = make_file(std::string(size, 'x'));
    auto device = open_in_row(path);
    std::string expected(size, 'x');
    for (const ZeroMethod method : {ZeroMethod::punch, ZeroMethod::write_zeroes, ZeroMethod::buffers}) {
      for (const Range range :
           {Range{1, 0}, Range{5, 10}, Range{4096, 8192}, Range{100 * kib + 3, 2500 * kib}, Range{size - 5000, 5000}}) {
        Result<void> result = run_task(*ring_, device->zero(*ring_, range, method));
        if (!result && result.error().kind == ErrorKind::unsupported) continue;
        QVERIFY(result.has_value());
        std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(range.at), range.length, '\0');
      }
      QVERIFY(device->flush_now().has_value());
      QVERIFY(read_file(path) == expected);
      expected.assign(size, 'y');
      QVERIFY(device->write_now(0, std::as_bytes(std::span(expected))).has_value());
    }
  }

  void punchingGivesSpaceBack() {
    const std::string path = make_file(std::string(1024 * kib, 'x'));
    auto device = open_device(path, true, CacheMode::writeback);
    QVERIFY(device->flush_now().has_value());
    const uint64_t before = *device->allocated_bytes();
    QVERIFY(run_task(*ring_, device->zero(*ring_, {0, 512 * kib}, ZeroMethod::punch)).has_value());
    QVERIFY(*device->allocated_bytes() <= before - 512 * kib);
    QCOMPARE(device->size(), 1024 * kib);
  }

  void nothingOutsideTheFileReachesTheKernel_data() { caches(); }
  void nothingOutsideTheFileReachesTheKernel() {
    const std::string path = make_file(std::string(8 * kib, 'x'));
    auto device = open_in_row(path);
    AlignedBuffer memory(4096, 4096);
    const iovec vector = vector_of(memory.bytes());
    for (const uint64_t at : {uint64_t{4097}, uint64_t{8192}, UINT64_MAX - 4095, UINT64_MAX}) {
      QCOMPARE(run_task(*ring_, device->readv(*ring_, at, {&vector, 1})).error().kind, ErrorKind::invalid);
      QCOMPARE(run_task(*ring_, device->writev(*ring_, at, {&vector, 1})).error().kind, ErrorKind::invalid);
      QCOMPARE(run_task(*ring_, device->zero(*ring_, {at, 4096}, ZeroMethod::buffers)).error().kind,
               ErrorKind::invalid);
      QCOMPARE(device->read_now(at, memory.bytes()).error().kind, ErrorKind::invalid);
      QCOMPARE(device->write_now(at, memory.bytes()).error().kind, ErrorKind::invalid);
    }
    QCOMPARE(device->allocation(8192).error().kind, ErrorKind::invalid);
    QCOMPARE(read_file(path), std::string(8 * kib, 'x'));
  }

  void aFileForReadingIsNotWritten() {
    auto device = open_device(make_file("abc"), false, CacheMode::automatic);
    const std::byte byte{1};
    QCOMPARE(device->write_now(0, {&byte, 1}).error().kind, ErrorKind::invalid);
    QCOMPARE(run_task(*ring_, device->zero(*ring_, {0, 1}, ZeroMethod::punch)).error().kind, ErrorKind::invalid);
    QCOMPARE(device->resize(1).error().kind, ErrorKind::invalid);
  }

  void resizingMovesTheGate_data() { caches(); }
  void resizingMovesTheGate() {
    const std::string path = make_file("");
    auto device = open_in_row(path);
    QVERIFY(device->resize(10000).has_value());
    std::array<std::byte, 100> bytes;
    bytes.fill(std::byte{'z'});
    QVERIFY(device->write_now(9900, bytes).has_value());
    QVERIFY(!device->write_now(9901, bytes));
    QVERIFY(device->resize(9950).has_value());
    QCOMPARE(device->size(), 9950U);
    QCOMPARE(read_file(path).size(), 9950U);
  }

  void allocatingReservesSpaceAndKeepsContent() {
    const std::string path = make_file("abc");
    auto device = open_device(path, true, CacheMode::writeback);
    QVERIFY(device->allocate_now({1000, 256 * kib}).has_value());
    QCOMPARE(device->size(), 1000 + 256 * kib);
    QVERIFY(*device->allocated_bytes() >= 256 * kib);
    QCOMPARE(read_file(path), "abc" + std::string(1000 + 256 * kib - 3, '\0'));
    QVERIFY(device->allocate_now({0, 10}).has_value());
    QCOMPARE(device->size(), 1000 + 256 * kib);
  }

  void aTruncatedSourceSaysChanged_data() { caches(); }
  void aTruncatedSourceSaysChanged() {
    const std::string path = make_file(std::string(64 * kib, 'x'));
    auto device = open_in_row(path);
    QCOMPARE(truncate(path.c_str(), 20000), 0);
    AlignedBuffer memory(32 * kib, 4096);
    const iovec vector = vector_of(memory.bytes());
    for (const uint64_t at : {uint64_t{0}, uint64_t{16384}, uint64_t{32768}}) {
      const Result<void> result = run_task(*ring_, device->readv(*ring_, at, {&vector, 1}));
      QVERIFY(!result);
      QCOMPARE(result.error().kind, ErrorKind::changed);
      QCOMPARE(result.error().subject, path);
      QCOMPARE(result.error().offset, std::optional(std::max<uint64_t>(at, 20000)));
    }
    QCOMPARE(device->allocation(32768).error().kind, ErrorKind::changed);
    QCOMPARE(device->unchanged_since_open().error().kind, ErrorKind::changed);
  }

  void aRewrittenSourceIsNoticed() {
    const std::string path = make_file("abc");
    auto device = open_device(path, false, CacheMode::automatic);
    QVERIFY(device->unchanged_since_open().has_value());
    QTest::qSleep(20);
    write_file(path, "abd");
    QCOMPARE(device->unchanged_since_open().error().kind, ErrorKind::changed);
  }

  void allocationFollowsTheHoles_data() { caches(); }
  void allocationFollowsTheHoles() {
    const std::string path = make_file("");
    QCOMPARE(truncate(path.c_str(), 1024 * 1024 + 100), 0);
    auto device = open_in_row(path);
    const std::vector<std::byte> data(64 * kib, std::byte{1});
    QVERIFY(device->write_now(256 * kib, data).has_value());
    QVERIFY(device->flush_now().has_value());
    const auto hole = device->allocation(1000);
    QVERIFY(!hole->data);
    QCOMPARE(hole->range, (Range{1000, 256 * kib - 1000}));
    const auto run = device->allocation(256 * kib + 5);
    QVERIFY(run->data);
    QCOMPARE(run->range, (Range{256 * kib + 5, 64 * kib - 5}));
    const auto rest = device->allocation(320 * kib);
    QVERIFY(!rest->data);
    QCOMPARE(rest->range.end(), device->size());
  }

  void alignedRequestsAreNeverCopied() {
    auto device = open_device(make_file(std::string(256 * kib, 'x')), true, CacheMode::none);
    QCOMPARE(device->io_mode(), IoMode::queued);
    const uint32_t least = device->limits().min_mem_align;
    AlignedBuffer memory(128 * kib, 4096);
    const iovec at_least = vector_of(memory.bytes().subspan(least, 64 * kib));
    QVERIFY(run_task(*ring_, device->writev(*ring_, 0, {&at_least, 1})).has_value());
    QVERIFY(run_task(*ring_, device->readv(*ring_, 0, {&at_least, 1})).has_value());
    QCOMPARE(device->bounces(), 0U);
    const iovec below = vector_of(memory.bytes().subspan(least / 2, 64 * kib));
    QVERIFY(run_task(*ring_, device->readv(*ring_, 0, {&below, 1})).has_value());
    QCOMPARE(device->bounces(), 1U);
  }

  void aLargeBouncedRequestIsWhole() {
    const std::string path = make_file(std::string(3000 * kib, 'x'));
    auto device = open_device(path, true, CacheMode::none);
    AlignedBuffer memory(3004 * kib, 4096);
    for (size_t i = 0; i < memory.size(); ++i) memory.data()[i] = static_cast<std::byte>(i / 1000);
    const MutableBytes odd = memory.bytes().subspan(1, 3000 * kib);
    const iovec vector = vector_of(odd);
    QVERIFY(run_task(*ring_, device->writev(*ring_, 0, {&vector, 1})).has_value());
    QVERIFY(read_file(path) == text_of(odd));
    const std::string before = text_of(odd);
    std::ranges::fill(odd, std::byte{0});
    QVERIFY(run_task(*ring_, device->readv(*ring_, 0, {&vector, 1})).has_value());
    QVERIFY(text_of(odd) == before);
  }

  void tmpfsIsServedFromMemory() {
    const TempDir memory(TempDir::Where::memory);
    write_file(memory.file("a"), std::string(8192, 'a'));
    QCOMPARE(open_device(memory.file("a"), true, CacheMode::automatic)->io_mode(), IoMode::immediate);
    // Old kernels refuse direct I/O there; newer ones allow to ask for it.
    const Error error = open_error(memory.file("a"), true, CacheMode::none);
    QVERIFY(error.cause == "it was opened" || error.kind == ErrorKind::unsupported);
  }

  void smallFilesAreBufferedByPolicy() {
    QCOMPARE(open_device(make_file("a"), false, CacheMode::automatic)->io_mode(), IoMode::immediate);
  }

  void filesLargerThanHalfTheMemoryAreDirectByPolicy() {
    const std::string path = make_file("");
    const auto memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    QCOMPARE(truncate(path.c_str(), memory), 0);
    const int fd = open(path.c_str(), O_WRONLY);
    // Some data that is not in the page cache.
    QCOMPARE(posix_fallocate(fd, 0, 1 << 20), 0);
    close(fd);
    QCOMPARE(open_device(path, false, CacheMode::automatic)->io_mode(), IoMode::queued);
  }

  void refusesWhatIsNoDisk() {
    const TempDir dir;
    QCOMPARE(mkfifo(dir.file("pipe").c_str(), 0600), 0);
    QCOMPARE(open_error(dir.file("pipe")).kind, ErrorKind::invalid);
    QCOMPARE(open_error(dir.file("pipe")).cause, std::string("it is a pipe"));
    QCOMPARE(open_error("/dev/null").cause, std::string("it is a character device"));
    QCOMPARE(open_error(dir.path()).os_error, EISDIR);
    QCOMPARE(open_error(dir.file("nothing")).kind, ErrorKind::not_found);
    QCOMPARE(open_error(dir.file("nothing")).subject, dir.file("nothing"));
  }

  void adoptsADescriptor() {
    const std::string path = make_file("abcdef");
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    auto device = FileDevice::adopt(fd, "given", true, CacheMode::automatic);
    QVERIFY(device.has_value());
    QCOMPARE((*device)->name(), std::string_view("given"));
    QVERIFY((*device)->same_file_as(*open_device(path, false, CacheMode::none)));
    QVERIFY(!(*device)->same_file_as(*open_device(make_file("abcdef"), false, CacheMode::none)));
    const int read_only = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    QCOMPARE(FileDevice::adopt(read_only, "given", true, CacheMode::automatic).error().kind, ErrorKind::invalid);
    QCOMPARE(fcntl(read_only, F_GETFD), -1);  // taken over, and so closed
  }

  void cacheModesHaveQemusNames() {
    QCOMPARE(cache_mode_of("none"), std::optional(CacheMode::none));
    QCOMPARE(cache_mode_of("auto"), std::optional(CacheMode::automatic));
    QCOMPARE(cache_mode_of("writethrough"), std::nullopt);
  }

 private:
  static void caches() {
    QTest::addColumn<int>("cache");
    QTest::newRow("buffered") << static_cast<int>(CacheMode::writeback);
    QTest::newRow("direct") << static_cast<int>(CacheMode::none);
    QTest::newRow("directsync") << static_cast<int>(CacheMode::directsync);
  }

  std::string make_file(std::string_view content) {
    const std::string path = dir_.file("file" + std::to_string(++files_));
    write_file(path, content);
    return path;
  }

  static std::unique_ptr<FileDevice> open_in_row(const std::string& path) {
    QFETCH(int, cache);
    return open_device(path, true, static_cast<CacheMode>(cache));
  }

  TempDir dir_;
  int files_ = 0;
  std::unique_ptr<Ring> ring_;
};

QTEST_GUILESS_MAIN(FileDeviceTest)
#include "file_device_test.moc"
