// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever happens to a device between its choice and the first write, no other device is opened for writing.
#include "core/device/target_guard.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <QTest>

#include "tests/support/fake_machine.h"
#include "tests/support/loop_device.h"
#include "tests/support/program.h"

using namespace disklathe;
using test::FakeMachine;
using test::LoopDevice;
using Reason = Denial::Reason;

namespace {

constexpr uint64_t mib = 1 << 20;

// What blkid takes for a member of the btrfs file system `id`: its superblock, as on btrfs.readthedocs.io, "On-disk
// Format": at 64 KiB; a CRC-32C of what follows the first 32 bytes, the file system's ID, at 64 the magic, at 144 the
// sector's size.
std::string btrfs_member(uint64_t size, char id) {
  std::string block(4096, '\0');
  block.replace(32, 16, 16, id);
  block.replace(64, 8, "_BHRfS_M");
  block[145] = 16;  // sectors of 4096 bytes
  uint32_t crc = ~0U;
  for (size_t i = 32; i < block.size(); ++i) {
    crc ^= static_cast<unsigned char>(block[i]);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78U : 0U);
  }
  crc = ~crc;
  for (size_t i = 0; i < 4; ++i) block[i] = static_cast<char>(crc >> 8 * i);
  std::string disk(size, '\0');
  disk.replace(64 << 10, block.size(), block);
  return disk;
}

Reason reason_of(const auto& guarded) {
  if (guarded) qFatal("it was not denied");
  return guarded.error().reason;
}

}  // namespace

class TargetGuardTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    for (const std::string& file : {first(), second()}) {
      test::write_file(file, std::string(8 * mib, '\0'));
      // Long ago, so that any write shows in the time.
      const timespec then[2] = {{.tv_sec = 1000000, .tv_nsec = 0}, {.tv_sec = 1000000, .tv_nsec = 0}};
      QCOMPARE(utimensat(AT_FDCWD, file.c_str(), then, 0), 0);
    }
  }

  void theChosenDeviceIsOpened() {
    const auto loop = LoopDevice::attach(first(), 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    const auto chosen = choose_device(loop->path());
    QVERIFY(chosen.has_value());
    QCOMPARE(chosen->id, loop->name() + ":" + std::to_string(8 * mib));
    QVERIFY(chosen->whole());
    const auto device = open_chosen(*chosen, CacheMode::automatic);
    QVERIFY(device.has_value());
    QVERIFY(still_chosen(*chosen, (*device)->descriptor()).has_value());
    QVERIFY(untouched(first()));
  }

  // Reading would wake every disk that sleeps.
  void otherDisksAreNotReadForIt() {
    const auto loop = LoopDevice::attach(first(), 512), other = LoopDevice::attach(second(), 512);
    if (!loop || !other) QSKIP(LoopDevice::why_not());
    const dev_t number = identity_of(loop->path())->number;
    const auto disks = disks_around(number);
    QVERIFY(disks.has_value());
    const Disk* own = disk_of_number(*disks, number);
    const Disk* neighbour = disk_of_number(*disks, identity_of(other->path())->number);
    QVERIFY(own && neighbour);
    QVERIFY(own->content.source != ContentSource::unknown);
    QVERIFY(neighbour->content.source != ContentSource::blkid);
  }

  // One member shows that it is one only beside the others.
  void ofAFileSystemOnSeveralDisksTheOthersAreRead() {
    test::write_file(first(), btrfs_member(8 * mib, 'a'));
    test::write_file(second(), btrfs_member(8 * mib, 'a'));
    const auto loop = LoopDevice::attach(first(), 512), other = LoopDevice::attach(second(), 512);
    if (!loop || !other) QSKIP(LoopDevice::why_not());
    const auto chosen = choose_device(loop->path());
    QVERIFY(chosen.has_value());
    QCOMPARE(chosen->node().content.type, std::string("btrfs"));
    QCOMPARE(chosen->usage.holds.size(), size_t{1});
    QCOMPARE(chosen->usage.holds.front().kind, HoldKind::member);
  }

  void anotherDeviceUnderTheSameNameIsRefused() {
    const auto loop = LoopDevice::attach(first(), 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    const auto chosen = choose_device(loop->path());
    QVERIFY(chosen.has_value());
    if (!loop->replace(second(), 512)) QSKIP("another program took the number");
    const auto opened = open_chosen(*chosen, CacheMode::automatic);
    QCOMPARE(reason_of(opened), Reason::replaced);
    QVERIFY(opened.error().differs == std::vector{IdentityPart::diskseq});
    QVERIFY(untouched(first()) && untouched(second()));
  }

  void theSameDevicePluggedInAgainIsRefused() {
    const auto loop = LoopDevice::attach(first(), 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    const auto chosen = choose_device(loop->path());
    QVERIFY(chosen.has_value());
    if (!loop->replace(first(), 512)) QSKIP("another program took the number");
    QCOMPARE(reason_of(open_chosen(*chosen, CacheMode::automatic)), Reason::replaced);
    QVERIFY(untouched(first()));
  }

  void aDeviceOfAnotherSizeIsRefused() {
    const auto loop = LoopDevice::attach(first(), 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    const auto chosen = choose_device(loop->path());
    QVERIFY(chosen.has_value());
    QCOMPARE(truncate(first().c_str(), 4 * mib), 0);
    loop->follow_size();
    const auto opened = open_chosen(*chosen, CacheMode::automatic);
    QCOMPARE(reason_of(opened), Reason::replaced);
    QVERIFY(std::ranges::contains(opened.error().differs, IdentityPart::size));
  }

  void aNameThatLeadsElsewhereIsRefused() {
    const auto loop = LoopDevice::attach(first(), 512), other = LoopDevice::attach(second(), 512);
    if (!loop || !other) QSKIP(LoopDevice::why_not());
    const std::string link = folder_.file("link");
    unlink(link.c_str());
    QCOMPARE(symlink(loop->path().c_str(), link.c_str()), 0);
    const auto chosen = choose_device(link);
    QVERIFY(chosen.has_value());
    QCOMPARE(unlink(link.c_str()), 0);
    QCOMPARE(symlink(other->path().c_str(), link.c_str()), 0);
    QCOMPARE(reason_of(open_chosen(*chosen, CacheMode::automatic)), Reason::replaced);
    QCOMPARE(unlink(link.c_str()), 0);
    QCOMPARE(symlink(first().c_str(), link.c_str()), 0);  // a file, even
    QCOMPARE(reason_of(open_chosen(*chosen, CacheMode::automatic)), Reason::replaced);
    QVERIFY(untouched(first()) && untouched(second()));
  }

  void aDeviceThatIsGoneIsRefused() {
    auto loop = LoopDevice::attach(first(), 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    const auto chosen = choose_device(loop->path());
    QVERIFY(chosen.has_value());
    loop.reset();
    QVERIFY(!open_chosen(*chosen, CacheMode::automatic));
    QVERIFY(untouched(first()));
  }

  void whatSomebodyMeanwhileHasToHimselfIsRefused() {
    const auto loop = LoopDevice::attach(first(), 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    const auto chosen = choose_device(loop->path());
    QVERIFY(chosen.has_value());
    const int other = open(loop->path().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
    QVERIFY(other >= 0);
    const auto opened = open_chosen(*chosen, CacheMode::automatic);
    QCOMPARE(reason_of(opened), Reason::held);
    QVERIFY(opened.error().usage.holds.empty());
    close(other);
    QVERIFY(untouched(first()));
  }

  // It takes no claim that O_EXCL would see.
  void aLoopDeviceThatAppearsOnItIsSeen() {
    const auto loop = LoopDevice::attach(first(), 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    const auto chosen = choose_device(loop->path());
    QVERIFY(chosen.has_value());
    const auto above = LoopDevice::attach(loop->path(), 512);
    QVERIFY(above);
    const auto opened = open_chosen(*chosen, CacheMode::automatic);
    QCOMPARE(reason_of(opened), Reason::held);
    QCOMPARE(opened.error().usage.holds.front().by, above->name());
    QCOMPARE(reason_of(choose_device(loop->path())), Reason::held);
    QVERIFY(untouched(first()));
  }

  void whatIsMountedInBetweenIsNamed() {
    const auto loop = LoopDevice::attach(first(), 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    if (test::run_program({"mke2fs", "-q", "-F", loop->path()}).status != 0) QSKIP("mke2fs is not installed");
    const std::string before = test::read_file(first());
    const auto chosen = choose_device(loop->path());
    QVERIFY(chosen.has_value());
    const std::string place = folder_.file("mounted");
    std::filesystem::create_directory(place);
    if (mount(loop->path().c_str(), place.c_str(), "ext4", MS_RDONLY, nullptr) != 0) QSKIP("mounting is not allowed");
    const auto opened = open_chosen(*chosen, CacheMode::automatic);
    const auto chosen_again = choose_device(loop->path());
    QCOMPARE(umount(place.c_str()), 0);
    QCOMPARE(reason_of(opened), Reason::held);
    QCOMPARE(opened.error().usage.holds.front().by, place);
    QCOMPARE(reason_of(chosen_again), Reason::held);
    QVERIFY(test::read_file(first()) == before);
  }

  void aMountedPartitionRefusesItsDisk() {
    const auto loop = LoopDevice::attach(first(), 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    // partx: not every kernel reads partition tables itself.
    const auto table = test::run_program({"sh", "-c",
                                          "printf 'label: dos\n,4MiB\n' | sfdisk -q --no-tell-kernel $0 && "
                                          "partx -u $0 && mke2fs -q -F $0p1",
                                          loop->path()});
    QCOMPARE(table.errors, std::string());
    const std::string part = loop->path() + "p1";
    const auto chosen = choose_device(loop->path());
    const auto partition = choose_device(part);
    QVERIFY(chosen.has_value() && partition.has_value());
    QCOMPARE(partition->id, loop->name() + "p1:" + std::to_string(4 * mib));
    QCOMPARE(chosen->disk.partitions.size(), size_t{1});
    const std::string place = folder_.file("mounted");
    std::filesystem::create_directory(place);
    if (mount(part.c_str(), place.c_str(), "ext4", MS_RDONLY, nullptr) != 0) QSKIP("mounting is not allowed");
    const auto opened = open_chosen(*chosen, CacheMode::automatic);
    const auto opened_part = open_chosen(*partition, CacheMode::automatic);
    QCOMPARE(umount(place.c_str()), 0);
    QCOMPARE(reason_of(opened), Reason::held);
    QCOMPARE(opened.error().usage.holds.front().chain, (std::vector<std::string>{loop->name() + "p1", loop->name()}));
    QCOMPARE(reason_of(opened_part), Reason::held);
  }

  void aReadOnlyDeviceIsRefused() {
    const auto loop = LoopDevice::attach(first(), 512, true);
    if (!loop) QSKIP(LoopDevice::why_not());
    QCOMPARE(reason_of(choose_device(loop->path())), Reason::read_only);
  }

  void whatIsNoBlockDeviceIsRefused() {
    QCOMPARE(reason_of(choose_device(first())), Reason::failed);
    QCOMPARE(choose_device(folder_.file("nothing")).error().error.kind, ErrorKind::not_found);
  }

  void theSystemsDiskIsNeverChosen() {
    FakeMachine machine;
    machine.disk("sda", "8:0");
    machine.partition("sda", "sda1", "8:1");
    machine.partition("sda", "sda2", "8:2");
    machine.mapping("dm-0", "253:0", "vg-root", "LVM-x", {"sda2"});
    machine.mount("253:0", "/", "ext4", "/dev/mapper/vg-root");
    for (const unsigned minor : {0U, 2U})
      QCOMPARE(reason_of(choose_device_number(makedev(8, minor), machine.root())), Reason::system);
    QCOMPARE(reason_of(choose_device_number(makedev(253, 0), machine.root())), Reason::system);
    // Not an ancestor; that it is on the same disk is said.
    const auto neighbour = choose_device_number(makedev(8, 1), machine.root());
    QVERIFY(neighbour.has_value());
    QVERIFY(neighbour->usage.shares_system_disk);
  }

  void membersThatAreNotActiveArePartOfWhatIsThere() {
    FakeMachine machine;
    machine.disk("sdb", "8:16", FakeMachine::usb);
    machine.attribute("sdb", "device/serial", "SER1");
    machine.partition("sdb", "sdb1", "8:17");
    machine.content("sdb1", "LVM2_member", "vg");
    const auto chosen = choose_device_number(makedev(8, 16), machine.root());
    QVERIFY(chosen.has_value());
    QCOMPARE(chosen->id, std::string("SER1"));
    QCOMPARE(chosen->usage.holds.size(), size_t{1});
    QCOMPARE(chosen->usage.holds.front().kind, HoldKind::member);
  }

  void anEmptySlotHasNoMedium() {
    FakeMachine machine;
    machine.disk("sdc", "8:32", FakeMachine::usb, 0);
    QCOMPARE(reason_of(choose_device_number(makedev(8, 32), machine.root())), Reason::no_medium);
  }

 private:
  std::string first() const { return folder_.file("first"); }
  std::string second() const { return folder_.file("second"); }

  static bool untouched(const std::string& file) {
    struct stat status{};
    return stat(file.c_str(), &status) == 0 && status.st_mtim.tv_sec == 1000000 &&
           test::read_file(file) == std::string(8 * mib, '\0');
  }

  test::TempDir folder_{test::TempDir::Where::memory};
};

QTEST_GUILESS_MAIN(TargetGuardTest)
#include "target_guard_test.moc"
