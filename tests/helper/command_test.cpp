// SPDX-License-Identifier: GPL-3.0-or-later
//
// The command of a user who may not open devices, but have them opened.
#include "tests/helper/rig.h"

using namespace disklathe;
using namespace disklathe::test;

class CommandTest : public HelperTest {
  Q_OBJECT

  // disklathe WORDS, as that user, without a terminal.
  static ProgramResult run(uid_t user, std::vector<std::string> words) {
    const std::string id = std::to_string(user);
    std::vector<std::string> all{"setsid", "--wait", "setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups"};
    all.push_back(PrivateBus::program("disklathe"));
    all.insert(all.end(), words.begin(), words.end());
    return run_program(all);
  }
  static void fill(const Device& device, const std::string& content) {
    const Descriptor raw(open(device.loop->path().c_str(), O_RDWR | O_CLOEXEC));
    QCOMPARE(pwrite(raw.get(), content.data(), content.size(), 0), static_cast<ssize_t>(content.size()));
    QCOMPARE(fsync(raw.get()), 0);
  }

 private Q_SLOTS:
  void initTestCase() { start_rig(); }
  void cleanup() { nothing_is_left(); }
  void cleanupTestCase() { end_rig(); }

  void convert_writes_a_device() {
    const Device device = make_device();
    const std::string content = pattern(3 * mebibyte, 1);
    const auto ran = run(alice, {"convert", "-f", "raw", make_image(alice, content).toStdString(), device.loop->path(),
                                 "--yes-erase", device.id()});
    QVERIFY2(ran.status == 0, ran.errors.c_str());
    QVERIFY2(ran.output.contains("written, flushed, read back and found the same"), ran.output.c_str());
    QCOMPARE(device.content().substr(0, content.size()), content);
  }

  void convert_does_not_write_what_it_cannot_look_at_first() {
    const Device device = make_device();
    const auto ran = run_program({"setsid", "--wait", "setpriv", "--reuid=2001", "--regid=2001", "--clear-groups", "sh",
                                  "-c", "echo bytes | \"$0\" convert -f raw - \"$1\" --yes-erase \"$2\"",
                                  PrivateBus::program("disklathe"), device.loop->path(), device.id()});
    QCOMPARE(ran.status, 2);
    QVERIFY2(ran.errors.contains("save it, or run this as root"), ran.errors.c_str());
    QVERIFY(device.untouched());
  }

  void convert_reads_a_device() {
    const Device device = make_device();
    const std::string content = pattern(4 * mebibyte, 2);
    fill(device, content);
    const std::string image = make_image(alice, "").toStdString() + ".raw";
    const auto ran = run(alice, {"convert", "-f", "raw", device.loop->path(), image});
    QVERIFY2(ran.status == 0, ran.errors.c_str());
    QCOMPARE(read_file(image), content);
    struct stat status{};
    QCOMPARE(stat(image.c_str(), &status), 0);
    QCOMPARE(status.st_uid, alice);
  }

  void zero_zeroes_a_part() {
    const Device device = make_device();
    const std::string content = pattern(4 * mebibyte, 3);
    fill(device, content);
    const auto ran =
        run(bob, {"zero", "--range", "1M+2M", "--verify", device.loop->path(), "--yes-erase", device.id()});
    QVERIFY2(ran.status == 0, ran.errors.c_str());
    QVERIFY2(ran.output.contains("reads back zero: proven"), ran.output.c_str());
    std::string expected = content;
    std::fill_n(expected.begin() + mebibyte, 2 * mebibyte, '\0');
    QVERIFY(device.content() == expected);
  }

  void sweep_measures_reads() {
    const Device device = make_device();
    const auto ran = run(alice, {"sweep", "--sizes", "4k,64k", "--seconds", "0.02", device.loop->path()});
    QVERIFY2(ran.status == 0, ran.errors.c_str());
    QVERIFY2(ran.output.contains("64 K"), ran.output.c_str());
    QVERIFY(device.untouched());
  }

  void sweep_measures_writes() {
    const Device device = make_device();
    const auto ran = run(
        alice, {"sweep", "-w", "--sizes", "4k", "--seconds", "0.02", device.loop->path(), "--yes-erase", device.id()});
    QVERIFY2(ran.status == 0, ran.errors.c_str());
    QVERIFY(!device.untouched());
  }

  void who_may_not_is_told() {
    const Device device = make_device();
    const auto ran = run(dave, {"zero", device.loop->path(), "--yes-erase", device.id()});
    QCOMPARE(ran.status, 12);
    QVERIFY2(ran.errors.contains("it was not authorised"), ran.errors.c_str());
    QVERIFY(device.untouched());
  }

  void consent_is_asked_before_anybody_is_asked_for_a_password() {
    const Device device = make_device();
    const auto ran = run(alice, {"zero", device.loop->path(), "--yes-erase", "another"});
    QCOMPARE(ran.status, 19);
    QVERIFY(device.untouched());
  }

  void a_device_that_is_in_use_is_told_in_words() {
    const Device device = make_device();
    const Descriptor held(open(device.loop->path().c_str(), O_RDWR | O_EXCL | O_CLOEXEC));
    const auto ran = run(alice, {"zero", device.loop->path(), "--yes-erase", device.id()});
    QCOMPARE(ran.status, 13);
    QVERIFY2(ran.errors.contains("in use"), ran.errors.c_str());
  }
};

int main(int count, char** arguments) { return run_in_rig<CommandTest>(count, arguments); }

#include "command_test.moc"
