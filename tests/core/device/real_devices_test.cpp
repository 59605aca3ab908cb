// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the fake machines claim, asked of this kernel: loop devices with partitions, mounts, holders. Needs root.
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/sysmacros.h>

#include <unistd.h>

#include <QFile>
#include <QTest>
#include <algorithm>

#include "core/device/enumerate.h"
#include "core/device/usage.h"
#include "tests/support/loop_device.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/zram_device.h"

using namespace disklathe;
using test::LoopDevice;
using test::run_program;

namespace {

const Disk* find(const std::vector<Disk>& disks, const std::string& name) {
  const auto found = std::ranges::find(disks, name, &Disk::name);
  return found == disks.end() ? nullptr : &*found;
}

QString first_hold(const std::string& name) {
  const auto disks = enumerate_disks();
  if (!disks) return {};
  const Usage usage = UsageMap(*disks).of(name);
  if (usage.holds.empty()) return {};
  const Hold& hold = usage.holds.front();
  return QString::fromStdString(std::string(name_of(hold.kind)) + " " + hold.by + (hold.system ? " system" : ""));
}

}  // namespace

class RealDevicesTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    QFile::remove(QString::fromStdString(backing_));
    test::write_file(backing_, "");
    QVERIFY(truncate(backing_.c_str(), 64 << 20) == 0);
  }

  void partitionsOnALoopDeviceWithTheirContent() {
    const auto loop = LoopDevice::attach(backing_, 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    // partx: not every kernel reads partition tables itself.
    const auto table = run_program({"sh", "-c",
                                    "printf 'label: gpt\\n,16MiB\\n,20MiB\\n' | sfdisk -q --no-tell-kernel $0 && "
                                    "partx -u $0 && mke2fs -q -F -L 'my root' $0p2",
                                    loop->path()});
    QCOMPARE(table.errors, std::string());
    const auto disks = enumerate_disks();
    QVERIFY(disks);
    const Disk* disk = find(*disks, loop->name());
    QVERIFY(disk);
    QCOMPARE(disk->size, 64ULL << 20);
    QCOMPARE(disk->bus, Bus::loop);
    QCOMPARE(disk->backing, backing_);
    QCOMPARE(disk->id, loop->name() + ":67108864");
    QCOMPARE(disk->content.table_type, std::string("gpt"));
    QCOMPARE(disk->partitions.size(), 2ULL);
    QCOMPARE(disk->partitions[0].start, 1ULL << 20);
    QCOMPARE(disk->partitions[0].size, 16ULL << 20);
    QCOMPARE(disk->partitions[1].content.type, std::string("ext2"));
    QCOMPARE(disk->partitions[1].content.label, std::string("my root"));
    QVERIFY(!UsageMap(*disks).of(loop->name()).in_use);
  }

  void ofABlankDeviceNothingIsKnown() {
    const auto loop = LoopDevice::attach(backing_, 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    const auto disks = enumerate_disks();
    const Disk* disk = disks ? find(*disks, loop->name()) : nullptr;
    QVERIFY(disk);
    QVERIFY(disk->content.source == ContentSource::blkid);
    QCOMPARE(disk->content.type, std::string());
  }

  void mountedLoopDeviceAndTheDiskUnderIt() {
    const auto loop = LoopDevice::attach(backing_, 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    QCOMPARE(run_program({"mke2fs", "-q", "-F", loop->path()}).errors, std::string());
    const test::TempDir place;
    if (mount(loop->path().c_str(), place.path().c_str(), "ext2", MS_RDONLY, nullptr) != 0 &&
        mount(loop->path().c_str(), place.path().c_str(), "ext4", MS_RDONLY, nullptr) != 0)
      QSKIP("this place allows no mounts");
    const QString held = first_hold(loop->name());
    umount(place.path().c_str());
    QCOMPARE(held, QString::fromStdString("mount " + place.path()));
    QCOMPARE(first_hold(loop->name()), QString());
  }

  void loopDeviceHoldsTheOneItsFileIsOn() {
    const auto lower = LoopDevice::attach(backing_, 512);
    const auto upper = lower ? LoopDevice::attach(lower->path(), 512) : nullptr;
    if (!upper) QSKIP(LoopDevice::why_not());
    QCOMPARE(first_hold(lower->name()), QString::fromStdString("loop " + upper->name()));
    QCOMPARE(first_hold(upper->name()), QString());
  }

  void swapOnZramIsTheSystems() {
    std::string why_not;
    const auto zram = test::ZramDevice::create(8 << 20, why_not);
    if (!zram) QSKIP(why_not.c_str());
    QVERIFY(run_program({"mkswap", zram->node()}).status == 0);
    if (swapon(zram->node().c_str(), 0) != 0) QSKIP("this place allows no swapping");
    const QString held = first_hold(zram->name());
    swapoff(zram->node().c_str());
    QCOMPARE(held, QString::fromStdString("swap " + zram->node() + " system"));
    QCOMPARE(first_hold(zram->name()), QString());
  }

  void whatRootIsOnIsTheSystems() {
    struct stat root{};
    QCOMPARE(stat("/", &root), 0);
    if (major(root.st_dev) == 0) QSKIP("/ is on no block device of its own");
    const auto disks = enumerate_disks();
    QVERIFY(disks);
    const UsageMap map(*disks);
    const std::string name = StorageGraph(*disks).device_of_number(root.st_dev);
    QVERIFY(map.of(name).system);
  }

 private:
  test::TempDir folder_;
  std::string backing_ = folder_.file("disk");
};

QTEST_GUILESS_MAIN(RealDevicesTest)
#include "real_devices_test.moc"
