// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_cli
#include "app/cli/erase_consent.h"

#include <sys/sysmacros.h>

#include <QTest>

#include "app/cli/device_target.h"
#include "tests/support/fake_machine.h"

using namespace disklathe;
using namespace disklathe::cli;
using test::FakeMachine;

namespace {

constexpr uint64_t gib = uint64_t{1} << 30, mib = 1 << 20;

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// A stick with a file system and a part of a RAID, beside a system disk with a free partition.
void equip(FakeMachine& machine) {
  machine.disk("sda", "8:0");
  machine.partition("sda", "sda1", "8:1", mib);
  machine.partition("sda", "sda2", "8:2", 512 * mib);
  machine.mount("8:1", "/", "ext4", "/dev/sda1");
  machine.disk("sdb", "8:16", FakeMachine::usb, gib);
  machine.attribute("sdb", "device/model", "Stick");
  machine.attribute("sdb", "device/serial", "ABC-1");
  machine.partition("sdb", "sdb1", "8:17", mib, 256 * mib);
  machine.content("sdb1", "ext4", "my\\x20data");
  machine.partition("sdb", "sdb2", "8:18", 512 * mib, 256 * mib);
  machine.content("sdb2", "linux_raid_member", "home:0");
}

ChosenDevice choose(const FakeMachine& machine, unsigned minor) {
  auto chosen = choose_device_number(makedev(8, minor), machine.root());
  if (!chosen) qFatal("8:%u was denied", minor);
  return *chosen;
}

}  // namespace

class EraseConsentTest : public QObject {
  Q_OBJECT

 private slots:
  void everythingOnTheDiskIsListed() {
    FakeMachine machine;
    equip(machine);
    const std::string text = text_of(lines_of(choose(machine, 16), {}));
    for (const char* part : {"/dev/sdb  1.07 GB (1073741824 bytes)", "Stick", "sdb1  0.268 GB  ext4 'my data'",
                             "sdb2  0.268 GB", "part of the RAID 'home:0', not started"})
      QVERIFY2(text.contains(part), text.c_str());
    QVERIFY2(!text.contains("overwritten"), text.c_str());
  }

  void whatIsBehindTheImageIsToldApart() {
    FakeMachine machine;
    equip(machine);
    const std::string text = text_of(lines_of(choose(machine, 16), {.ranges = {{0, 300 * mib}}, .yes_erase = {}}));
    QVERIFY2(text.contains("not started (not overwritten)"), text.c_str());
    QVERIFY2(!text.contains("'my data' (not overwritten)"), text.c_str());
    QVERIFY2(text.contains("0.315 GB (314572800 bytes) of it will be overwritten"), text.c_str());
  }

  void aPartitionSaysWhatElseItsDiskIs() {
    FakeMachine machine;
    equip(machine);
    const std::string text = text_of(lines_of(choose(machine, 2), {}));
    QVERIFY2(text.contains("a partition of /dev/sda"), text.c_str());
    QVERIFY2(text.contains("this system runs from another part of that disk"), text.c_str());
  }

  void onlyTheExactIdConsents_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<bool>("consents");
    QTest::newRow("the serial") << "ABC-1" << true;
    QTest::newRow("in small letters") << "abc-1" << false;
    QTest::newRow("its start") << "ABC" << false;
    QTest::newRow("more") << "ABC-1 " << false;
    QTest::newRow("the name") << "sdb" << false;
    QTest::newRow("name and size, though it has a serial") << "sdb:1073741824" << false;
  }
  void onlyTheExactIdConsents() {
    QFETCH(const QString, id);
    QFETCH(const bool, consents);
    FakeMachine machine;
    equip(machine);
    const auto answer = confirm_erase(choose(machine, 16), {.ranges = {}, .yes_erase = id.toStdString()});
    QCOMPARE(answer.has_value(), consents);
    if (!consents) QCOMPARE(answer.error().kind, ErrorKind::refused);
  }

  void theSystemsDiskIsRefusedInWordsWithoutAWayAround() {
    FakeMachine machine;
    equip(machine);
    const auto chosen = choose_device_number(makedev(8, 0), machine.root());
    QVERIFY(!chosen);
    const Error error = error_of(chosen.error(), "/dev/sda");
    QCOMPARE(error.kind, ErrorKind::busy);
    QCOMPARE(error.cause, std::string("this system runs from it (sda1 is mounted on /); it is never written"));
  }

  void whatHoldsItIsNamedWithTheWayOut() {
    FakeMachine machine;
    equip(machine);
    machine.mount("8:17", "/media/my\\040data", "ext4", "/dev/sdb1");
    const auto chosen = choose_device_number(makedev(8, 16), machine.root());
    QVERIFY(!chosen);
    QCOMPARE(error_of(chosen.error(), "/dev/sdb").cause,
             std::string("sdb1 on it is mounted on /media/my data; it is free after: umount '/media/my data'"));
  }
};

QTEST_GUILESS_MAIN(EraseConsentTest)
#include "erase_consent_test.moc"
