// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/kept.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "core/device/target_file.h"
#include "tests/support/made_image.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;
using namespace disklathe::job;

namespace {

Launch launch() {
  const char* build = std::getenv("DISKLATHE_BUILD_DIR");
  return {.program = std::string(build ? build : ".") + "/bin/disklathe-worker"};
}

template <class T>
std::optional<T> next(Client& client) {
  for (int patience = 0; patience < 100; ++patience) {
    while (auto event = client.take())
      if (auto* wanted = std::get_if<T>(&*event)) return std::move(*wanted);
    pollfd watched{client.descriptor(), POLLIN, 0};
    poll(&watched, 1, 50);
  }
  return std::nullopt;
}

}  // namespace

class KeptTest : public QObject {
  Q_OBJECT

  // Starts a conversion and leaves it; the id under which it goes on.
  std::string start_and_leave(const test::TempDir& dir, uint64_t size) {
    {
      const Descriptor source(open(dir.file("source").c_str(), O_RDWR | O_CREAT, 0600));
      if (ftruncate(source.get(), static_cast<off_t>(size)) != 0 || pwrite(source.get(), "data", 4, 4096) != 4)
        return {};
    }
    auto source = FileDevice::open({.path = dir.file("source")});
    auto target = TargetFile::create(dir.file("target"), CacheMode::automatic);
    Handover files;
    if (!source || !target || !files.add(Role::source, **source, false, CacheMode::automatic) ||
        !files.add(Role::target, **target, CacheMode::automatic))
      return {};
    const Spec spec{.files = files.files(), .work = Convert{.source_format = "raw", .sparse_size = 0}};
    auto client = Client::start(spec, files.descriptors(), launch());
    auto place = make_kept_place();
    if (!client || !place || !next<Hello>(**client) || !(*client)->keep(place->listening.get()) || !(*client)->go())
      return {};
    (*target)->hand_on();
    return place->id;
  }

  // Nobody listens there any more, and the name goes.
  static bool ends(const std::string& id) {
    for (int patience = 0; patience < 100 && attach(id); ++patience)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return kept_jobs().empty();
  }

  test::TempDir runtime_{test::TempDir::Where::memory};

 private slots:
  void initTestCase() { qputenv("XDG_RUNTIME_DIR", runtime_.path().c_str()); }

  void aKeptJobIsFinishedByItsNextClient() {
    const test::TempDir dir(test::TempDir::Where::memory);
    const std::string id = start_and_leave(dir, 4 << 20);
    QVERIFY(!id.empty());
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    QVERIFY(!std::filesystem::exists(dir.file("target")));
    // To list it is not to hear its result.
    for (int look = 0; look < 8; ++look) QCOMPARE(kept_jobs(), std::vector<std::string>{id});
    auto client = attach(id);
    QVERIFY(client);
    const auto attached = next<Attached>(**client);
    QVERIFY(attached);
    const auto written = (*client)->take_attached();
    QCOMPARE(written.size(), 1U);
    const auto ended = next<Client::Ended>(**client);
    QVERIFY(ended && ended->result);
    const auto committed = commit_attached(attached->spec, written);
    QVERIFY2(committed, committed ? "" : test::describe(committed.error()).c_str());
    QVERIFY(test::read_file(dir.file("target")) == test::read_file(dir.file("source")));
    QVERIFY((*client)->taken());
    QVERIFY(ends(id));
  }

  // Each of these clients ends where another could be killed; the next one finds all that there was.
  void aClientThatEndsAtAnyMomentLosesNothing() {
    const test::TempDir dir(test::TempDir::Where::memory);
    const std::string id = start_and_leave(dir, 4 << 20);
    QVERIFY(!id.empty());
    QVERIFY(attach(id));  // before it is told anything
    {
      auto client = attach(id);
      QVERIFY(client && next<Attached>(**client));
    }
    for (int round = 0; round < 3; ++round) {  // with the result heard, and nothing made of it
      auto client = attach(id);
      QVERIFY(client && next<Attached>(**client));
      const auto ended = next<Client::Ended>(**client);
      QVERIFY(ended && ended->result);
      QVERIFY(!std::filesystem::exists(dir.file("target")));
    }
    for (int round = 0; round < 2; ++round) {  // with its name given, and nobody told
      auto client = attach(id);
      QVERIFY(client);
      const auto attached = next<Attached>(**client);
      const auto ended = next<Client::Ended>(**client);
      QVERIFY(attached && ended && ended->result);
      const auto committed = commit_attached(attached->spec, (*client)->take_attached());
      QVERIFY2(committed, committed ? "" : test::describe(committed.error()).c_str());
      QVERIFY(test::read_file(dir.file("target")) == test::read_file(dir.file("source")));
      if (round == 1) QVERIFY((*client)->taken());
    }
    QVERIFY(ends(id));
  }

  // Killed for real, at moments that nobody chooses, in the middle of giving names too.
  void aClientThatIsKilledAtAnyTimeLosesNothing() {
    const test::TempDir dir(test::TempDir::Where::memory);
    test::write_file(dir.file("target"), "what was there before");
    const std::string id = start_and_leave(dir, 1 << 20);
    QVERIFY(!id.empty());
    for (int microseconds = 0;; microseconds += 150) {
      const pid_t child = fork();
      if (child == 0) {
        auto client = attach(id);
        const auto attached = client ? next<Attached>(**client) : std::nullopt;
        const auto ended = attached ? next<Client::Ended>(**client) : std::nullopt;
        if (!ended || !ended->result) _exit(1);
        if (!commit_attached(attached->spec, (*client)->take_attached())) _exit(2);
        _exit(0);  // and has not said so
      }
      usleep(static_cast<useconds_t>(microseconds));
      kill(child, SIGKILL);
      int status = 0;
      waitpid(child, &status, 0);
      if (WIFEXITED(status)) {
        QCOMPARE(WEXITSTATUS(status), 0);
        break;
      }
      QVERIFY(microseconds < 100'000);
    }
    auto client = attach(id);
    QVERIFY(client);
    const auto attached = next<Attached>(**client);
    const auto ended = next<Client::Ended>(**client);
    QVERIFY(attached && ended && ended->result);
    QVERIFY(commit_attached(attached->spec, (*client)->take_attached()));
    QVERIFY((*client)->taken());
    QVERIFY(ends(id));
    QVERIFY(test::read_file(dir.file("target")) == test::read_file(dir.file("source")));
    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(dir.path())) left.push_back(entry.path().filename());
    std::ranges::sort(left);
    QCOMPARE(left, (std::vector<std::string>{"source", "target"}));
  }

  void nothingIsKeptOfAJobWhoseClientNeverAskedForIt() {
    const test::TempDir dir(test::TempDir::Where::memory);
    test::write_file(dir.file("source"), "data");
    auto source = FileDevice::open({.path = dir.file("source")});
    auto target = TargetFile::create(dir.file("target"), CacheMode::automatic);
    Handover files;
    QVERIFY(source && target && files.add(Role::source, **source, false, CacheMode::automatic) &&
            files.add(Role::target, **target, CacheMode::automatic));
    auto client =
        Client::start({.files = files.files(), .work = Convert{.source_format = "raw"}}, files.descriptors(), launch());
    QVERIFY(client && next<Hello>(**client) && (*client)->go());
    const auto ended = next<Client::Ended>(**client);
    QVERIFY(ended && ended->result);
    const pid_t worker = (*client)->pid();
    client->reset();
    QVERIFY(kill(worker, 0) != 0);
  }

  void aJobThatHadJustEndedWhenItWasToBeKeptIsKept() {
    const test::TempDir dir(test::TempDir::Where::memory);
    test::write_file(dir.file("source"), "data");
    auto place = make_kept_place();
    QVERIFY(place);
    {
      auto source = FileDevice::open({.path = dir.file("source")});
      auto target = TargetFile::create(dir.file("target"), CacheMode::automatic);
      Handover files;
      QVERIFY(source && target && files.add(Role::source, **source, false, CacheMode::automatic) &&
              files.add(Role::target, **target, CacheMode::automatic));
      auto client = Client::start({.files = files.files(), .work = Convert{.source_format = "raw"}},
                                  files.descriptors(), launch());
      QVERIFY(client && next<Hello>(**client) && (*client)->go());
      std::this_thread::sleep_for(std::chrono::milliseconds(200));  // it has ended, and this client has not looked
      QVERIFY((*client)->keep(place->listening.get()));
      place->listening = {};
      (*target)->hand_on();
    }
    auto client = attach(place->id);
    QVERIFY(client);
    const auto attached = next<Attached>(**client);
    const auto ended = next<Client::Ended>(**client);
    QVERIFY(attached && ended && ended->result);
    QVERIFY(commit_attached(attached->spec, (*client)->take_attached()));
    QVERIFY((*client)->taken());
    QVERIFY(ends(place->id));
    QCOMPARE(test::read_file(dir.file("target")), "data");
  }

  void whatTookItsNameMeanwhileIsNotReplaced() {
    const test::TempDir dir(test::TempDir::Where::memory);
    const std::string id = start_and_leave(dir, 1 << 20);
    test::write_file(dir.file("target"), "somebody else's");
    auto client = attach(id);
    QVERIFY(client);
    const auto attached = next<Attached>(**client);
    const auto written = (*client)->take_attached();
    const auto ended = next<Client::Ended>(**client);
    QVERIFY(attached && ended && ended->result);
    const auto committed = commit_attached(attached->spec, written);
    QVERIFY(!committed);
    QCOMPARE(committed.error().kind, ErrorKind::refused);
    QCOMPARE(test::read_file(dir.file("target")), "somebody else's");
    QVERIFY((*client)->stop());  // nobody else will take it
    QVERIFY(ends(id));
  }

  void aKeptJobIsStoppedByWhoAttaches() {
    const test::TempDir dir(test::TempDir::Where::memory);
    const std::string id = start_and_leave(dir, 1ULL << 40);
    auto client = attach(id);
    QVERIFY(client && next<Attached>(**client));
    QVERIFY((*client)->stop());
    next<Client::Ended>(**client);
    client->reset();
    for (int patience = 0; patience < 100 && !kept_jobs().empty(); ++patience)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    QVERIFY(kept_jobs().empty());
    QVERIFY(!std::filesystem::exists(dir.file("target")));
    QVERIFY(!attach(id));
  }

  void aFolderThatOthersMayEnterIsNotUsed() {
    const std::string folder = runtime_.path() + "/disklathe";
    QCOMPARE(chmod(folder.c_str(), 0755), 0);
    const auto place = make_kept_place();
    QVERIFY(!place);
    QCOMPARE(place.error().kind, ErrorKind::refused);
    QCOMPARE(chmod(folder.c_str(), 0700), 0);
  }

  void onlyAnIdLeadsToAJob() {
    for (const char* id : {"../../etc", "", "UPPERCASE", "short", "abcdefgh"}) QVERIFY(!attach(id));
  }
};

QTEST_GUILESS_MAIN(KeptTest)
#include "kept_test.moc"
