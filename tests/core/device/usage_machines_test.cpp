// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every way a system can stand on its disks, as trees of sysfs, mountinfo and swaps: which disks and partitions are
// the system's, and which others are in use. All that a row does not name must be neither.
#include <QTest>
#include <functional>

#include "core/device/usage.h"
#include "tests/support/fake_machine.h"

using namespace disklathe;
using test::FakeMachine;

using Build = std::function<void(FakeMachine&)>;
Q_DECLARE_METATYPE(Build)

namespace {

void two_disks(FakeMachine& m) {
  m.disk("sda", "8:0");
  m.partition("sda", "sda1", "8:1");
  m.partition("sda", "sda2", "8:2");
  m.disk("sdb", "8:16");
  m.partition("sdb", "sdb1", "8:17");
}

void stick(FakeMachine& m) {
  m.disk("sdz", "65:144", FakeMachine::usb);
  m.partition("sdz", "sdz1", "65:145");
}

// Names for which a question about usage is answered with yes, with blanks between.
QString names_where(const std::vector<Disk>& disks, const UsageMap& map, bool (*yes)(const Usage&)) {
  QStringList names;
  const auto ask = [&](const BlockNode& node) {
    if (yes(map.of(node.name))) names << QString::fromStdString(node.name);
  };
  for (const Disk& disk : disks) {
    ask(disk);
    for (const Partition& partition : disk.partitions) ask(partition);
  }
  return names.join(u' ');
}

}  // namespace

class UsageMachinesTest : public QObject {
  Q_OBJECT

 private slots:
  void systemIsRecognised_data() {
    QTest::addColumn<Build>("build");
    QTest::addColumn<QString>("system");
    QTest::addColumn<QString>("inUse");  // by something else than the system
    const auto row = [](const char* name, const Build& build, const char* system, const char* in_use = "") {
      QTest::newRow(name) << build << QString::fromLatin1(system) << QString::fromLatin1(in_use);
    };

    row(
        "root on a partition",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
        },
        "sda sda2");
    row(
        "root named /dev/root",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("8:2", "/", "ext4", "/dev/root");
        },
        "sda sda2");
    row(
        "root on a whole disk, partitions of another",
        [](FakeMachine& m) {
          m.disk("vda", "254:0", FakeMachine::virtio);
          m.disk("vdb", "254:16", FakeMachine::virtio);
          m.partition("vdb", "vdb1", "254:17");
          m.mount("254:0", "/", "ext4", "/dev/vda");
          m.mount("254:17", "/media/data", "ext4", "/dev/vdb1");
        },
        "vda", "vdb vdb1");
    row(
        "NVMe",
        [](FakeMachine& m) {
          m.disk("nvme0n1", "259:0", FakeMachine::nvme);
          m.partition("nvme0n1", "nvme0n1p1", "259:1");
          m.partition("nvme0n1", "nvme0n1p2", "259:2");
          m.partition("nvme0n1", "nvme0n1p3", "259:3");
          stick(m);
          m.mount("259:2", "/", "xfs", "/dev/nvme0n1p2");
          m.mount("259:1", "/boot/efi", "vfat", "/dev/nvme0n1p1");
        },
        "nvme0n1 nvme0n1p1 nvme0n1p2");
    row(
        "NVMe behind several paths",
        [](FakeMachine& m) {
          m.disk("nvme0n1", "259:0", "virtual/nvme-subsystem/nvme-subsys0");
          m.disk("nvme0c0n1", "259:8", FakeMachine::nvme);
          m.attribute("nvme0c0n1", "hidden", "1");
          m.partition("nvme0n1", "nvme0n1p1", "259:1");
          m.mount("259:1", "/", "ext4", "/dev/nvme0n1p1");
        },
        "nvme0n1 nvme0n1p1");
    row(
        "eMMC with its boot areas",
        [](FakeMachine& m) {
          m.disk("mmcblk0", "179:0", FakeMachine::mmc);
          m.disk("mmcblk0boot0", "179:8", FakeMachine::mmc);
          m.partition("mmcblk0", "mmcblk0p1", "179:1");
          m.partition("mmcblk0", "mmcblk0p2", "179:2");
          m.mount("179:2", "/", "ext4", "/dev/mmcblk0p2");
          m.mount("179:1", "/boot/firmware", "vfat", "/dev/mmcblk0p1");
        },
        "mmcblk0 mmcblk0p1 mmcblk0p2");
    row(
        "LVM on LUKS on a partition",
        [](FakeMachine& m) {
          two_disks(m);
          m.mapping("dm-0", "253:0", "luks-1", "CRYPT-LUKS2-x", {"sda2"});
          m.mapping("dm-1", "253:1", "vg-root", "LVM-abc", {"dm-0"});
          m.mapping("dm-2", "253:2", "vg-swap", "LVM-def", {"dm-0"});
          m.mount("253:1", "/", "ext4", "/dev/mapper/vg-root");
          m.mount("8:1", "/boot", "ext4", "/dev/sda1");
          m.swap("/dev/dm-2");
        },
        "dm-0 dm-1 dm-2 sda sda1 sda2");
    row(
        "LVM over two disks",
        [](FakeMachine& m) {
          two_disks(m);
          stick(m);
          m.mapping("dm-0", "253:0", "vg-root", "LVM-abc", {"sda2", "sdb1"});
          m.mount("253:0", "/", "ext4", "/dev/mapper/vg-root");
        },
        "dm-0 sda sda2 sdb sdb1");
    row(
        "thin LVM with a snapshot's chain",
        [](FakeMachine& m) {
          two_disks(m);
          m.mapping("dm-0", "253:0", "vg-pool_tmeta", "LVM-a-tmeta", {"sdb1"});
          m.mapping("dm-1", "253:1", "vg-pool_tdata", "LVM-b-tdata", {"sda2"});
          m.mapping("dm-2", "253:2", "vg-pool-tpool", "LVM-c-tpool", {"dm-0", "dm-1"});
          m.mapping("dm-3", "253:3", "vg-root", "LVM-d", {"dm-2"});
          m.mount("253:3", "/", "ext4", "/dev/mapper/vg-root");
        },
        "dm-0 dm-1 dm-2 dm-3 sda sda2 sdb sdb1");
    row(
        "md raid1 over two disks",
        [](FakeMachine& m) {
          two_disks(m);
          m.disk("md127", "9:127", FakeMachine::kernel);
          m.attribute("md127", "md/level", "raid1");
          m.stack("md127", {"sda2", "sdb1"});
          m.mount("9:127", "/", "ext4", "/dev/md127");
        },
        "md127 sda sda2 sdb sdb1");
    row(
        "md on whole disks, with partitions of its own",
        [](FakeMachine& m) {
          two_disks(m);
          m.disk("md0", "9:0", FakeMachine::kernel);
          m.attribute("md0", "md/level", "raid1");
          m.partition("md0", "md0p1", "259:0");
          m.stack("md0", {"sda", "sdb"});
          m.mount("259:0", "/", "ext4", "/dev/md0p1");
        },
        // Partitions seen on a member lie inside what the array holds.
        "md0 md0p1 sda sda1 sda2 sdb sdb1");
    row(
        "btrfs over two disks",
        [](FakeMachine& m) {
          two_disks(m);
          stick(m);
          m.btrfs("11-22", {"sda2", "sdb1"});
          m.btrfs("33-44", {"sdz1"});
          m.mount("0:30", "/", "btrfs", "/dev/sda2", "rw,subvol=/@");
          m.mount("0:31", "/media/stick", "btrfs", "/dev/sdz1");
        },
        "sda sda2 sdb sdb1", "sdz sdz1");
    row(
        "btrfs as /dev/root",
        [](FakeMachine& m) {
          two_disks(m);
          m.btrfs("11-22", {"sda2", "sdb1"});
          m.mount("0:30", "/", "btrfs", "/dev/root");
        },
        "sda sda2 sdb sdb1");
    row(
        "btrfs on LUKS",
        [](FakeMachine& m) {
          two_disks(m);
          m.mapping("dm-0", "253:0", "root", "CRYPT-LUKS2-x", {"sda2"});
          m.btrfs("11-22", {"dm-0"});
          m.mount("0:30", "/", "btrfs", "/dev/mapper/root");
        },
        "dm-0 sda sda2");
    row(
        "ZFS root over two disks",
        [](FakeMachine& m) {
          two_disks(m);
          stick(m);
          m.content("sda2", "zfs_member", "rpool");
          m.content("sdb1", "zfs_member", "rpool");
          m.content("sdz1", "zfs_member", "backup");
          m.write("/proc/spl/kstat/zfs/rpool/state", "ONLINE\n");
          m.mount("0:30", "/", "zfs", "rpool/ROOT/debian");
        },
        "sda sda2 sdb sdb1");
    row(
        "ZFS root whose members nobody may read: all that is not known",
        [](FakeMachine& m) {
          two_disks(m);
          m.content("sdb1", "ext4", "data");
          m.mount("0:30", "/", "zfs", "rpool/ROOT/debian");
        },
        "sda sda1 sda2 sdb");
    row(
        "swap on a ZFS volume",
        [](FakeMachine& m) {
          two_disks(m);
          m.content("sdb1", "zfs_member", "tank");
          m.write("/proc/spl/kstat/zfs/tank/state", "ONLINE\n");
          m.disk("zd0", "230:0", FakeMachine::kernel);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.swap("/dev/zd0");
        },
        "sda sda2 sdb sdb1 zd0");
    row(
        "bcache",
        [](FakeMachine& m) {
          two_disks(m);
          m.disk("bcache0", "252:0", FakeMachine::kernel);
          m.attribute("sda2", "bcache/state", "dirty");
          m.attribute("sdb1", "bcache/set", "x");
          m.stack("bcache0", {"sda2", "sdb1"});
          m.mount("252:0", "/", "ext4", "/dev/bcache0");
        },
        "bcache0 sda sda2 sdb sdb1");
    row(
        "multipath",
        [](FakeMachine& m) {
          const std::string fc = "pci0000:00/0000:05:00.0/host1/rport-1:0-0/target1:0:0/1:0:0:0/block";
          m.disk("sda", "8:0", fc);
          m.disk("sdb", "8:16", fc);
          m.disk("sdc", "8:32", fc);
          m.mapping("dm-0", "253:0", "mpatha", "mpath-3600", {"sda", "sdb"});
          m.mapping("dm-1", "253:1", "mpatha-part1", "part1-mpath-3600", {"dm-0"});
          m.mount("253:1", "/", "ext4", "/dev/mapper/mpatha-part1");
        },
        "dm-0 dm-1 sda sdb");
    row(
        "root on a loop device",
        [](FakeMachine& m) {
          two_disks(m);
          m.loop("loop0", "7:0", "/host/ubuntu/root.disk");
          m.mount("8:1", "/host", "fuseblk", "/dev/sda1");
          m.mount("7:0", "/", "ext4", "/dev/loop0");
        },
        "loop0 sda sda1");
    row(
        "live medium: overlay over squashfs on a stick",
        [](FakeMachine& m) {
          two_disks(m);
          stick(m);
          m.loop("loop0", "7:0", "/run/live/medium/live/filesystem.squashfs");
          m.mount("65:145", "/run/live/medium", "iso9660", "/dev/sdz1");
          m.mount("7:0", "/run/live/rootfs", "squashfs", "/dev/loop0");
          m.mount("0:40", "/cow", "tmpfs", "tmpfs");
          m.mount("0:41", "/", "overlay", "overlay", "rw,lowerdir=/run/live/rootfs,upperdir=/cow/rw,workdir=/cow/work");
        },
        "loop0 sdz sdz1");
    row(
        "live medium whose layers are out of sight: all that is mounted",
        [](FakeMachine& m) {
          two_disks(m);
          stick(m);
          m.mount("65:145", "/media/medium", "iso9660", "/dev/sdz1");
          m.mount("0:41", "/", "overlay", "overlay", "rw,lowerdir=/lower,upperdir=/up,workdir=/work");
        },
        "sdz sdz1");
    row(
        "overlay root over the disk, layers added one by one",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("8:2", "/media/root-ro", "ext4", "/dev/sda2");
          m.mount("0:40", "/media/root-rw", "tmpfs", "tmpfs");
          m.mount("0:41", "/", "overlay", "overlay",
                  "rw,lowerdir+=/media/root-ro/a,lowerdir+=/media/root-ro/b,upperdir=/media/root-rw/up");
        },
        "sda sda2");
    row(
        "image-based system: overlay over /sysroot",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("0:41", "/", "overlay", "composefs",
                  "ro,lowerdir=/run/ostree/.private/cfsroot-lower::/sysroot/ostree/repo/objects");
          m.mount("0:42", "/run", "tmpfs", "tmpfs");
          m.mount("8:2", "/sysroot", "ext4", "/dev/sda2");
        },
        "sda sda2");
    row(
        "/boot on another disk",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.mount("8:17", "/boot", "ext4", "/dev/sdb1");
        },
        "sda sda2 sdb sdb1");
    row(
        "/boot/efi alone on another disk",
        [](FakeMachine& m) {
          two_disks(m);
          stick(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.mount("0:33", "/boot/efi", "autofs", "systemd-1");
          m.mount("8:17", "/boot/efi", "vfat", "/dev/sdb1");
          m.mount("65:145", "/media/stick", "vfat", "/dev/sdz1");
        },
        "sda sda2 sdb sdb1", "sdz sdz1");
    row(
        "overlay root with data-only layers",
        [](FakeMachine& m) {
          two_disks(m);
          stick(m);
          m.mount("8:2", "/objects", "ext4", "/dev/sda2");
          m.mount("0:40", "/tmp", "tmpfs", "tmpfs");
          m.mount("65:145", "/media/stick", "vfat", "/dev/sdz1");
          m.mount("0:41", "/", "overlay", "overlay", "ro,lowerdir+=/tmp/lower,datadir+=/objects");
        },
        "sda sda2", "sdz sdz1");
    row(
        "file system on a whole disk that has partitions from before",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.mount("8:16", "/data", "ext4", "/dev/sdb");
        },
        "sda sda2", "sdb sdb1");
    row(
        "/usr separate, data elsewhere",
        [](FakeMachine& m) {
          two_disks(m);
          stick(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.mount("8:17", "/usr", "ext4", "/dev/sdb1");
          m.mount("65:145", "/usr-data", "ext4", "/dev/sdz1");
        },
        "sda sda2 sdb sdb1", "sdz sdz1");
    row(
        "/home on another disk",
        [](FakeMachine& m) {
          two_disks(m);
          stick(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.mount("8:17", "/home", "ext4", "/dev/sdb1");
          m.mount("65:145", "/home/me/stick", "vfat", "/dev/sdz1");
        },
        "sda sda2 sdb sdb1", "sdz sdz1");
    row(
        "swap on a different disk",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.swap("/dev/sdb1");
        },
        "sda sda2 sdb sdb1");
    row(
        "swap file",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.mount("8:17", "/data", "ext4", "/dev/sdb1");
          m.swap("/data/swap\\040file", "file");
        },
        "sda sda2 sdb sdb1");
    row(
        "swap on a randomly keyed mapping",
        [](FakeMachine& m) {
          two_disks(m);
          m.mapping("dm-0", "253:0", "cryptswap", "CRYPT-PLAIN-x", {"sdb1"});
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.swap("/dev/dm-0");
        },
        "dm-0 sda sda2 sdb sdb1");
    row(
        "hibernation image where nothing swaps now",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.write("/sys/power/resume", "8:17\n");
        },
        "sda sda2 sdb sdb1");
    row(
        "no hibernation",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.write("/sys/power/resume", "0:0\n");
        },
        "sda sda2");
    row(
        "zram swap that writes back to a disk",
        [](FakeMachine& m) {
          two_disks(m);
          m.disk("zram0", "251:0", FakeMachine::kernel);
          m.attribute("zram0", "backing_dev", "/dev/sdb1");
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.swap("/dev/zram0");
        },
        "sda sda2 sdb sdb1 zram0");
    row(
        "zram swap",
        [](FakeMachine& m) {
          two_disks(m);
          m.disk("zram0", "251:0", FakeMachine::kernel);
          m.attribute("zram0", "backing_dev", "none");
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.swap("/dev/zram0");
        },
        "sda sda2 zram0");
    row(
        "XFS with its log on another disk",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("8:2", "/", "xfs", "/dev/sda2", "rw,attr2,logdev=/dev/sdb1,noquota");
        },
        "sda sda2 sdb sdb1");
    row(
        "bcachefs over two disks",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("0:30", "/", "bcachefs", "/dev/sda2:/dev/sdb1");
        },
        "sda sda2 sdb sdb1");
    row(
        "USB stick not in use",
        [](FakeMachine& m) {
          two_disks(m);
          stick(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
        },
        "sda sda2");
    row(
        "USB stick mounted by a desktop",
        [](FakeMachine& m) {
          two_disks(m);
          stick(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.mount("65:145", "/media/me/MY\\040STICK", "vfat", "/dev/sdz1");
        },
        "sda sda2", "sdz sdz1");
    row(
        "system on a USB stick",
        [](FakeMachine& m) {
          two_disks(m);
          stick(m);
          m.mount("65:145", "/", "ext4", "/dev/sdz1");
        },
        "sdz sdz1");
    row(
        "empty card reader and drive",
        [](FakeMachine& m) {
          two_disks(m);
          m.disk("sdc", "8:32", FakeMachine::usb, 0);
          m.disk("sr0", "11:0", FakeMachine::sata, 0);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
        },
        "sda sda2");
    row(
        "mounted CD",
        [](FakeMachine& m) {
          two_disks(m);
          m.disk("sr0", "11:0");
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.mount("11:0", "/media/cdrom0", "iso9660", "/dev/sr0");
        },
        "sda sda2", "sr0");
    row(
        "RAM disk as root",
        [](FakeMachine& m) {
          two_disks(m);
          m.disk("ram0", "1:0", FakeMachine::kernel);
          m.mount("1:0", "/", "ext2", "/dev/ram0");
        },
        "ram0");
    row(
        "root over nbd",
        [](FakeMachine& m) {
          two_disks(m);
          m.disk("nbd0", "43:0", FakeMachine::kernel);
          m.partition("nbd0", "nbd0p1", "43:1");
          m.mount("43:1", "/", "ext4", "/dev/nbd0p1");
        },
        "nbd0 nbd0p1");
    row(
        "root over the network: no disk is the system's",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("0:50", "/", "nfs4", "server:/export/root");
          m.mount("8:17", "/scratch", "ext4", "/dev/sdb1");
        },
        "", "sdb sdb1");
    row(
        "system in the initramfs",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("0:2", "/", "rootfs", "rootfs");
        },
        "");
    row(
        "in a private mount namespace: what the first process sees counts",
        [](FakeMachine& m) {
          two_disks(m);
          stick(m);
          m.mount("65:145", "/", "ext4", "/dev/sdz1");
          m.mount_of_first_process("8:2", "/", "ext4", "/dev/sda2");
          m.mount_of_first_process("8:17", "/boot", "ext4", "/dev/sdb1");
        },
        "sda sda2 sdb sdb1 sdz sdz1");
    row(
        "data on a loop device on a data disk",
        [](FakeMachine& m) {
          two_disks(m);
          m.loop("loop3", "7:3", "/data/image.raw");
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.mount("8:17", "/data", "ext4", "/dev/sdb1");
        },
        // A loop device that nothing uses is free to be written.
        "sda sda2", "sdb sdb1");
    row(
        "loop device on a partition, its file removed",
        [](FakeMachine& m) {
          two_disks(m);
          m.loop("loop3", "7:3", "/dev/sdb1");
          m.loop("loop4", "7:4", "/tmp/gone (deleted)");
          m.mount("8:2", "/", "ext4", "/dev/sda2");
        },
        "sda sda2", "sdb sdb1");
    row(
        "a holder that is not listed",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.write("/sys/devices/" + FakeMachine::sata + "/sdb/sdb1/holders/drbd0", "");
        },
        "sda sda2", "sdb sdb1");
    row(
        "bcache device that is registered and has no cache yet",
        [](FakeMachine& m) {
          two_disks(m);
          m.mount("8:2", "/", "ext4", "/dev/sda2");
          m.attribute("sdb1", "bcache/state", "no cache");
        },
        "sda sda2", "sdb sdb1");
  }

  void systemIsRecognised() {
    QFETCH(const Build, build);
    QFETCH(const QString, system);
    QFETCH(const QString, inUse);
    FakeMachine machine;
    build(machine);
    const auto disks = enumerate_disks(machine.root());
    QVERIFY(disks);
    const UsageMap map(*disks, machine.root());
    QCOMPARE(names_where(*disks, map, [](const Usage& usage) { return usage.system; }), system);
    QCOMPARE(names_where(*disks, map, [](const Usage& usage) { return usage.in_use && !usage.system; }), inUse);
  }
};

QTEST_GUILESS_MAIN(UsageMachinesTest)
#include "usage_machines_test.moc"
