// SPDX-License-Identifier: GPL-3.0-or-later
//
// The command of a user who may not open devices, but have them opened.
#include <linux/blkpg.h>
#include <sys/ioctl.h>

#include "tests/helper/rig.h"
#include "tests/support/served_file.h"

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

  void sweep_changes_the_request_size_for_as_long_as_it_lasts() {
    const Device device = make_device();
    const std::string attribute = "/sys/block/" + device.loop->name() + "/queue/max_sectors_kb";
    const std::string before = read_file(attribute);
    const auto ran = run(alice, {"sweep", "--sizes", "4k", "--seconds", "0.02", "--max-sectors", "64", "--output",
                                 "json", device.loop->path()});
    QVERIFY2(ran.status == 0, ran.errors.c_str());
    QVERIFY2(ran.output.contains("64"), ran.output.c_str());
    QCOMPARE(read_file(attribute), before);
    // And when nobody is left to set it back.
    Terminal killed(alice, {PrivateBus::program("disklathe"), "sweep", "--sizes", "4k", "--seconds", "20",
                            "--max-sectors", "64", device.loop->path()});
    QVERIFY(soon([&] { return read_file(attribute) == "64\n"; }));
    QVERIFY(soon([] { return workers().size() == 1; }));
    killed.kill(SIGKILL);
    QVERIFY(soon([&] { return read_file(attribute) == before; }));
  }

  void info_tells_what_is_on_a_device() {
    const Device device = make_device();
    const std::string image = make_image(alice, "").toStdString();
    QCOMPARE(run_program({"qemu-img", "create", "-q", "-f", "qcow2", image, "100M"}).status, 0);
    fill(device, read_file(image));
    const auto ran = run(alice, {"info", device.loop->path()});
    QVERIFY2(ran.status == 0, ran.errors.c_str());
    QVERIFY2(ran.output.contains("qcow2") && ran.output.contains("104857600"), ran.output.c_str());
    QCOMPARE(run(dave, {"info", device.loop->path()}).status, 12);
    const auto listed = run(alice, {"devices", "--ask", device.loop->path()});
    QVERIFY2(listed.output.contains("qcow2"), (listed.output + listed.errors).c_str());
  }

  void limits_tell_of_a_table_for_other_sectors_when_asked_to() {
    const Device device = make_device();
    std::string disk(4 * mebibyte, '\0');
    disk.replace(4096, 8, "EFI PART");
    disk[4096 + 24] = 1;  // which sector it is in
    fill(device, disk);
    const auto unasked = run(alice, {"limits", device.loop->path()});
    QCOMPARE(unasked.status, 0);
    QVERIFY(!unasked.output.contains("4096-byte"));
    const auto ran = run(alice, {"limits", "--ask", device.loop->path()});
    QVERIFY2(ran.status == 0, ran.errors.c_str());
    QVERIFY2(ran.output.contains("\n! "), ran.output.c_str());
    QVERIFY2(ran.output.contains("says nothing of itself"), ran.output.c_str());  // as no loop device does
  }

  void serve_reads_a_device() {
    const Device device = make_device();
    const std::string content = pattern(4 * mebibyte, 5);
    fill(device, content);
    const std::string image = make_image(alice, "").toStdString() + ".raw";
    const auto ran = run(alice, {"serve", "-f", "raw", device.loop->path(), "--run",
                                 PrivateBus::program("disklathe") + " convert -f raw \"$uri\" " + image});
    QVERIFY2(ran.status == 0, ran.errors.c_str());
    QVERIFY(read_file(image) == content);
    const auto refused = run(dave, {"serve", "-f", "raw", device.loop->path(), "--run", "true"});
    QCOMPARE(refused.status, 12);
    QVERIFY2(refused.errors.contains("it was not authorised"), refused.errors.c_str());
  }

  void whom_a_device_is_served_to_is_told_and_may_be_changed() {
    const Device device = make_device();
    fill(device, pattern(4 * mebibyte, 7));
    // The server's number is that of the command, who is gone when the client that it runs has left.
    const std::string us = PrivateBus::program("disklathe");
    const std::string client =
        "import nbd, os, subprocess, json\n"
        "h = nbd.NBD(); h.connect_uri(os.environ[\"uri\"]); h.pread(1 << 20, 0)\n"
        "ask = lambda *words: subprocess.run([\"" +
        us +
        "\", \"serve\", *words], capture_output=True, text=True)\n"
        "told = json.loads(ask(\"--status\", \"--output\", \"json\").stdout)[\"servers\"]\n"
        "assert len(told) == 1, told\n"
        "one = told[0][\"clients\"][0]\n"
        "assert one[\"bytes-read\"] == 1 << 20 and one[\"read\"], told\n"
        "assert told[0][\"exports\"][0][\"uri\"] == os.environ[\"uri\"], told\n"
        "gone = ask(\"--status\", os.environ[\"uri\"], \"--revoke\", str(one[\"id\"]))\n"
        "assert gone.returncode == 0, gone.stderr\n"
        "try: h.pread(1, 0)\n"
        "except nbd.Error: print(\"sent away\")\n";
    const std::string script = make_image(alice, client).toStdString();
    const auto ran = run(alice, {"serve", "-f", "raw", device.loop->path(), "--run", "python3 " + script});
    QVERIFY2(ran.status == 0 && ran.output.contains("sent away"), (ran.output + ran.errors).c_str());
  }

  void serve_writes_a_device_when_that_is_said() {
    const Device device = make_device();
    const std::string content = pattern(4 * mebibyte, 6);
    const std::string image = make_image(alice, content).toStdString();
    const std::string copy = PrivateBus::program("disklathe") + " convert -n -f raw -O raw " + image + " \"$uri\"";
    const auto read_only = run(alice, {"serve", "-f", "raw", device.loop->path(), "--run", copy});
    QVERIFY(read_only.status != 0);
    QVERIFY(device.untouched());
    const auto ran =
        run(alice, {"serve", "--rw", "-f", "raw", "--yes-erase", device.id(), device.loop->path(), "--run", copy});
    QVERIFY2(ran.status == 0, ran.errors.c_str());
    QVERIFY(device.content() == content);
    const auto guessed =
        run(alice, {"serve", "--rw", "--yes-erase", device.id(), device.loop->path(), "--run", "true"});
    QVERIFY2(guessed.errors.contains("-f raw"), guessed.errors.c_str());
  }

  void a_killed_serve_takes_its_worker_along() {
    const Device device = make_device();
    Terminal serve(alice, {PrivateBus::program("disklathe"), "serve", "-f", "raw", device.loop->path()});
    QVERIFY2(serve.wait_for("nbd+unix://"), serve.shown().c_str());
    QCOMPARE(workers().size(), 1u);
    serve.kill(SIGKILL);
    QVERIFY(wait_for_no_workers() >= 0);
    Terminal again(alice, {PrivateBus::program("disklathe"), "serve", "-f", "raw", device.loop->path()});
    QVERIFY2(again.wait_for("nbd+unix://"), again.shown().c_str());
    again.type("\x03");
    QCOMPARE(again.wait(), 0);
  }

  void partitions_are_read_anew_after_convert() {
    const Device device = make_device();
    const std::string partition = "/sys/block/" + device.loop->name() + "/" + device.loop->name() + "p1";
    {
      const Descriptor disk(open(device.loop->path().c_str(), O_RDONLY | O_CLOEXEC));
      blkpg_partition added{.start = mebibyte, .length = mebibyte, .pno = 1, .devname = {}, .volname = {}};
      blkpg_ioctl_arg argument{.op = BLKPG_ADD_PARTITION, .flags = 0, .datalen = sizeof added, .data = &added};
      QCOMPARE(ioctl(disk.get(), BLKPG, &argument), 0);
    }
    QVERIFY(std::filesystem::exists(partition));
    const std::string image = make_image(alice, pattern(mebibyte, 9)).toStdString();
    const auto ran = run(alice, {"convert", "-f", "raw", image, device.loop->path(), "--yes-erase", device.id()});
    QVERIFY2(ran.status == 0, ran.errors.c_str());
    QVERIFY(!std::filesystem::exists(partition));
    QVERIFY2(!ran.errors.contains("old partitions"), ran.errors.c_str());
  }

  void a_kept_job_onto_a_device_is_finished_by_whoever_attaches() {
    const std::string folder = std::string(PrivateBus::folder) + "/alice";
    std::filesystem::create_directories(folder);
    QCOMPARE(chown(folder.c_str(), alice, alice), 0);
    QCOMPARE(chmod(folder.c_str(), 0700), 0);
    qputenv("XDG_RUNTIME_DIR", folder.c_str());
    const auto unset = qScopeGuard([] { qunsetenv("XDG_RUNTIME_DIR"); });
    // A disk that is done with no write before it is told to be: the command is gone before the job is.
    const auto medium = ServedFile::mount(dir_->path(), 4 * mebibyte);
    if (!medium) QSKIP(ServedFile::why_not());
    const Device device{.file = medium->path(), .loop = LoopDevice::attach(medium->path(), 512)};
    QVERIFY(device.loop);
    QCOMPARE(chmod(device.loop->path().c_str(), 0600), 0);
    const std::string content = pattern(4 * mebibyte, 7);
    medium->hold(ServedFile::Request::write);
    const auto started = run(alice, {"convert", "--keep-running", "-f", "raw", make_image(alice, content).toStdString(),
                                     device.loop->path(), "--yes-erase", device.id()});
    QVERIFY2(started.status == 0, started.errors.c_str());
    static const QRegularExpression name("jobs attach (\\w{8})");
    const std::string said = started.errors + started.output;
    const std::string id = name.match(q(said)).captured(1).toStdString();
    QVERIFY2(!id.empty(), said.c_str());
    QCOMPARE(workers().size(), 1u);
    for (int look = 0; look < 2; ++look) {
      const auto listed = run(alice, {"jobs"});
      QVERIFY2(listed.output.contains(id), listed.output.c_str());
    }
    QVERIFY(medium->holds());
    QCOMPARE(medium->content(), std::vector<char>(4 * mebibyte));
    medium->release();
    const auto attached = run(alice, {"jobs", "attach", id});
    QVERIFY2(attached.status == 0, attached.errors.c_str());
    QVERIFY2(attached.output.contains("written, flushed, read back and found the same"), attached.output.c_str());
    QVERIFY(device.content() == content);
    QVERIFY(wait_for_no_workers() >= 0);
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
