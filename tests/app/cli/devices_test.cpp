// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_cli
#include "app/cli/devices.h"

#include <QtTest>

#include "app/cli/device_words.h"
#include "tests/support/fake_machine.h"

using namespace disklathe;
using test::FakeMachine;

namespace {

struct Machine : FakeMachine {
  std::vector<Disk> disks;
  std::unique_ptr<UsageMap> usage;

  void look() {
    disks = enumerate_disks(root()).value_or(std::vector<Disk>{});
    usage = std::make_unique<UsageMap>(disks, root());
  }
};

// A laptop with a LUKS root and a stick that a desktop has mounted.
void laptop(Machine& m) {
  m.disk("nvme0n1", "259:0", FakeMachine::nvme, 256'060'514'304);
  m.attribute("nvme0n1", "device/model", "WDC PC SN730");
  m.attribute("nvme0n1", "device/serial", "2012A1B2");
  m.udev("nvme0n1", {"ID_PART_TABLE_TYPE=gpt"});
  m.partition("nvme0n1", "nvme0n1p1", "259:1", 1 << 20, 536'870'912);
  m.content("nvme0n1p1", "vfat", "EFI");
  m.partition("nvme0n1", "nvme0n1p2", "259:2", 1 << 29, 255'000'000'000);
  m.content("nvme0n1p2", "crypto_LUKS");
  m.mapping("dm-0", "253:0", "luks-root", "CRYPT-LUKS2-x", {"nvme0n1p2"});
  m.mount("253:0", "/", "ext4", "/dev/mapper/luks-root");
  m.mount("259:1", "/boot/efi", "vfat", "/dev/nvme0n1p1");
  m.disk("sda", "8:0", FakeMachine::usb, 31'914'983'424);
  m.attribute("sda", "device/vendor", "SanDisk");
  m.attribute("sda", "device/model", "Ultra");
  m.attribute("sda", "removable", "1");
  m.partition("sda", "sda1", "8:1", 1 << 20, 31'900'000'256);
  m.content("sda1", "vfat", "STICK");
  m.mount("8:1", "/media/me/STICK", "vfat", "/dev/sda1");
  m.loop("loop0", "7:0", "/dev/null");
  m.attribute("loop0", "size", "0");
  m.look();
}

QString words(const std::string& text) { return QString::fromStdString(text); }

}  // namespace

class DevicesTest : public QObject {
  Q_OBJECT

 private slots:
  void of_what_nobody_knows_nobody_says_that_it_is_empty() {
    QCOMPARE(words(cli::words_of(Content{.source = ContentSource::blkid})), QString("nothing known on it"));
    QCOMPARE(words(cli::words_of(Content{})), QString("content unknown"));
  }
  void one_line_a_device_under_its_disk() {
    Machine machine;
    laptop(machine);
    std::erase_if(machine.disks, [&](const Disk& disk) { return cli::is_idle_kernel_device(disk, *machine.usage); });
    const std::string expected =
        "DEVICE         ID                         SIZE         BYTES  BUS   WHAT                        STATE\n"
        "dm-0           dm-0:1073741824         1.07 GB    1073741824  dm    luks-root, content unknown  system, "
        "mounted on /\n"
        "nvme0n1        2012A1B2                 256 GB  256060514304  nvme  WDC PC SN730, gpt           system\n"
        "|-nvme0n1p1    nvme0n1p1:536870912    0.537 GB     536870912        vfat 'EFI'                  system, "
        "mounted on /boot/efi\n"
        "`-nvme0n1p2    nvme0n1p2:255000000000   255 GB  255000000000        crypto_LUKS                 system, "
        "opened as the LUKS mapping luks-root (dm-0)\n"
        "sda            sda:31914983424         31.9 GB   31914983424  usb   SanDisk Ultra, content unknown  in use, "
        "removable\n"
        "`-sda1         sda1:31900000256        31.9 GB   31900000256        vfat 'STICK'                mounted on "
        "/media/me/STICK\n";
    // The widths of columns are not what is promised.
    const auto squeezed = [](const std::string& text) {
      return QString::fromStdString(text).replace(QRegularExpression(" +"), " ");
    };
    QCOMPARE(squeezed(cli::device_table(machine.disks, *machine.usage, false)), squeezed(expected));
  }

  void columns_stand_under_their_heading() {
    Machine machine;
    laptop(machine);
    const auto lines = QString::fromStdString(cli::device_table(machine.disks, *machine.usage, true)).split(u'\n');
    const qsizetype id = lines[0].indexOf(u"ID");
    for (const QString& line : lines) {
      if (!line.isEmpty()) QVERIFY(id > 0 && line[id] != u' ' && line[id - 1] == u' ');
    }
  }

  void device_that_says_escape_sequences_is_shown_harmless() {
    Machine machine;
    machine.disk("sda", "8:0", FakeMachine::usb);
    machine.attribute("sda", "device/model", "\x1b[2J\xe2\x80\xaemodel");
    machine.mount("8:0", "/media/\x1b[31m", "vfat", "/dev/sda");
    machine.look();
    const auto table = QByteArray::fromStdString(cli::device_table(machine.disks, *machine.usage, false));
    QVERIFY(!table.contains('\x1b'));
    QVERIFY(!table.contains("\xe2\x80\xae"));
    QVERIFY(table.contains("model"));
  }

  void json_has_what_the_table_has() {
    Machine machine;
    laptop(machine);
    const auto disk = cli::json_of(machine.disks.back(), *machine.usage);  // sda
    QCOMPARE(words(disk["name"]), "sda");
    QCOMPARE(disk["size"].get<uint64_t>(), 31'914'983'424ULL);
    QCOMPARE(words(disk["bus"]), "usb");
    QCOMPARE(disk["removable"].get<bool>(), true);
    QVERIFY(disk["content"].is_null());
    QCOMPARE(disk["usage"]["in-use"].get<bool>(), true);
    QCOMPARE(disk["usage"]["system"].get<bool>(), false);
    const auto& part = disk["partitions"][0];
    QCOMPARE(words(part["content"]["label"]), "STICK");
    QCOMPARE(words(part["usage"]["holds"][0]["kind"]), "mount");
    QCOMPARE(words(part["usage"]["holds"][0]["by"]), "/media/me/STICK");
    QCOMPARE(words(part["usage"]["holds"][0]["release"]), "umount /media/me/STICK");
  }

  void releases_come_in_the_order_they_work() {
    Machine machine;
    machine.disk("sdb", "8:16");
    machine.partition("sdb", "sdb1", "8:17");
    machine.mapping("dm-0", "253:0", "luks-1", "CRYPT-LUKS2-x", {"sdb1"});
    machine.mapping("dm-1", "253:1", "vg-data", "LVM-abc", {"dm-0"});
    machine.mount("253:1", "/my\\040data", "ext4", "/dev/mapper/vg-data");
    machine.look();
    QCOMPARE(words(cli::release_commands(machine.usage->of("sdb"))),
             "umount '/my data' && lvchange -an /dev/mapper/vg-data && cryptsetup close luks-1");
  }

  void the_systems_disk_has_no_release() {
    Machine machine;
    laptop(machine);
    QCOMPARE(words(cli::release_commands(machine.usage->of("nvme0n1"))), QString());
  }
};

QTEST_GUILESS_MAIN(DevicesTest)
#include "devices_test.moc"
