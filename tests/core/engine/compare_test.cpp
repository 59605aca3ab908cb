// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/compare.h"

#include <QTest>

#include "tests/support/counting_device.h"
#include "tests/support/faulty_device.h"
#include "tests/support/memory_device.h"
#include "tests/support/memory_image.h"

using namespace disklathe;
using test::MemoryDevice;

class CompareTest : public QObject {
  Q_OBJECT

  static Result<std::optional<Difference>> run(BlockDevice& a, BlockDevice& b, bool strict = false) {
    auto left = test::open_image(a, "raw");
    auto right = test::open_image(b, "raw");
    Progress progress;
    const Stop stop;
    return compare(**left, **right, {.strict = strict}, progress, stop);
  }

 private slots:
  void aSingleByteIsFoundWhereverItIs() {
    const std::vector<std::byte> bytes(3 << 20, std::byte{9});
    for (size_t at : {0uz, 1uz, 4095uz, 1000000uz, bytes.size() - 1}) {
      MemoryDevice a(bytes), b(bytes);
      b.content()[at] = std::byte{8};
      auto difference = run(a, b);
      QVERIFY(difference && *difference);
      QCOMPARE((*difference)->offset, at);
    }
  }

  void theFirstOfManyDifferencesIsReported() {
    const std::vector<std::byte> bytes(4 << 20, std::byte{9});
    for (int round = 0; round < 10; ++round) {
      MemoryDevice a(bytes), b(bytes);
      for (size_t at = 1234567; at < bytes.size(); at += 4096) b.content()[at] = std::byte{1};
      QCOMPARE((*run(a, b))->offset, 1234567u);
    }
  }

  void holesAndWrittenZeroesAreEqual() {
    MemoryDevice hole(1 << 20), written(std::vector<std::byte>(1 << 20));
    QVERIFY(run(hole, written) && !*run(hole, written));
  }

  void dataAgainstAHoleDiffers() {
    MemoryDevice hole(1 << 20), written(std::vector<std::byte>(1 << 20));
    written.content()[777777] = std::byte{1};
    QCOMPARE((*run(hole, written))->offset, 777777u);
    QCOMPARE((*run(written, hole))->offset, 777777u);
  }

  void theRestOfTheLongerOneMustBeZero() {
    std::vector<std::byte> bytes(1 << 20, std::byte{1});
    MemoryDevice shorter(bytes);
    bytes.resize(2 << 20);
    MemoryDevice longer(bytes);
    QVERIFY(!*run(shorter, longer));
    QVERIFY(*run(shorter, longer, true));
    longer.content()[(1 << 20) + 5] = std::byte{1};
    QCOMPARE((*run(shorter, longer))->offset, (1u << 20) + 5);
  }

  void twoHolesAreNotRead() {
    MemoryDevice a(64 << 20), b(64 << 20);
    test::CountingDevice counted(a);
    QVERIFY(!*run(counted, b));
    QVERIFY(counted.bytes_read() < 8192);
  }

  void aReadErrorIsNotADifference() {
    MemoryDevice a(std::vector<std::byte>(1 << 20, std::byte{1})), b(a.content());
    test::FaultyDevice faulty(a);
    faulty.fail_at(500000, EIO);
    auto difference = run(faulty, b);
    QVERIFY(!difference);
    QCOMPARE(difference.error().kind, ErrorKind::io);
  }
};

QTEST_GUILESS_MAIN(CompareTest)
#include "compare_test.moc"
