// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/after_write.h"

#include <fcntl.h>
#include <unistd.h>

#include <QTest>

#include "tests/support/fake_machine.h"
#include "tests/support/loop_device.h"

using namespace disklathe;
using test::FakeMachine;
using test::LoopDevice;

class AfterWriteTest : public QObject {
  Q_OBJECT

 private slots:
  void whatMayAnswerForTheMediumDependsOnTheKindOfDevice() {
    FakeMachine machine;
    machine.disk("sda", "8:0");
    machine.loop("loop0", "7:0", "/x");
    machine.attribute("loop0", "loop/dio", "0");
    machine.loop("loop1", "7:1", "/x");
    machine.attribute("loop1", "loop/dio", "1");
    machine.disk("zram0", "252:0", FakeMachine::kernel);
    machine.disk("nbd0", "43:0", FakeMachine::kernel);
    machine.mapping("dm-0", "253:0", "vg-x", "LVM-x", {"sda"});
    const auto disks = enumerate_disks(machine.root());
    QVERIFY(disks);
    const auto of = [&](const std::string& name) {
      return cache_left(*std::ranges::find(*disks, name, &Disk::name), machine.root());
    };
    QCOMPARE(of("sda"), CacheLeft::device);
    QCOMPARE(of("dm-0"), CacheLeft::device);
    QCOMPARE(of("loop0"), CacheLeft::backing_file);
    QCOMPARE(of("loop1"), CacheLeft::device);
    QCOMPARE(of("zram0"), CacheLeft::memory);
    QCOMPARE(of("nbd0"), CacheLeft::server);
  }

  void aDiskIsLookedAtAnewUnlessAPartitionIsInUse() {
    test::write_file(folder_.file("disk"), std::string(8 << 20, '\0'));
    const auto loop = LoopDevice::attach(folder_.file("disk"), 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    const int fd = open(loop->path().c_str(), O_RDWR | O_EXCL | O_CLOEXEC);
    QVERIFY(fd >= 0);
    QCOMPARE(reread_partition_table(fd), TableReread::done);
    close(fd);
  }

  void aFileHasNoPartitions() {
    test::write_file(folder_.file("file"), "x");
    const int fd = open(folder_.file("file").c_str(), O_RDONLY | O_CLOEXEC);
    QCOMPARE(reread_partition_table(fd), TableReread::none);
    close(fd);
  }

 private:
  test::TempDir folder_{test::TempDir::Where::memory};
};

QTEST_GUILESS_MAIN(AfterWriteTest)
#include "after_write_test.moc"
