// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/identity.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <QTest>

#include "tests/support/fake_machine.h"
#include "tests/support/loop_device.h"

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
  void initTestCase() { test::write_file(backing_ = folder_.file("disk"), std::string(1 << 20, '\0')); }

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
    const auto loop = LoopDevice::attach(backing_, 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    const auto chosen = identity_of(loop->path());
    const int fd = open(loop->path().c_str(), O_RDONLY | O_CLOEXEC);
    const auto opened = identity_of_descriptor(fd);
    close(fd);
    QVERIFY(chosen && opened);
    QCOMPARE(parts_of(differences(*chosen, *opened)), QString());
    QCOMPARE(opened->size, 1ULL << 20);
    QVERIFY(opened->diskseq);
  }

  // The wrong-device case for real: the name is the same, what is behind it is not.
  void deviceReplacedUnderItsNameIsSeen() {
    std::unique_ptr<LoopDevice> loop;
    Result<Identity> chosen;
    bool replaced = false;
    // Somebody else may take the number in between; then it is another's turn.
    for (int attempt = 0; !replaced && attempt < 20; ++attempt) {
      loop = LoopDevice::attach(backing_, 512);
      if (!loop) QSKIP(LoopDevice::why_not());
      chosen = identity_of(loop->path());
      QVERIFY(chosen);
      replaced = loop->replace(backing_, 512);
    }
    QVERIFY(replaced);
    const int fd = open(loop->path().c_str(), O_RDONLY | O_CLOEXEC);
    const auto opened = identity_of_descriptor(fd);
    close(fd);
    QVERIFY(opened);
    QCOMPARE(parts_of(differences(*chosen, *opened)), QStringLiteral("diskseq "));
  }

 private:
  test::TempDir folder_{test::TempDir::Where::memory};
  std::string backing_;
};

QTEST_GUILESS_MAIN(IdentityTest)
#include "identity_test.moc"
