// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/image_export.h"

#include <fcntl.h>
#include <unistd.h>

#include <QTest>

#include "core/device/file_device.h"
#include "tests/support/counting_device.h"
#include "tests/support/memory_device.h"
#include "tests/support/memory_image.h"
#include "tests/support/qcow2_image.h"
#include "tests/support/run_task.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;
using test::run_task;

class ImageExportTest : public QObject {
  Q_OBJECT

  static constexpr uint64_t cluster = 65536;
  std::unique_ptr<Ring> ring_ = std::move(*Ring::create(RingKind::threads));

  // Cluster 0: data, 1: nothing, 2: reads as zero, 3: data.
  static std::vector<std::byte> image() {
    test::Qcow2Image made(8);
    made.set_l2(0, qcow2::entry_copied | made.cluster_offset(4));
    made.set_l2(2, 1);
    made.set_l2(3, qcow2::entry_copied | made.cluster_offset(5));
    made.fill(made.cluster_offset(4), cluster, 0x44);
    made.fill(made.cluster_offset(5), cluster, 0x55);
    return made.bytes;
  }

  static std::unique_ptr<nbd::Export> exported(BlockDevice& file, const std::string& format,
                                               ExportRequest request = {}) {
    auto opened = test::open_image(file, format);
    return std::move(*make_export(std::move(*opened), request));
  }

  static std::vector<nbd::Run> map_all(nbd::Access& access, uint64_t size, nbd::Look look = nbd::Look::at_files) {
    std::vector<nbd::Run> runs;
    for (uint64_t at = 0; at < size; at = runs.back().range.end()) {
      if (!access.map({at, size - at}, look, nbd::max_runs, runs)) break;
    }
    return runs;
  }

 private slots:
  // Written by a program that asks for no lock: what was found out before is not told to anybody any more.
  void aFileThatIsWrittenToMeanwhileIsAskedAnew() {
    test::TempDir folder{test::TempDir::Where::memory};
    const std::string path = folder.file("plain.raw");
    test::write_file(path, {});
    QCOMPARE(truncate(path.c_str(), 4 << 20), 0);
    FileOpener opener;
    opener.open = [](const std::string& name) -> Result<std::unique_ptr<BlockDevice>> {
      return FileDevice::open({.path = name});
    };
    auto opened = Image::open({.path = path, .format = "raw"}, opener);
    const auto made = std::move(*make_export(std::move(*opened), {}));
    QVERIFY(map_all(*made->access(), 4 << 20).front().zero);
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    QCOMPARE(pwrite(fd, "x", 1, 1 << 20), ssize_t{1});
    close(fd);
    const auto runs = map_all(*made->access(), 4 << 20);
    QVERIFY(std::ranges::any_of(runs, [](const nbd::Run& run) { return !run.zero && run.range.contains(1 << 20); }));
    QCOMPARE(truncate(path.c_str(), 1 << 20), 0);
    std::vector<nbd::Run> past;
    QVERIFY(!made->access()->map({2 << 20, 4096}, nbd::Look::at_files, nbd::max_runs, past));
  }

  void theMapTellsZeroesAndDepths() {
    test::MemoryDevice file(image());
    const auto made = exported(file, "qcow2");
    const auto runs = map_all(*made->access(), made->info().size);
    QCOMPARE(runs.size(), size_t{4});
    const auto is = [&](size_t i, bool zero, uint32_t depth) { return runs[i].zero == zero && runs[i].depth == depth; };
    QVERIFY(is(0, false, 1) && is(1, true, 0) && is(2, true, 1) && is(3, false, 1));
  }

  // Each time anew: who goes through a disk extent by extent would never come to its end.
  void theFileOfWhatMayChangeIsNotAskedForHoles() {
    test::MemoryDevice memory(image());
    test::CountingDevice file(memory);
    const auto made = exported(file, "qcow2", {.changes = true});
    const auto runs = map_all(*made->access(), made->info().size);
    QCOMPARE(runs.size(), size_t{4});
    QCOMPARE(file.looks(), size_t{0});
    const auto kept = exported(file, "qcow2");
    map_all(*kept->access(), kept->info().size);
    QVERIFY(file.looks() > 0);
  }

  void readsFillEverythingWhateverWasThere() {
    test::MemoryDevice file(image());
    const auto made = exported(file, "qcow2");
    const auto access = made->access();
    std::vector<std::byte> got(3 * cluster, std::byte{0xee});
    QVERIFY(run_task(*ring_, access->read(*ring_, cluster / 2, got)).has_value());
    QCOMPARE(got[0], std::byte{0x44});
    QCOMPARE(got[cluster / 2], std::byte{0});
    QCOMPARE(got[2 * cluster + cluster / 2 - 1], std::byte{0});
    QCOMPARE(got[2 * cluster + cluster / 2], std::byte{0x55});
  }

  void aPartBeginsAtZero() {
    test::MemoryDevice file(image());
    const auto made = exported(file, "qcow2", {.part = {3 * cluster - 10, 20}});
    QCOMPARE(made->info().size, uint64_t{20});
    const auto access = made->access();
    const auto runs = map_all(*access, 20);
    QCOMPARE(runs.size(), size_t{2});
    QCOMPARE(runs[0].range, (Range{0, 10}));
    QCOMPARE(runs[1].range, (Range{10, 10}));
    std::vector<std::byte> got(20);
    QVERIFY(run_task(*ring_, access->read(*ring_, 0, got)).has_value());
    QCOMPARE(got[9], std::byte{0});
    QCOMPARE(got[10], std::byte{0x55});
  }

  void aPartMustLieInsideTheDisk() {
    test::MemoryDevice file(image());
    for (const Range part : {Range{4 * cluster + 1, 0}, Range{0, 4 * cluster + 1}, Range{UINT64_MAX, 2}}) {
      auto opened = test::open_image(file, "qcow2");
      const auto made = make_export(std::move(*opened), {.part = part});
      QVERIFY(!made && made.error().kind == ErrorKind::invalid);
    }
  }

  void whatIsNotOpenForChangesIsNotWritten() {
    test::MemoryDevice file(image());
    auto opened = test::open_image(file, "qcow2");
    const auto made = make_export(std::move(*opened), {.writable = true});
    QVERIFY(!made && made.error().kind == ErrorKind::unsupported);
  }

  void bytesThatMayChangeAreNeverPassedOnFromTheFile() {
    const test::TempDir folder(test::TempDir::Where::memory);
    test::write_file(folder.file("a.raw"), std::string(100000, 'x'));
    const auto open = [&](ExportRequest request) {
      auto device = FileDevice::open({.path = folder.file("a.raw"), .writable = request.writable});
      FileOpener opener;
      opener.open = [&](const std::string&) -> Result<std::unique_ptr<BlockDevice>> { return std::move(*device); };
      auto image = Image::open({.path = "a.raw", .format = "raw"}, opener);
      return std::move(*make_export(std::move(*image), request));
    };
    const auto fd_of = [&](const std::unique_ptr<nbd::Export>& made) { return map_all(*made->access(), 100000)[0].fd; };
    QVERIFY(fd_of(open({})) >= 0);
    QCOMPARE(fd_of(open({.changes = true})), -1);
    QCOMPARE(fd_of(open({.writable = true})), -1);
  }
};

QTEST_GUILESS_MAIN(ImageExportTest)
#include "image_export_test.moc"
