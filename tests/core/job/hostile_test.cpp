// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a job does to its client when an image has got hold of its worker: it ends with an error value, soon, and that
// is all. The workers here are sealed as the real ones and do what their source is called.
#include <fcntl.h>
#include <signal.h>
#include <QElapsedTimer>
#include <QTest>

#include <thread>

#include "core/job/client.h"
#include "tests/support/made_image.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;
using namespace disklathe::job;

namespace {

Launch hostile() {
  const char* build = std::getenv("DISKLATHE_BUILD_DIR");
  return {.program = std::string(build ? build : ".") + "/tests/bin/disklathe-hostile-worker"};
}

struct Victim {
  test::TempDir dir{test::TempDir::Where::memory};
  std::unique_ptr<FileDevice> file;
  std::unique_ptr<FileDevice> target;  // of a conversion into what is there
  std::unique_ptr<Client> client;
  bool asked = false;
  std::vector<Note> notes;

  explicit Victim(const std::string& what, Work work = Inspect{}) {
    test::write_file(dir.file("image"), std::string(1 << 20, 'x'));
    // The name is what the worker is told; it need not lead anywhere.
    const int fd = open(dir.file("image").c_str(), O_RDONLY | O_CLOEXEC);
    auto adopted = FileDevice::adopt(fd, what, false, CacheMode::writeback);
    if (adopted) file = std::move(*adopted);
    Handover files;
    if (!file || !files.add(Role::source, *file, false, CacheMode::writeback)) return;
    if (std::holds_alternative<Convert>(work)) {
      test::write_file(dir.file("target"), std::string(1 << 20, 'y'));
      auto opened = FileDevice::open({.path = dir.file("target"), .writable = true});
      if (!opened || !files.add(Role::target, **opened, true, CacheMode::writeback)) return;
      target = std::move(*opened);
    }
    auto started = Client::start({.files = files.files(), .work = work}, files.descriptors(), hostile());
    if (started) client = std::move(*started);
  }

  Result<Outcome> run_to_the_end(const Stop& stop = {}) {
    Progress progress;
    const Callbacks callbacks{.note = [this](const Note& note) { notes.push_back(note); },
                              .open = [this](const Question&) -> Result<std::unique_ptr<FileDevice>> {
                                asked = true;
                                return failure(ErrorKind::refused, "open", "no");
                              }};
    return run(*client, callbacks, progress, stop);
  }
};

}  // namespace

class HostileTest : public QObject {
  Q_OBJECT

 private slots:
  void aWorkerThatDiesIsAnError_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("cause");
    QTest::newRow("by a bad access") << "crash" << "signal 11";
    QTest::newRow("by taking all the memory") << "bomb" << "signal 6";
    QTest::newRow("by starting a program") << "exec" << "may not make";
    QTest::newRow("without a word") << "vanish" << "ended with 0";
  }
  void aWorkerThatDiesIsAnError() {
    QFETCH(QString, what);
    QFETCH(QString, cause);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (what != "vanish" && what != "exec") QSKIP("a sanitizer ends these in its own way");
#endif
    Victim victim(what.toStdString());
    QVERIFY(victim.client);
    QElapsedTimer timer;
    timer.start();
    const auto outcome = victim.run_to_the_end();
    QVERIFY(!outcome);
    QCOMPARE(outcome.error().kind, ErrorKind::crashed);
    QVERIFY2(outcome.error().cause.contains(cause.toStdString()), outcome.error().cause.c_str());
    qInfo("%s: %s, after %lld ms", qPrintable(what), outcome.error().cause.c_str(), timer.elapsed());
    QVERIFY(timer.elapsed() < 10000);
  }

  void aWorkerThatLoopsIsStoppedAtOnce() {
    Victim victim("loop");
    QVERIFY(victim.client);
    Stop stop;
    QElapsedTimer timer;
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      timer.start();
      stop.request();
    });
    const auto outcome = victim.run_to_the_end(stop);
    later.join();
    qInfo("stopped after %lld ms", timer.elapsed());
    QVERIFY(timer.elapsed() < 400);
    QVERIFY(!outcome);
    const pid_t pid = victim.client->pid();
    timer.restart();
    victim.client.reset();
    QVERIFY(timer.elapsed() < 400);
    QVERIFY(pid == 0 || kill(pid, 0) != 0);
  }

  void whatItDidToTheTargetIsSaidForIt_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<bool>("existing");
    QTest::newRow("gone") << "vanish" << true;
    QTest::newRow("killed") << "loop" << true;
    QTest::newRow("gone, and the target was its own") << "vanish" << false;
  }
  void whatItDidToTheTargetIsSaidForIt() {
    QFETCH(QString, what);
    QFETCH(bool, existing);
    Victim victim(what.toStdString(), Convert{.source_format = "raw", .existing = existing});
    QVERIFY(victim.client);
    Stop stop;
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      stop.request();
    });
    QVERIFY(!victim.run_to_the_end(stop));
    std::vector<Note> expected;
    if (existing) expected.push_back({.kind = Note::Kind::target_mixed, .subject = victim.dir.file("target")});
    QCOMPARE(victim.notes, expected);
  }

  void aWorkerThatLoopsEndsWithItsClient() {
    Victim victim("loop");
    QVERIFY(victim.client);
    for (std::optional<Client::Event> event; !event || !std::holds_alternative<Hello>(*event);)
      event = victim.client->take();
    QVERIFY(victim.client->go());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const pid_t pid = victim.client->pid();
    QElapsedTimer timer;
    timer.start();
    victim.client.reset();
    QVERIFY(kill(pid, 0) != 0);
    QVERIFY(timer.elapsed() < 400);
  }

  void whatIsNoMessageEndsTheJob() {
    Victim victim("babble");
    QVERIFY(victim.client);
    const auto outcome = victim.run_to_the_end();
    QVERIFY(!outcome);
    QCOMPARE(outcome.error().kind, ErrorKind::invalid);
  }

  void anOutcomeOfAnotherKindIsNotBelieved() {
    Victim victim("lie");
    QVERIFY(victim.client);
    const auto outcome = victim.run_to_the_end();
    QVERIFY(!outcome);
    QCOMPARE(outcome.error().cause, "the outcome of another kind of job");
  }

  // The policy that allows files beside an image must hear only of images that are there.
  void questionsThatNoImageCanAskAreNotPassedOn_data() {
    QTest::addColumn<QString>("what");
    QTest::newRow("of an image that was not given") << "ask";
    QTest::newRow("with a path that the name does not lead to") << "ask-elsewhere";
  }
  void questionsThatNoImageCanAskAreNotPassedOn() {
    QFETCH(QString, what);
    Victim victim(what.toStdString());
    QVERIFY(victim.client);
    const auto outcome = victim.run_to_the_end();
    QVERIFY(!outcome);
    QCOMPARE(outcome.error().cause, "a question about a file that no image here names");
    QVERIFY(!victim.asked);
  }

  void othersGoOn() {
    Victim crashing("exec"), working("image");  // which a sanitizer ends no other way
    QVERIFY(crashing.client && working.client);
    QVERIFY(!crashing.run_to_the_end());
    const auto outcome = working.run_to_the_end();
    QVERIFY2(outcome, outcome ? "" : test::describe(outcome.error()).c_str());
  }
};

QTEST_GUILESS_MAIN(HostileTest)
#include "hostile_test.moc"
