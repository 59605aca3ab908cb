// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/usage.h"

#include <QTest>

#include "tests/support/fake_machine.h"

using namespace disklathe;
using test::FakeMachine;

namespace {

const QString none;

void two_disks(FakeMachine& m) {
  m.disk("sda", "8:0");
  m.partition("sda", "sda1", "8:1");
  m.partition("sda", "sda2", "8:2");
  m.disk("sdb", "8:16");
  m.partition("sdb", "sdb1", "8:17");
}

// "kind by on chain; ..."
QString described(const Usage& usage) {
  std::string lines;
  for (const Hold& hold : usage.holds) {
    if (!lines.empty()) lines += "; ";
    lines += std::string(name_of(hold.kind)) + " " + hold.by + " on ";
    for (const std::string& name : hold.chain) lines += (&name == &hold.chain.front() ? "" : ">") + name;
  }
  return QString::fromStdString(lines);
}

}  // namespace

class UsageTest : public QObject {
  Q_OBJECT

 private slots:
  void whatStandsHighestIsReleasedFirst() {
    FakeMachine machine;
    two_disks(machine);
    machine.mapping("dm-0", "253:0", "luks-1", "CRYPT-LUKS2-x", {"sdb1"});
    machine.mapping("dm-1", "253:1", "vg-data", "LVM-abc", {"dm-0"});
    machine.mount("253:1", "/data", "ext4", "/dev/mapper/vg-data");
    const auto disks = enumerate_disks(machine.root());
    QVERIFY(disks);
    QCOMPARE(described(UsageMap(*disks, machine.root()).of("sdb")),
             QStringLiteral("mount /data on dm-1>dm-0>sdb1>sdb; lvm dm-1 on dm-0>sdb1>sdb; crypt dm-0 on sdb1>sdb"));
  }

  void freePartitionOfTheSystemDiskSaysSo() {
    FakeMachine machine;
    two_disks(machine);
    machine.mount("8:2", "/", "ext4", "/dev/sda2");
    const auto disks = enumerate_disks(machine.root());
    QVERIFY(disks);
    const UsageMap map(*disks, machine.root());
    QVERIFY(map.of("sda1").shares_system_disk);
    QVERIFY(!map.of("sda1").in_use);
    QVERIFY(!map.of("sdb1").shares_system_disk);
  }

  void membersThatAreNotActiveAreNamed_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<bool>("member");
    for (const char* type :
         {"LVM2_member", "linux_raid_member", "zfs_member", "bcache", "isw_raid_member", "ddf_raid_member"})
      QTest::newRow(type) << QString::fromLatin1(type) << true;
    for (const char* type : {"ext4", "crypto_LUKS", "swap", "vfat", "btrfs"})
      QTest::newRow(type) << QString::fromLatin1(type) << false;
  }

  void membersThatAreNotActiveAreNamed() {
    QFETCH(const QString, type);
    QFETCH(const bool, member);
    FakeMachine machine;
    two_disks(machine);
    machine.content("sdb1", type.toStdString(), "name");
    const auto disks = enumerate_disks(machine.root());
    QVERIFY(disks);
    const Usage usage = UsageMap(*disks, machine.root()).of("sdb");
    QVERIFY(!usage.in_use);
    QCOMPARE(described(usage), member ? QStringLiteral("member name on sdb1>sdb") : none);
  }

  void activeMemberIsToldOnce() {
    FakeMachine machine;
    two_disks(machine);
    machine.content("sdb1", "LVM2_member", "");
    machine.mapping("dm-0", "253:0", "vg-data", "LVM-abc", {"sdb1"});
    const auto disks = enumerate_disks(machine.root());
    QVERIFY(disks);
    QCOMPARE(described(UsageMap(*disks, machine.root()).of("sdb1")), QStringLiteral("lvm dm-0 on sdb1"));
  }

  void partsOfOneBtrfsAreMembers() {
    FakeMachine machine;
    two_disks(machine);
    machine.content("sda2", "btrfs", "pool");
    machine.content("sdb1", "btrfs", "pool");
    const auto disks = enumerate_disks(machine.root());
    QVERIFY(disks);
    QCOMPARE(described(UsageMap(*disks, machine.root()).of("sdb1")), QStringLiteral("member pool on sdb1"));
  }

  void importedPoolHoldsItsMembers() {
    FakeMachine machine;
    two_disks(machine);
    machine.content("sdb1", "zfs_member", "tank");
    machine.write("/proc/spl/kstat/zfs/tank/state", "ONLINE\n");
    const auto disks = enumerate_disks(machine.root());
    QVERIFY(disks);
    QCOMPARE(described(UsageMap(*disks, machine.root()).of("sdb")), QStringLiteral("zfs tank on sdb1>sdb"));
  }

  void mountThatTwoTablesShowIsToldOnce() {
    FakeMachine machine;
    two_disks(machine);
    machine.mount("8:17", "/data", "ext4", "/dev/sdb1");
    machine.mount_of_first_process("8:17", "/data", "ext4", "/dev/sdb1");
    const auto disks = enumerate_disks(machine.root());
    QVERIFY(disks);
    QCOMPARE(described(UsageMap(*disks, machine.root()).of("sdb1")), QStringLiteral("mount /data on sdb1"));
  }

  void unknownNameIsHeldByNothing() {
    const FakeMachine machine;
    const auto disks = enumerate_disks(machine.root());
    QVERIFY(disks);
    QVERIFY(!UsageMap(*disks, machine.root()).of("sdq").in_use);
  }
};

QTEST_GUILESS_MAIN(UsageTest)
#include "usage_test.moc"
