// SPDX-License-Identifier: GPL-3.0-or-later
//
// Jobs in workers that the helper started: what each can do, and whose it is from its start to its end.
#include <algorithm>
#include <thread>

#include "tests/helper/rig.h"

using namespace disklathe;
using namespace disklathe::test;

class JobsTest : public HelperTest {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start_rig(); }
  void cleanup() { nothing_is_left(); }
  void cleanupTestCase() { end_rig(); }

  void the_worker_is_the_caller_without_any_right() {
    const Device device = make_device();
    const Endless endless;
    Client client(alice, endless.words(device), {endless.reader.get()});
    QVERIFY2(!client.line("hello").isEmpty(), qPrintable(client.said()));
    QVERIFY(soon([] { return workers().size() == 1; }));  // who started it ends as soon as it runs
    const auto running = workers();
    QCOMPARE(running[0].user, alice);
    const QString status = q(read_file("/proc/" + std::to_string(running[0].pid) + "/status"));
    for (const char* line : {"Groups:\t \n", "CapEff:\t0000000000000000\n", "CapPrm:\t0000000000000000\n",
                             "NoNewPrivs:\t1\n", "Seccomp:\t2\n"})
      QVERIFY2(status.contains(line), qPrintable(status));
    QVERIFY(status.contains(QRegularExpression("Gid:\\s+2001\\s+2001\\s+2001\\s+2001\n")));
  }

  void each_action_does_what_it_says_data() {
    QTest::addColumn<QString>("action");
    for (const char* action : {"convert.read", "zero", "inspect", "sweep.read", "sweep.write"})
      QTest::newRow(action) << action;
  }

  void each_action_does_what_it_says() {
    QFETCH(QString, action);
    const Device device = make_device();
    const std::string content = pattern(4 * mebibyte, 7);
    {
      const Descriptor raw(open(device.loop->path().c_str(), O_RDWR | O_CLOEXEC));
      QCOMPARE(pwrite(raw.get(), content.data(), content.size(), 0), static_cast<ssize_t>(content.size()));
      QCOMPARE(fsync(raw.get()), 0);
    }
    const QString image = make_image(bob, std::string(4 * mebibyte, '\0'));
    Client client(bob, {"action=" + action, "device=" + device.path(), "image=" + image});
    QVERIFY2(client.end().startsWith("ended well"), qPrintable(client.said()));
    QVERIFY(wait_for_no_workers() >= 0);
    const bool reads = action == "convert.read" || action == "inspect" || action == "sweep.read";
    QCOMPARE(device.content() == content, reads);
    QCOMPARE(device.content().substr(mebibyte) == content.substr(mebibyte), true);
    if (action == "zero") QCOMPARE(device.content().substr(0, mebibyte), std::string(mebibyte, '\0'));
    if (action == "convert.read") QCOMPARE(read_file(image.toStdString()), content);
  }

  void flush_says_when_it_is_done() {
    const Device device = make_device();
    Client client(alice, {"action=flush", "device=" + device.path()});
    QVERIFY2(!client.line("hello").isEmpty(), qPrintable(client.said()));
  }

  void the_request_size_comes_back_with_the_end_of_the_client() {
    const Device device = make_device();
    const std::string attribute = "/sys/block/" + device.loop->name() + "/queue/max_sectors_kb";
    const std::string before = read_file(attribute);
    {
      Client client(alice, {"action=tune", "device=" + device.path()});
      QVERIFY2(!client.line("hello").isEmpty(), qPrintable(client.said()));
      QCOMPARE(read_file(attribute), "512\n");
      QVERIFY(before != "512\n");
    }
    QVERIFY(soon([&] { return read_file(attribute) == before; }));
  }

  void two_users_six_jobs_at_once_and_each_gets_its_own() {
    struct Job {
      Device device;
      std::string content;
      std::unique_ptr<Client> client;
    };
    std::vector<Job> jobs;
    for (unsigned i = 0; i < 6; ++i) {
      const uid_t user = i % 2 ? alice : bob;
      Job job{.device = make_device(), .content = pattern((i + 1) * mebibyte / 2, 10 + i)};
      job.client = std::make_unique<Client>(user, convert(job.device, make_image(user, job.content)));
      jobs.push_back(std::move(job));
    }
    for (Job& job : jobs) {
      QVERIFY2(job.client->end().startsWith("ended well"), qPrintable(job.client->said()));
      QCOMPARE(job.device.content().substr(0, job.content.size()), job.content);
      static const QRegularExpression total("total (\\d+) ");
      for (auto match = total.globalMatch(job.client->said()); match.hasNext();) {
        const auto size = match.next().captured(1).toULongLong();
        QVERIFY2(size == 0 || size == job.content.size(), qPrintable(job.client->said()));
      }
    }
  }

  void nobody_else_can_stop_a_job() {
    const Device device = make_device();
    Endless endless;
    Client client(alice, endless.words(device), {endless.reader.get()});
    QVERIFY(!client.line("hello").isEmpty());
    QVERIFY(soon([] { return workers().size() == 1; }));
    const pid_t worker = workers().at(0).pid;
    const auto as_bob = [](const std::vector<std::string>& command) {
      std::vector<std::string> words{"setpriv", "--reuid=2002", "--regid=2002", "--clear-groups"};
      words.insert(words.end(), command.begin(), command.end());
      return run_program(words).status;
    };
    as_bob({"dbus-send", "--system", "--dest=org.disklathe.helper", "/", "org.kde.kf6auth.stopAction",
            "string:org.disklathe.helper.convert"});
    QVERIFY(as_bob({"kill", "-TERM", std::to_string(worker)}) != 0);
    endless.writer = {};
    QVERIFY2(client.end().startsWith("ended well"), qPrintable(client.said()));
    // And what was said to the helper meanwhile harms nobody who comes later.
    Client next(bob, convert(device, make_image(bob, pattern(mebibyte, 8))));
    QVERIFY2(next.end().startsWith("ended well"), qPrintable(next.said()));
  }

  void a_stop_is_quick() {
    const Device device = make_device();
    const Endless endless;
    Client client(alice, endless.words(device), {endless.reader.get()});
    QVERIFY(!client.line("total").isEmpty());
    client.tell();
    const QString end = client.end();
    qInfo("from stop to the end: %lld ms", end.section(' ', 2, 2).toLongLong());
    QVERIFY2(end.startsWith("ended stopped") || end.startsWith("ended crashed"), qPrintable(end));
    QVERIFY(end.section(' ', 2, 2).toLongLong() <= 100 * patience());
  }

  void a_killed_client_takes_its_worker_along() {
    const Device device = make_device();
    const Endless endless;
    Client client(alice, endless.words(device), {endless.reader.get()});
    QVERIFY(!client.line("total").isEmpty());
    QVERIFY(soon([] { return workers().size() == 1; }));
    client.kill();
    const qint64 took = wait_for_no_workers();
    qInfo("from SIGKILL of the client to the end of the worker: %lld ms", took);
    QVERIFY(took >= 0 && took <= 100 * patience());
  }

  void twenty_killed_clients_each_take_their_worker_along_in_time() {
    struct Job {
      Device device;
      Endless endless{};
      std::unique_ptr<Client> client{};
    };
    std::vector<Job> jobs;
    for (int i = 0; i < 5; ++i) jobs.push_back({.device = make_device(mebibyte)});
    std::vector<qint64> times;
    for (int round = 0; round < 4; ++round) {
      for (Job& job : jobs) {
        job.endless = {};
        job.client =
            std::make_unique<Client>(alice, job.endless.words(job.device), std::vector<int>{job.endless.reader.get()});
      }
      for (const Job& job : jobs) QVERIFY2(!job.client->line("total").isEmpty(), qPrintable(job.client->said()));
      // Who started a worker still has its device, until it ends.
      QVERIFY(soon([&] { return workers().size() == jobs.size() && processes("disklathe-opener").empty(); }));
      for (const Job& job : jobs) {
        job.client->kill();
        QElapsedTimer clock;
        clock.start();
        // Until the device is free again: it is the last thing that goes.
        const std::string path = job.device.loop->path();
        QVERIFY(soon([&] { return Descriptor(open(path.c_str(), O_RDWR | O_EXCL | O_CLOEXEC)).open(); }));
        times.push_back(clock.elapsed());
      }
      QVERIFY(wait_for_no_workers() >= 0);
    }
    std::ranges::sort(times);
    qInfo("of 20: %lld ms in the middle, %lld ms at most", times[10], times.back());
    // Where others want the processors too nobody promises when a process runs.
    double load = 0;
    if (getloadavg(&load, 1) == 1 && load < static_cast<double>(std::thread::hardware_concurrency()))
      QVERIFY(times.back() < 100 * patience());
    QVERIFY(times[10] < 100 * patience());
  }

  void a_killed_helper_leaves_jobs_alone() {
    const Device device = make_device();
    Endless endless;
    Client client(alice, endless.words(device), {endless.reader.get()});
    QVERIFY(!client.line("hello").isEmpty());
    const auto helpers = processes("disklathe-helper");
    QCOMPARE(helpers.size(), 1u);
    QCOMPARE(helpers[0].user, 0u);
    ::kill(helpers[0].pid, SIGKILL);
    QVERIFY(soon([] { return processes("disklathe-helper").empty(); }));
    QVERIFY(soon([] { return workers().size() == 1; }));
    const std::string content = pattern(60000, 9);
    QCOMPARE(write(endless.writer.get(), content.data(), content.size()), static_cast<ssize_t>(content.size()));
    endless.writer = {};
    QVERIFY2(client.end().startsWith("ended well"), qPrintable(client.said()));
    QCOMPARE(device.content().substr(0, 10 + content.size()), "some bytes" + content);
  }
};

int main(int count, char** arguments) { return run_in_rig<JobsTest>(count, arguments); }

#include "jobs_test.moc"
