// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/raw_in_place.h"

#include <QTest>
#include <memory>

#include "tests/support/counting_device.h"
#include "tests/support/memory_device.h"
#include "tests/support/priced_device.h"
#include "tests/support/run_task.h"

using namespace disklathe;
using test::run_task;

class RawInPlaceTest : public QObject {
  Q_OBJECT

  static constexpr uint64_t mebi = 1 << 20;
  std::unique_ptr<Ring> ring_ = std::move(*Ring::create(RingKind::threads));
  std::vector<std::byte> bytes_ = std::vector<std::byte>(mebi, std::byte{7});

  static ZeroMethod method_of(const test::CountingDevice& device) { return device.zeroes().back().method; }

 private slots:
  void aFileGetsHolesUnlessItIsToKeepItsSpace() {
    test::MemoryDevice file(4 * mebi);
    test::CountingDevice counting(file);
    RawInPlace disk(counting);
    QVERIFY(run_task(*ring_, disk.zero(*ring_, {0, mebi}, false, false)).has_value());
    QCOMPARE(method_of(counting), ZeroMethod::punch);
    QVERIFY(run_task(*ring_, disk.zero(*ring_, {0, mebi}, true, false)).has_value());
    QCOMPARE(method_of(counting), ZeroMethod::write_zeroes);
  }

  void whatATargetRefusesIsNotAskedAgain() {
    test::MemoryDevice file(4 * mebi);
    file.refuse(ZeroMethod::punch);
    file.refuse(ZeroMethod::write_zeroes);
    test::CountingDevice counting(file);
    RawInPlace disk(counting);
    for (int i = 0; i < 3; ++i) QVERIFY(run_task(*ring_, disk.zero(*ring_, {0, mebi}, false, false)).has_value());
    QCOMPARE(counting.zeroes().size(), size_t{5});  // two refusals, then by writing only
    QCOMPARE(method_of(counting), ZeroMethod::buffers);
  }

  void fastZeroIsRefusedWithoutTouchingAnything() {
    test::MemoryDevice file(std::vector<std::byte>(mebi, std::byte{1}));
    file.refuse(ZeroMethod::punch);
    file.refuse(ZeroMethod::write_zeroes);
    RawInPlace disk(file);
    const auto done = run_task(*ring_, disk.zero(*ring_, {0, mebi}, false, true));
    QVERIFY(!done && done.error().kind == ErrorKind::unsupported);
    QCOMPARE(file.content(), std::vector<std::byte>(mebi, std::byte{1}));
  }

  void aDeviceIsFastOnlyOnceItWasMeasured() {
    test::PricedDevice device(1 << 30, 4096, {.write_per_byte = 1e-8, .zero_fixed = 1e-4, .zero_per_byte = 1e-10});
    RawInPlace disk(device, device);
    const auto fast = [&] { return run_task(*ring_, disk.zero(*ring_, {0, mebi}, false, true)).has_value(); };
    QVERIFY(!fast());  // nobody knows
    QVERIFY(run_task(*ring_, disk.write(*ring_, 0, bytes_)).has_value());
    QVERIFY(run_task(*ring_, disk.zero(*ring_, {0, mebi}, false, false)).has_value());
    QVERIFY(fast());
  }

  void aDeviceThatZeroesSlowerThanItWritesIsWritten() {
    test::PricedDevice device(1 << 30, 4096, {.write_per_byte = 1e-9, .zero_fixed = 1e-2, .zero_per_byte = 1e-8});
    RawInPlace disk(device, device);
    QVERIFY(run_task(*ring_, disk.write(*ring_, 0, bytes_)).has_value());
    QVERIFY(run_task(*ring_, disk.zero(*ring_, {0, mebi}, false, false)).has_value());  // the first shows it
    const size_t commands = device.commands();
    for (int i = 0; i < 5; ++i) QVERIFY(run_task(*ring_, disk.zero(*ring_, {0, mebi}, false, false)).has_value());
    QCOMPARE(device.commands(), commands);
    QVERIFY(!run_task(*ring_, disk.zero(*ring_, {0, mebi}, false, true)).has_value());
  }

  void trimmingWhatCannotBeTrimmedIsNoError() {
    test::MemoryDevice file(std::vector<std::byte>(mebi, std::byte{1}));
    file.refuse(ZeroMethod::punch);
    RawInPlace disk(file);
    QVERIFY(run_task(*ring_, disk.trim(*ring_, {0, mebi})).has_value());
    QCOMPARE(file.content(), std::vector<std::byte>(mebi, std::byte{1}));
  }
};

QTEST_GUILESS_MAIN(RawInPlaceTest)
#include "raw_in_place_test.moc"
