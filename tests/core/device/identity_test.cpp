// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/identity.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <QTest>

#include "tests/support/block_devices.h"
#include "tests/support/fake_machine.h"

using namespace disklathe;
using test::FakeMachine;
using test::LoopDevice;

namespace {

QString parts_of(const std::vector<IdentityPart>& parts) {
  std::string text;
  for (const IdentityPart part : parts) text += std::string(name_of(part)) + " ";
  return QString::fromStdString(text);
}

}  // namespace

class IdentityTest : public QObject {
  Q_OBJECT

 private slots:
  void partitionIsKnownByItsDisk() {
    FakeMachine machine;
    machine.disk("sda", "8:0");
    machine.attribute("sda", "diskseq", "17");
    machine.attribute("sda", "device/serial", "S5Y1NX0R1234");
    machine.attribute("sda", "device/wwid", "naa.5002538f4132aaaa");
    machine.partition("sda", "sda2", "8:2", 1 << 20, 1 << 24);
    const auto identity = identity_of_number(makedev(8, 2), machine.root());
    QVERIFY(identity);
    QCOMPARE(identity->name, std::string("sda2"));
    QCOMPARE(identity->diskseq, std::optional<uint64_t>(17));
    QCOMPARE(identity->serial, std::string("S5Y1NX0R1234"));
    QCOMPARE(identity->wwn, std::string("naa.5002538f4132aaaa"));
    QCOMPARE(identity->size, 1ULL << 24);
    QCOMPARE(identity->start, 1ULL << 20);
  }

  void deviceThatIsGoneHasVanished() {
    const FakeMachine machine;
    const auto identity = identity_of_number(makedev(8, 2), machine.root());
    QVERIFY(!identity);
    QCOMPARE(identity.error().kind, ErrorKind::vanished);
  }

  void anotherDeviceUnderTheSameNameIsSeen_data() {
    QTest::addColumn<QString>("attribute");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("differs");
    QTest::newRow("the same") << QString() << QString() << QString();
    QTest::newRow("the same model, another stick") << "device/serial" << "B" << "serial ";
    QTest::newRow("the same stick, pulled out and put in") << "diskseq" << "18" << "diskseq ";
    QTest::newRow("another size") << "size" << "2048" << "size ";
    QTest::newRow("another world wide name") << "device/wwid" << "naa.6" << "wwn ";
  }

  void anotherDeviceUnderTheSameNameIsSeen() {
    QFETCH(const QString, attribute);
    QFETCH(const QString, value);
    QFETCH(const QString, differs);
    FakeMachine machine;
    machine.disk("sdb", "8:16");
    machine.attribute("sdb", "diskseq", "17");
    machine.attribute("sdb", "device/serial", "A");
    machine.attribute("sdb", "device/wwid", "naa.5");
    const auto chosen = identity_of_number(makedev(8, 16), machine.root());
    if (!attribute.isEmpty()) machine.attribute("sdb", attribute.toStdString(), value.toStdString());
    const auto now = identity_of_number(makedev(8, 16), machine.root());
    QVERIFY(chosen && now);
    QCOMPARE(parts_of(differences(*chosen, *now)), differs);
  }

  void missingDiskseqIsNoDifference() {
    Identity old_kernel{.name = "sda", .number = makedev(8, 0)}, with = old_kernel;
    with.diskseq = 3;
    QVERIFY(differences(old_kernel, with).empty());
  }

  void regularFileHasNone() {
    const test::TempDir folder;
    test::write_file(folder.file("x"), "x");
    const auto identity = identity_of(folder.file("x"));
    QVERIFY(!identity);
    QCOMPARE(identity.error().os_error, ENOTBLK);
    QCOMPARE(identity_of(folder.file("nothing")).error().kind, ErrorKind::not_found);
  }

  void pathAndDescriptorAgree() {
    std::string why_not;
    const auto loop = LoopDevice::attach({}, why_not);
    if (!loop) QSKIP(why_not.c_str());
    const auto chosen = identity_of(loop->node());
    const int fd = open(loop->node().c_str(), O_RDONLY | O_CLOEXEC);
    const auto opened = identity_of_descriptor(fd);
    close(fd);
    QVERIFY(chosen && opened);
    QCOMPARE(parts_of(differences(*chosen, *opened)), QString());
    QCOMPARE(opened->size, 64ULL << 20);
    QVERIFY(opened->diskseq);
  }

  // The wrong-device case for real: the name is the same, what is behind it is not.
  void deviceReplacedUnderItsNameIsSeen() {
    std::string why_not;
    auto loop = LoopDevice::attach({}, why_not);
    if (!loop) QSKIP(why_not.c_str());
    const std::string node = loop->node();
    const auto chosen = identity_of(node);
    QVERIFY(chosen);
    loop->detach();
    std::vector<std::unique_ptr<LoopDevice>> others;  // until one gets the same number
    while (others.size() < 8) {
      auto other = LoopDevice::attach({}, why_not);
      if (!other) break;
      others.push_back(std::move(other));
      if (others.back()->node() == node) break;
    }
    if (others.empty() || others.back()->node() != node) QSKIP("another program took the number");
    const int fd = open(node.c_str(), O_RDONLY | O_CLOEXEC);
    const auto opened = identity_of_descriptor(fd);
    close(fd);
    QVERIFY(opened);
    QCOMPARE(parts_of(differences(*chosen, *opened)), QStringLiteral("diskseq "));
  }
};

QTEST_GUILESS_MAIN(IdentityTest)
#include "identity_test.moc"
