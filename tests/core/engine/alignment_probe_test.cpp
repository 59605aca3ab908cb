// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/alignment_probe.h"

#include <QTest>

#include "tests/support/temp_dir.h"

using namespace disklathe;
using test::TempDir;

class AlignmentProbeTest : public QObject {
  Q_OBJECT

 private slots:
  // Both are at or above what the device takes, so the buffer that the caller has is the one the kernel gets.
  void noBufferThatTheDeviceTakesIsCopied() {
    auto device = open(TempDir::Where::disk, CacheMode::none);
    if (!device) QSKIP("no direct I/O where temporary files are kept");
    if ((*device)->limits().min_mem_align > 512) QSKIP("the disk of temporary files wants more than 512");
    const auto runs = probe_alignment(**device, 1 << 20, 300, Stop());
    QVERIFY(runs);
    QCOMPARE((*runs)[0].alignment, 512U);
    QCOMPARE((*runs)[1].alignment, 4096U);
    for (const AlignmentRun& run : *runs) {
      QCOMPARE(run.writes, 300U);
      QCOMPARE(run.bounces, 0U);
      QVERIFY(run.seconds > 0);
    }
    QCOMPARE((*device)->bounces(), 0U);
  }

  void withoutDirectWritesThereIsNothingToProbe() {
    auto device = open(TempDir::Where::memory, CacheMode::writeback);
    QVERIFY(device);
    const auto runs = probe_alignment(**device, 1 << 20, 1, Stop());
    QVERIFY(!runs);
    QCOMPARE(runs.error().kind, ErrorKind::unsupported);
  }

 private:
  Result<std::unique_ptr<FileDevice>> open(TempDir::Where where, CacheMode cache) {
    folder_ = std::make_unique<TempDir>(where);
    test::write_file(folder_->file("scratch"), std::string(1 << 20, 'x'));
    return FileDevice::open({.path = folder_->file("scratch"), .writable = true, .cache = cache});
  }

  std::unique_ptr<TempDir> folder_;
};

QTEST_GUILESS_MAIN(AlignmentProbeTest)
#include "alignment_probe_test.moc"
