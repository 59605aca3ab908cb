// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/enumerate.h"

#include <QTest>
#include <algorithm>

#include "core/device/system_files.h"
#include "tests/support/fake_machine.h"

using namespace disklathe;
using test::FakeMachine;

namespace {

std::vector<Disk> disks_of(const FakeMachine& machine) {
  return enumerate_disks(machine.root()).value_or(std::vector<Disk>{});
}

QString qt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

QString names_of(const std::vector<Disk>& disks) {
  std::string names;
  for (const Disk& disk : disks) {
    names += disk.name + "(";
    for (const Partition& partition : disk.partitions) names += partition.name + " ";
    names += ")";
  }
  return qt(names);
}

}  // namespace

class EnumerateTest : public QObject {
  Q_OBJECT

 private slots:
  void disksAndPartitionsComeInTheOrderAPersonCounts() {
    FakeMachine machine;
    for (const char* disk : {"sdb", "sda"}) machine.disk(disk, disk[2] == 'a' ? "8:0" : "8:16");
    for (const int index : {10, 2, 1}) {
      const std::string number = std::to_string(index);
      machine.partition("sda", "sda" + number, "8:" + number);
    }
    QCOMPARE(names_of(disks_of(machine)), qt("sda(sda1 sda2 sda10 )sdb()"));
  }

  void sizesAreInBytes() {
    FakeMachine machine;
    machine.disk("sda", "8:0", FakeMachine::sata, 16'000'900'661'248);
    machine.partition("sda", "sda1", "8:1", 1 << 20, 4096 * 1000);
    const auto disks = disks_of(machine);
    QCOMPARE(disks.at(0).size, 16'000'900'661'248ULL);
    QCOMPARE(disks.at(0).partitions.at(0).size, 4'096'000ULL);
    QCOMPARE(disks.at(0).partitions.at(0).start, 1ULL << 20);
  }

  void absurdSizeIsNone() {
    FakeMachine machine;
    machine.disk("sda", "8:0");
    machine.attribute("sda", "size", "18446744073709551615");
    QCOMPARE(disks_of(machine).at(0).size, 0ULL);
  }

  void busIsReadOffThePath_data() {
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("bus");
    const auto row = [](const char* bus, const char* name, const std::string& place) {
      QTest::addRow("%s %s", bus, place.c_str()) << qt(place) << qt(name) << qt(bus);
    };
    row("ata", "sda", FakeMachine::sata);
    row("usb", "sda", FakeMachine::usb);
    row("usb", "sda", "pci0000:00/usb2/2-1/2-1.4/2-1.4:1.0/host3/target3:0:0/3:0:0:0/block");
    row("nvme", "nvme0n1", FakeMachine::nvme);
    row("nvme", "nvme0n1", "virtual/nvme-subsystem/nvme-subsys0");
    row("nvme-of", "nvme1n1", "virtual/nvme-fabrics/ctl/nvme1");
    row("mmc", "mmcblk0", FakeMachine::mmc);
    row("virtio", "vda", FakeMachine::virtio);
    row("scsi", "sda", "pci0000:00/0000:00:05.0/virtio2/host2/target2:0:0/2:0:0:0/block");
    row("scsi", "sda", "pci0000:00/0000:00:10.0/host0/target0:2:0/0:2:0:0/block");
    row("sas", "sda", "pci0000:00/0000:02:00.0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/block");
    row("fc", "sda", "pci0000:00/0000:05:00.0/host1/rport-1:0-0/target1:0:0/1:0:0:0/block");
    row("iscsi", "sda", "platform/host3/session1/target3:0:0/3:0:0:0/block");
    row("firewire", "sda", "pci0000:00/0000:06:00.0/fw1/fw1.0/host7/target7:0:0/7:0:0:0/block");
    row("xen", "xvda", "vbd-51712/block");
    row("nvdimm", "pmem0", "LNXSYSTM:00/LNXSYBUS:00/ACPI0012:00/ndbus0/region0/namespace0.0/block");
    row("loop", "loop12", FakeMachine::kernel);
    row("zram", "zram0", FakeMachine::kernel);
    row("ram", "ram3", FakeMachine::kernel);
    row("nbd", "nbd0", FakeMachine::kernel);
    row("bcache", "bcache0", FakeMachine::kernel);
    row("virtual", "zd16", FakeMachine::kernel);
    row("unknown", "fd0", "platform/floppy.0/block");
  }

  void busIsReadOffThePath() {
    QFETCH(const QString, place);
    QFETCH(const QString, name);
    QFETCH(const QString, bus);
    FakeMachine machine;
    machine.disk(name.toStdString(), "8:0", place.toStdString());
    QCOMPARE(qt(name_of(disks_of(machine).at(0).bus)), bus);
  }

  void usbStickIsCalledByItsUsbSerial() {
    FakeMachine machine;
    machine.disk("sdz", "65:144", FakeMachine::usb);
    machine.attribute("sdz", "device/vendor", "SanDisk ");
    machine.attribute("sdz", "device/model", "Ultra           ");
    const std::string usb = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/";
    machine.write(usb + "idVendor", "0781\n");
    machine.write(usb + "serial", "4C5300012345\n");
    const Disk disk = disks_of(machine).at(0);
    QCOMPARE(qt(disk.vendor + "|" + disk.model + "|" + disk.serial), qt("SanDisk|Ultra|4C5300012345"));
    QCOMPARE(qt(disk.id), qt("4C5300012345"));
  }

  void ataDiskIsCalledByItsVpdPageAndItsWholeModel() {
    FakeMachine machine;
    machine.disk("sda", "8:0");
    machine.attribute("sda", "device/vendor", "ATA     ");
    machine.attribute("sda", "device/model", "Samsung SSD 870 ");
    machine.attribute("sda", "device/vpd_pg80", std::string_view("\0\x80\0\x10    S5Y1NX0R1234", 20));
    machine.attribute("sda", "device/wwid", "naa.5002538f4132aaaa");
    machine.udev("sda", {"ID_MODEL_ENC=Samsung\\x20SSD\\x20870\\x20EVO\\x202TB"});
    const Disk disk = disks_of(machine).at(0);
    QCOMPARE(qt(disk.vendor + "|" + disk.model + "|" + disk.serial + "|" + disk.wwn),
             qt("|Samsung SSD 870 EVO 2TB|S5Y1NX0R1234|naa.5002538f4132aaaa"));
  }

  void nvmeAndMmcAndVirtioHaveTheirOwnPlaces() {
    FakeMachine machine;
    machine.disk("nvme0n1", "259:0", FakeMachine::nvme);
    machine.attribute("nvme0n1", "device/model", "WDC PC SN730");
    machine.attribute("nvme0n1", "device/serial", "2012A1B2");
    machine.attribute("nvme0n1", "wwid", "eui.e8238fa6bf530001001b448b4566aa1a");
    machine.disk("mmcblk0", "179:0", FakeMachine::mmc);
    machine.attribute("mmcblk0", "device/name", "SC32G");
    machine.attribute("mmcblk0", "device/serial", "0x12345678");
    machine.disk("vda", "254:0", FakeMachine::virtio);
    machine.attribute("vda", "device/vendor", "0x1af4");
    machine.attribute("vda", "serial", "backup-disk");
    std::string all;
    for (const Disk& disk : disks_of(machine)) all += disk.vendor + "|" + disk.model + "|" + disk.id + ";";
    QCOMPARE(qt(all), qt("|SC32G|0x12345678;|WDC PC SN730|2012A1B2;||backup-disk;"));
  }

  void idIsNameAndBytesWithoutASerial() {
    FakeMachine machine;
    machine.disk("loop0", "7:0", FakeMachine::kernel, 134217728);
    QCOMPARE(qt(disks_of(machine).at(0).id), qt("loop0:134217728"));
  }

  void serialSharedByTwoDisksIsNoId() {
    FakeMachine machine;
    for (const char* name : {"sda", "sdb"}) {
      machine.disk(name, name[2] == 'a' ? "8:0" : "8:16", FakeMachine::sata, 1 << 20);
      machine.attribute(name, "device/serial", "0123456789");
    }
    const auto disks = disks_of(machine);
    QCOMPARE(qt(disks.at(0).id), qt("sda:1048576"));
    QCOMPARE(qt(disks.at(1).id), qt("sdb:1048576"));
  }

  void fillerIsNoSerial_data() {
    QTest::addColumn<QString>("serial");
    for (const char* filler : {"0000000000", "        ", "XXXXXXXX", "0"}) QTest::newRow(filler) << qt(filler);
  }

  void fillerIsNoSerial() {
    QFETCH(const QString, serial);
    FakeMachine machine;
    machine.disk("sda", "8:0");
    machine.attribute("sda", "device/serial", serial.toStdString());
    QCOMPARE(qt(disks_of(machine).at(0).serial), QString());
  }

  void pathsOfOneDiskAreHidden() {
    FakeMachine machine;
    machine.disk("nvme0c0n1", "259:5", FakeMachine::nvme);
    machine.attribute("nvme0c0n1", "hidden", "1");
    QCOMPARE(disks_of(machine).size(), 0ULL);
  }

  void contentComesFromUdev() {
    FakeMachine machine;
    machine.disk("sda", "8:0");
    machine.partition("sda", "sda1", "8:1");
    machine.udev("sda", {"ID_PART_TABLE_TYPE=gpt", "ID_PART_TABLE_UUID=1234"});
    machine.udev("sda1", {"ID_FS_TYPE=ext4", "ID_FS_USAGE=filesystem", "ID_FS_LABEL_ENC=my\\x20data",
                          "ID_FS_UUID=ab-cd", "ID_PART_ENTRY_NAME=Linux\\x20data", "ID_PART_ENTRY_TYPE=0fc6"});
    const Disk disk = disks_of(machine).at(0);
    QCOMPARE(qt(disk.content.table_type), qt("gpt"));
    const Content content = disk.partitions.at(0).content;
    QCOMPARE(qt(content.type + "|" + content.label + "|" + content.uuid + "|" + content.entry_name),
             qt("ext4|my data|ab-cd|Linux data"));
  }

  void contentNobodySaysIsUnknownNotEmpty() {
    FakeMachine machine;
    machine.disk("sda", "8:0");
    machine.udev("sda", {"ID_MODEL=something"});
    QVERIFY(disks_of(machine).at(0).content.source == ContentSource::unknown);
  }

  void nodeInAFolder() {
    FakeMachine machine;
    machine.disk("cciss!c0d0", "104:0");
    machine.attribute("cciss!c0d0", "uevent", "DEVNAME=cciss/c0d0");
    QCOMPARE(qt(disks_of(machine).at(0).node), qt("/dev/cciss/c0d0"));
  }

  void withoutSysfsThereIsAnError() { QVERIFY(!enumerate_disks("/proc/nowhere")); }

  void textOfDevicesCannotSteerATerminalOrALine_data() {
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<QByteArray>("shown");
    const auto row = [](const char* name, const QByteArray& raw, const QByteArray& shown) {
      QTest::newRow(name) << raw << shown;
    };
    row("escape", "a\x1b[31mb", "a[31mb");
    row("bidirectional override", "disk\xe2\x80\xae\x61\x64s", "diskads");
    row("isolates", "x\xe2\x81\xa6y\xe2\x81\xa9z", "xyz");
    row("arabic letter mark",
        "a\xd8\x9c"
        "b",
        "ab");
    row("zero width",
        "a\xe2\x80\x8b"
        "b\xef\xbb\xbf",
        "ab");
    row("C1 control",
        "a\xc2\x9b"
        "b",
        "ab");
    row("line separator",
        "a\xe2\x80\xa8"
        "b",
        "ab");
    row("tag",
        "a\xf3\xa0\x81\x81"
        "b",
        "ab");
    row("not UTF-8", "a\xff\xc3(b", "a(b");
    row("overlong",
        "a\xc0\xaf"
        "b",
        "ab");
    row("surrogate",
        "a\xed\xa0\x80"
        "b",
        "ab");
    row("cut off", "a\xe2\x80", "a");
    row("blanks", "  a \t\n b\xc2\xa0  ", "a b");
    row("words of people", "Köln 東京", "Köln 東京");
  }

  void textOfDevicesCannotSteerATerminalOrALine() {
    QFETCH(const QByteArray, raw);
    QFETCH(const QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(device_text(raw.toStdString())), shown);
  }

  void whatStandsOnSomethingElseIsFoundWithoutLookingAtTheRest() {
    FakeMachine machine;
    machine.disk("sda", "8:0");
    machine.loop("loop0", "7:0", "/images/a disk.raw");
    machine.disk("loop1", "7:1", FakeMachine::kernel, 0);
    machine.disk("zram0", "252:0", FakeMachine::kernel);
    machine.attribute("zram0", "backing_dev", "/dev/sda");
    machine.disk("zram1", "252:1", FakeMachine::kernel);
    machine.attribute("zram1", "backing_dev", "none");
    const auto backed = backed_disks(machine.root());
    QCOMPARE(backed.size(), 2);
    QCOMPARE(qt(backed[0].node + " " + backed[0].backing), qt("/dev/loop0 /images/a disk.raw"));
    QCOMPARE(qt(backed[1].name + " " + backed[1].backing), qt("zram0 /dev/sda"));
  }

  void escapesOfUdevAndProcAreUndone() {
    QCOMPARE(qt(unescape_hex("a\\x20b\\x")), qt("a b\\x"));
    QCOMPARE(qt(unescape_octal("a\\040b\\134\\9")), qt("a b\\\\9"));
  }
};

QTEST_GUILESS_MAIN(EnumerateTest)
#include "enumerate_test.moc"
