// SPDX-License-Identifier: GPL-3.0-or-later
//
// Real workers, from the side of their client.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QTest>
#include <thread>

#include "core/device/target_file.h"
#include "core/job/client.h"
#include "tests/support/made_image.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;
using namespace disklathe::job;

namespace {

constexpr uint64_t mib = 1 << 20;

Launch launch() {
  const char* build = std::getenv("DISKLATHE_BUILD_DIR");
  return {.program = std::string(build ? build : ".") + "/bin/disklathe-worker"};
}

std::unique_ptr<FileDevice> open_file(const std::string& path, bool writable = false) {
  auto file = FileDevice::open({.path = path, .writable = writable});
  return file ? std::move(*file) : nullptr;
}

// Nothing yet: the worker is late. Fails the test after five seconds.
std::optional<Client::Event> next_event(Client& client) {
  for (int patience = 0; patience < 100; ++patience) {
    if (auto event = client.take()) return event;
    pollfd watched{client.descriptor(), POLLIN, 0};
    poll(&watched, 1, 50);
  }
  return std::nullopt;
}

template <class T>
std::optional<T> next(Client& client) {
  while (auto event = next_event(client)) {
    if (auto* wanted = std::get_if<T>(&*event)) return std::move(*wanted);
    if (std::holds_alternative<Client::Ended>(*event)) return std::nullopt;
  }
  return std::nullopt;
}

std::string cause_of(const Result<Outcome>& result) { return result ? "" : test::describe(result.error()); }

// A conversion of source to target, both of this folder.
struct Conversion {
  test::TempDir dir{test::TempDir::Where::memory};
  std::unique_ptr<FileDevice> source;
  std::unique_ptr<TargetFile> target;
  Handover files;
  Convert work;

  std::unique_ptr<Client> start(Launch how = launch()) {
    source = open_file(dir.file("source"));
    auto made = TargetFile::create(dir.file("target"), CacheMode::automatic);
    if (!source || !made) return nullptr;
    target = std::move(*made);
    if (!files.add(Role::source, *source, false, CacheMode::automatic)) return nullptr;
    if (!files.add(Role::target, target->device(), true, CacheMode::automatic)) return nullptr;
    auto client = Client::start({.files = files.files(), .work = work}, files.descriptors(), how);
    return client ? std::move(*client) : nullptr;
  }
};

std::string pattern(uint64_t size) {
  std::string content(size, '\0');
  for (uint64_t i = 0; i < size; i += 1 + i % 7) content[i] = static_cast<char>(i * 31);
  return content;
}

bool runs(pid_t pid) { return kill(pid, 0) == 0; }

}  // namespace

class WorkerTest : public QObject {
  Q_OBJECT

 private slots:
  void aConversionInAWorkerGivesTheSameBytes() {
    Conversion job;
    const std::string content = pattern(5 * mib + 4096);
    test::write_file(job.dir.file("raw"), content);
    QCOMPARE(
        test::run_program({"qemu-img", "convert", "-c", "-O", "qcow2", job.dir.file("raw"), job.dir.file("source")})
            .status,
        0);
    job.work = {.source_format = "qcow2", .verify = true};
    auto client = job.start();
    QVERIFY(client);
    Progress progress;
    const Stop stop;
    const auto outcome = run(*client, {}, progress, stop);
    QVERIFY2(outcome, cause_of(outcome).c_str());
    QVERIFY(std::get<Converted>(*outcome).verified);
    QVERIFY(job.target->commit(true));
    QVERIFY(test::read_file(job.dir.file("target")) == content);
  }

  void aScratchFileIsGivenItsRoomAndMeasured() {
    test::TempDir dir;
    auto target = TargetFile::create(dir.file("scratch"), CacheMode::none);
    QVERIFY(target);
    Handover files;
    QVERIFY(files.add(Role::target, **target, CacheMode::none));
    const Sweep work{.sizes = {4096, 65536},
                     .write = true,
                     .lay_out = true,
                     .area = mib,
                     .nanoseconds_per_size = 20'000'000,
                     .bytes_per_size = mib,
                     .rounds = 2};
    const auto client = Client::start({.files = files.files(), .work = work}, files.descriptors(), launch());
    QVERIFY(client);
    Progress progress;
    const Stop stop;
    const auto outcome = run(**client, {}, progress, stop);
    QVERIFY2(outcome, cause_of(outcome).c_str());
    const auto& points = std::get<Swept>(*outcome).points;
    QCOMPARE(points.size(), size_t{2});
    for (const SweepPoint& point : points) QVERIFY(point.rate > 0);
    target->reset();
    QVERIFY(dir.names().empty());  // nobody gave it a name
  }

  void digestsAreTakenInAWorker() {
    test::TempDir dir(test::TempDir::Where::memory);
    const std::string content = pattern(5 * mib);
    test::write_file(dir.file("raw"), content);
    QCOMPARE(test::run_program({"qemu-img", "convert", "-c", "-O", "qcow2", dir.file("raw"), dir.file("image")}).status,
             0);
    QCOMPARE(test::run_program({"gzip", "-k", dir.file("raw")}).status, 0);
    const QByteArrayView view(content.data(), static_cast<qsizetype>(content.size()));
    const auto sha256 = QCryptographicHash::hash(view, QCryptographicHash::Sha256).toHex().toStdString();
    for (const char* name : {"raw", "image", "raw.gz"}) {
      const auto source = open_file(dir.file(name));
      Handover files;
      QVERIFY(files.add(Role::source, *source, false, CacheMode::automatic));
      auto client = Client::start({.files = files.files(), .work = Checksum{}}, files.descriptors(), launch());
      QVERIFY(client);
      Progress progress;
      const auto outcome = run(**client, {}, progress, Stop());
      QVERIFY2(outcome, cause_of(outcome).c_str());
      const auto& sums = std::get<Checksums>(*outcome);
      QCOMPARE(sums.size, content.size());
      QCOMPARE(sums.sha256, sha256);
      QCOMPARE(sums.xxh128.size(), 32U);
      QCOMPARE(progress.verified.load(), content.size());
    }
  }

  void nothingIsWrittenBeforeGo() {
    Conversion job;
    test::write_file(job.dir.file("source"), pattern(mib));
    auto client = job.start();
    QVERIFY(client);
    QVERIFY(next<Hello>(*client));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    QCOMPARE(job.target->device().allocated_bytes().value_or(1), 0U);
    QVERIFY(!client->take());
    QVERIFY(client->go());
    const auto ended = next<Client::Ended>(*client);
    QVERIFY(ended && ended->result);
  }

  // What is under way when the pause comes may still arrive; then nothing does, until it goes on.
  void aPausedJobBeginsNothingNew() {
    Conversion job;
    const Descriptor source(open(job.dir.file("source").c_str(), O_RDWR | O_CREAT, 0600));
    QCOMPARE(ftruncate(source.get(), static_cast<off_t>(400 * mib)), 0);
    job.work = {.source_format = "raw", .sparse_size = 0, .verify = true};
    auto client = job.start();
    QVERIFY(client && next<Hello>(*client));
    QVERIFY(client->go());
    QVERIFY(client->pause());
    std::optional<Reading> reading;
    for (int looks = 0; looks < 50 && !(reading && reading->paused); ++looks) reading = next<Reading>(*client);
    QVERIFY(reading && reading->paused);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    while (client->take()) {
    }
    const auto before = next<Reading>(*client), after = next<Reading>(*client);
    QVERIFY(before && after && after->paused);
    QCOMPARE(after->completed, before->completed);
    QVERIFY(after->completed < 400 * mib);
    QVERIFY(client->resume());
    const auto ended = next<Client::Ended>(*client);
    QVERIFY2(ended && ended->result, ended ? cause_of(ended->result).c_str() : "no end");
    QVERIFY(std::get<Converted>(*ended->result).verified);
  }

  void aPausedJobIsStopped() {
    Conversion job;
    const Descriptor source(open(job.dir.file("source").c_str(), O_RDWR | O_CREAT, 0600));
    QCOMPARE(ftruncate(source.get(), static_cast<off_t>(400 * mib)), 0);
    job.work = {.source_format = "raw", .sparse_size = 0};
    auto client = job.start();
    QVERIFY(client && next<Hello>(*client));
    QVERIFY(client->go());
    QVERIFY(client->pause());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    QVERIFY(client->stop());
    const auto ended = next<Client::Ended>(*client);
    QVERIFY(ended && !ended->result);
    QCOMPARE(ended->result.error().kind, ErrorKind::stopped);
  }

  void helloTellsWhichLayersAreOn() {
    Conversion job;
    test::write_file(job.dir.file("source"), pattern(mib));
    auto client = job.start();
    QVERIFY(client);
    const auto hello = next<Hello>(*client);
    QVERIFY(hello);
    std::vector<std::string> names;
    for (const SandboxLayer& layer : hello->layers) {
      names.push_back(layer.name);
      qInfo("%s: %s %s", layer.name.c_str(), layer.on ? "on" : "absent", layer.detail.c_str());
    }
    QCOMPARE(names, (std::vector<std::string>{"user", "untraced", "limits", "rings", "landlock", "seccomp"}));
    QVERIFY(std::ranges::all_of(hello->layers, &SandboxLayer::on));
  }

  void aFileThatTheImageNamesIsAskedFor() {
    Conversion job;
    const std::string content = pattern(2 * mib);
    test::write_file(job.dir.file("base"), content);
    QCOMPARE(test::run_program({"qemu-img", "create", "-f", "qcow2", "-b", "base", "-F", "raw", job.dir.file("source")})
                 .status,
             0);
    job.work = {.source_format = "qcow2", .verify = true};
    auto client = job.start();
    QVERIFY(client);
    std::vector<std::string> asked;
    Progress progress;
    const Callbacks callbacks{.open = [&](const Question& question) -> Result<std::unique_ptr<FileDevice>> {
      asked.push_back(question.path);
      return FileDevice::open({.path = question.path});
    }};
    const auto outcome = run(*client, callbacks, progress, Stop());
    QVERIFY2(outcome, cause_of(outcome).c_str());
    QCOMPARE(asked, std::vector<std::string>{job.dir.file("base")});
    QVERIFY(job.target->commit(true));
    QVERIFY(test::read_file(job.dir.file("target")) == content);
  }

  void aRefusalIsTheJobsError() {
    Conversion job;
    test::write_file(job.dir.file("base"), pattern(mib));
    QCOMPARE(test::run_program({"qemu-img", "create", "-f", "qcow2", "-b", "base", "-F", "raw", job.dir.file("source")})
                 .status,
             0);
    auto client = job.start();
    QVERIFY(client);
    QVERIFY(next<Hello>(*client));
    QVERIFY(client->go());
    const auto question = next<Question>(*client);
    QVERIFY(question);
    QCOMPARE(question->reference.name, "base");
    QCOMPARE(question->reference.format, "raw");
    QVERIFY(client->refuse(*question, {.kind = ErrorKind::refused, .subject = "base", .cause = "not today"}));
    const auto ended = next<Client::Ended>(*client);
    QVERIFY(ended && !ended->result);
    QCOMPARE(ended->result.error().kind, ErrorKind::refused);
    QCOMPARE(ended->result.error().cause, "not today");
    QVERIFY(!test::run_program({"test", "-e", job.dir.file("target")}).status == 0);
  }

  // The same errors as without a worker, as values.
  void errorsArriveAsValues() {
    Conversion job;
    test::write_file(job.dir.file("source"), "QFI\xfb" + std::string(1000, '\xff'));
    job.work.source_format = "qcow2";
    auto client = job.start();
    Progress progress;
    const auto outcome = run(*client, {}, progress, Stop());
    QVERIFY(!outcome);
    QVERIFY(outcome.error().kind == ErrorKind::unsupported || outcome.error().kind == ErrorKind::corrupt);
    QCOMPARE(outcome.error().subject, job.dir.file("source"));
  }

  void startAndStopAreQuick() {
    std::vector<qint64> starts, stops;
    for (int i = 0; i < 5; ++i) {
      Conversion job;
      {
        const Descriptor big(open(job.dir.file("source").c_str(), O_RDWR | O_CREAT, 0600));
        QCOMPARE(ftruncate(big.get(), 1LL << 40), 0);  // zeroes that -S 0 has written for long
      }
      job.work = {.source_format = "raw", .existing = false, .sparse_size = 0};
      QElapsedTimer timer;
      timer.start();
      auto client = job.start();
      QVERIFY(client && next<Hello>(*client));
      starts.push_back(timer.nsecsElapsed() / 1000);
      QVERIFY(client->go());
      QVERIFY(next<Reading>(*client));
      timer.restart();
      QVERIFY(client->stop());
      const auto ended = next<Client::Ended>(*client);
      stops.push_back(timer.nsecsElapsed() / 1000);
      QVERIFY(ended && !ended->result);
    }
    std::ranges::sort(starts);
    std::ranges::sort(stops);
    qInfo("from the start to hello: %.1f ms (median of 5), from stop to the end: %.1f ms",
          static_cast<double>(starts[2]) / 1000, static_cast<double>(stops[2]) / 1000);
    QVERIFY(starts[0] < 60000);
    QVERIFY(stops[0] < 100000);
  }

  void theEndOfTheConnectionIsTheEnd() {
    Conversion job;
    {
      const Descriptor big(open(job.dir.file("source").c_str(), O_RDWR | O_CREAT, 0600));
      QCOMPARE(ftruncate(big.get(), 1LL << 40), 0);
    }
    job.work.source_format = "raw";
    job.work.sparse_size = 0;
    // A worker that is nobody's child, as the helper starts it: only the connection holds it.
    auto sockets = make_socket_pair();
    auto client = job.start();
    QVERIFY(client && next<Hello>(*client));
    QVERIFY(client->go());
    QVERIFY(next<Reading>(*client));
    const pid_t pid = client->pid();
    QVERIFY(runs(pid));
    QElapsedTimer timer;
    timer.start();
    client.reset();
    QVERIFY(timer.elapsed() < 150);
    QVERIFY(!runs(pid));
  }

  void whoLaunchesSaysWhatForAndWithWhat() {
    test::TempDir dir(test::TempDir::Where::memory);
    test::write_file(dir.file("device"), pattern(mib));
    test::write_file(dir.file("target"), "");
    const auto device = open_file(dir.file("device"));
    const auto target = open_file(dir.file("target"), true);
    const auto launched = [&](Work work, bool with_target) {
      auto sockets = make_socket_pair();
      Launch how = launch();
      how.socket = sockets->worker.get();
      how.uid = how.gid = 65534;
      how.only = Kind::inspect;
      how.orphan = true;
      how.grants = {{.role = Role::source, .fd = device->descriptor()}};
      const auto pid = launch_worker(how);
      if (!pid || *pid != 0) return failure(ErrorKind::io, "test", "not launched").error();
      sockets->worker = {};
      auto client = Client::connect(std::move(sockets->client));
      Handover files;
      files.add_granted({.role = Role::source, .name = "/dev/sdx"});
      if (with_target) (void)files.add(Role::target, *target, true, CacheMode::writeback);
      if (auto begun = client->begin({.files = files.files(), .work = std::move(work)}, files.descriptors()); !begun)
        return begun.error();
      Progress progress;
      const auto outcome = run(*client, {}, progress, Stop());
      return outcome ? Error{.cause = "done"} : outcome.error();
    };
    QCOMPARE(launched(Inspect{}, false).cause, "done");
    // What was opened to be inspected is not copied out.
    QCOMPARE(launched(Convert{}, true).cause, "this worker was started for another kind of job");
    QCOMPARE(launched(Inspect{}, true).cause, "the file \"target\" has no use here");
  }

  void aJobHasOnlyTheDescriptorsItWasGiven() {
    Conversion job;
    test::write_file(job.dir.file("source"), pattern(mib));
    const Descriptor secret(open("/dev/null", O_RDONLY));  // not CLOEXEC
    auto client = job.start();
    QVERIFY(client && next<Hello>(*client));
    const auto listing = test::run_program({"ls", "-l", "/proc/" + std::to_string(client->pid()) + "/fd"});
    if (listing.status != 0) QSKIP("only root sees the descriptors of a worker");
    const QStringList lines = QString::fromStdString(listing.output).split('\n');
    for (const QString& line : lines) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
      if (line.contains(" 2 -> ")) continue;  // what a sanitizer finds has to be said
#endif
      const bool known = line.contains("/dev/null") || line.contains("socket:") || line.contains("anon_inode") ||
                         line.contains(QString::fromStdString(job.dir.path())) || !line.contains("->");
      QVERIFY2(known, qPrintable(line));
    }
    QCOMPARE(lines.filter("socket:").size(), 1);
  }
};

QTEST_GUILESS_MAIN(WorkerTest)
#include "worker_test.moc"
