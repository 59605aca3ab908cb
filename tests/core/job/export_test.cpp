// SPDX-License-Identifier: GPL-3.0-or-later
//
// Workers that serve NBD clients, from the side of their client and of NBD's.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <QElapsedTimer>
#include <QTest>
#include <thread>

#include "core/job/client.h"
#include "core/nbd/listener.h"
#include "core/nbd/remote_device.h"
#include "core/nbd/uri.h"
#include "tests/support/loop_device.h"
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

std::string pattern(uint64_t size) {
  std::string content(size, '\0');
  for (uint64_t i = 0; i < size; i += 1 + i % 7) content[i] = static_cast<char>(i * 31);
  return content;
}

template <class T>
std::optional<T> next(Client& client) {
  for (int patience = 0; patience < 100; ++patience) {
    while (auto event = client.take()) {
      if (auto* wanted = std::get_if<T>(&*event)) return std::move(*wanted);
      if (std::holds_alternative<Client::Ended>(*event)) return std::nullopt;
    }
    pollfd watched{client.descriptor(), POLLIN, 0};
    poll(&watched, 1, 50);
  }
  return std::nullopt;
}

// An image that a worker serves at a socket of its own.
struct Served {
  test::TempDir dir{test::TempDir::Where::memory};
  std::unique_ptr<FileDevice> file;
  std::optional<nbd::UnixListener> place;
  std::unique_ptr<Client> client;
  std::vector<std::string> names;  // of files that the image may name
  std::string problem;

  // False: `problem` says why.
  bool start(const std::string& path, Export work, CacheMode cache = CacheMode::automatic) {
    auto opened = FileDevice::open({.path = path, .writable = work.writable, .cache = cache});
    auto listener = nbd::UnixListener::create(dir.file("socket"));
    if (!opened || !listener) return problem = "not opened", false;
    file = std::move(*opened);
    place.emplace(std::move(*listener));
    Handover files;
    if (!files.add(work.writable ? Role::target : Role::source, *file, work.writable, cache))
      return problem = "not added", false;
    files.add_listener(place->socket().get(), place->path());
    auto started = Client::start({.files = files.files(), .work = std::move(work)}, files.descriptors(), launch());
    if (!started) return problem = test::describe(started.error()), false;
    client = std::move(*started);
    bool serves = false;
    const Callbacks callbacks{.note = [&](const Note& note) { serves |= note.kind == Note::Kind::serving; },
                              .open = [this](const Question& question) -> Result<std::unique_ptr<FileDevice>> {
                                if (!std::ranges::contains(names, question.path))
                                  return failure(os_failure(EACCES, "open", question.path));
                                return FileDevice::open({.path = question.path});
                              }};
    Progress progress;
    for (int patience = 0; patience < 100; ++patience) {
      while (auto event = client->take()) {
        const auto ended = handle(*client, *event, callbacks, progress);
        if (ended) return problem = *ended ? "it does not serve" : test::describe(ended->error()), false;
        if (serves) return true;
      }
      pollfd watched{client->descriptor(), POLLIN, 0};
      poll(&watched, 1, 50);
    }
    problem = "it does not begin";
    return false;
  }
  std::string uri(const std::string& name = "") const { return nbd::unix_uri(place->path(), name, false); }
  // Those who were there before may not be gone yet, and have the places.
  std::unique_ptr<nbd::RemoteDevice> connect(bool writable = false) const {
    for (int patience = 0; patience < 100; ++patience) {
      if (auto device = nbd::RemoteDevice::open(uri(), writable)) return std::move(*device);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return nullptr;
  }
};

std::string read_all(BlockDevice& device) {
  std::string content(device.size(), '\1');
  if (!device.read_now(0, std::as_writable_bytes(std::span(content)))) return {};
  return content;
}

void make_qcow2(const std::string& path, const QStringList& options, const std::string& base, uint64_t size = 4 * mib) {
  std::vector<std::string> words{"qemu-img", "create", "-q", "-f", "qcow2"};
  for (const QString& option : options) words.push_back(option.toStdString());
  if (!base.empty()) words.insert(words.end(), {"-b", base, "-F", "raw"});
  words.insert(words.end(), {path, std::to_string(size)});
  QCOMPARE(test::run_program(words).status, 0);
}

// On the export, and in what it should hold.
void write_both(BlockDevice& device, std::string& model, uint64_t at, size_t size, char byte) {
  const std::string block(size, byte);
  QVERIFY(device.write_now(at, std::as_bytes(std::span(block))));
  model.replace(at, block.size(), block);
}

bool runs(pid_t pid) { return kill(pid, 0) == 0; }

}  // namespace

class ExportTest : public QObject {
  Q_OBJECT

 private slots:
  void anImageIsServedFromAWorker_data() {
    QTest::addColumn<QString>("format");
    for (const char* format : {"raw", "qcow2"}) QTest::newRow(format) << format;
  }
  void anImageIsServedFromAWorker() {
    QFETCH(QString, format);
    Served served;
    const std::string content = pattern(3 * mib), raw = served.dir.file("raw"), image = served.dir.file("image");
    test::write_file(raw, content);
    QCOMPARE(test::run_program({"qemu-img", "convert", "-c", "-O", "qcow2", raw, image}).status, 0);
    QVERIFY2(served.start(format == "raw" ? raw : image, {.format = format.toStdString()}), served.problem.c_str());
    // Again and again: the last ones when all rings that were made before the seal are used up.
    for (int round = 0; round < 3; ++round) {
      const auto device = served.connect();
      QVERIFY(device);
      QVERIFY(read_all(*device) == content);
    }
  }

  void aDeviceIsServedAndWritten() {
    test::TempDir dir(test::TempDir::Where::memory);
    const std::string content = pattern(4 * mib);
    test::write_file(dir.file("disk"), content);
    const auto loop = test::LoopDevice::attach(dir.file("disk"), 512);
    if (!loop) QSKIP(test::LoopDevice::why_not());
    Served served;
    QVERIFY2(served.start(loop->path(), {.format = "raw", .writable = true, .connections = 4}, CacheMode::none),
             served.problem.c_str());
    std::string expected = content;
    for (int round = 0; round < 20; ++round) {  // more than there are rings
      const auto device = served.connect(true);
      QVERIFY(device);
      if (round == 0) QVERIFY(read_all(*device) == content);
      const std::string block(8192, static_cast<char>('a' + round));
      const auto at = static_cast<uint64_t>(round) * 65536;
      QVERIFY(device->write_now(at, std::as_bytes(std::span(block))));
      QVERIFY(device->flush_now());
      expected.replace(at, block.size(), block);
    }
    const auto device = served.connect(true);
    QVERIFY(device);
    QVERIFY(read_all(*device) == expected);
    QVERIFY(served.client->stop());
    const auto ended = next<Client::Ended>(*served.client);
    QVERIFY(ended && ended->result);
    QVERIFY(std::holds_alternative<Exported>(*ended->result));
    served.client.reset();
    QVERIFY(test::read_file(dir.file("disk")) == expected);
  }

  void aQcow2ImageIsServedAndWritten_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<bool>("backing");
    QTest::newRow("plain") << QStringList() << false;
    QTest::newRow("small clusters") << QStringList{"-o", "cluster_size=4k"} << false;
    QTest::newRow("on another image") << QStringList() << true;
  }
  void aQcow2ImageIsServedAndWritten() {
    QFETCH(QStringList, options);
    QFETCH(bool, backing);
    Served served;
    const std::string base = served.dir.file("base"), image = served.dir.file("image"), raw = served.dir.file("raw");
    std::string model = backing ? pattern(4 * mib) : std::string(4 * mib, '\0');
    test::write_file(base, model);
    make_qcow2(image, options, backing ? base : "");
    served.names = {base};
    QVERIFY2(served.start(image, {.format = "qcow2", .writable = true}), served.problem.c_str());
    for (int round = 0; round < 20; ++round) {  // more than there are rings
      const auto device = served.connect(true);
      QVERIFY(device);
      // Odd places: what a cluster held before has to be kept.
      write_both(*device, model, static_cast<uint64_t>(round) * 150'000 + 512, 3000, static_cast<char>('a' + round));
      QVERIFY(device->flush_now());
      QVERIFY(read_all(*device) == model);
    }
    QVERIFY(served.client->stop());
    const auto ended = next<Client::Ended>(*served.client);
    QVERIFY(ended && ended->result);
    QVERIFY(std::holds_alternative<Exported>(*ended->result));
    QCOMPARE(test::run_program({"qemu-img", "check", "-q", image}).status, 0);
    QCOMPARE(test::run_program({"qemu-img", "convert", "-O", "raw", image, raw}).status, 0);
    QVERIFY(test::read_file(raw) == model);
    QVERIFY(test::read_file(base) == (backing ? pattern(4 * mib) : std::string(4 * mib, '\0')));
  }

  void anImageOfAWorkerThatIsKilledIsWhole() {
    constexpr int leaks_only = 3;  // what qemu-img check ends with then
    for (int round = 0; round < 5; ++round) {
      Served served;
      const std::string image = served.dir.file("image"), raw = served.dir.file("raw");
      std::string flushed(8 * mib, '\0');
      make_qcow2(image, {"-o", "cluster_size=4k"}, "", flushed.size());
      QVERIFY2(served.start(image, {.format = "qcow2", .writable = true}), served.problem.c_str());
      {
        const auto device = served.connect(true);
        QVERIFY(device);
        for (uint64_t at = 0; at < 2 * mib; at += 40'000) write_both(*device, flushed, at, 9000, 'f');
        QVERIFY(device->flush_now());
      }
      std::atomic<int> written{0};
      std::jthread busy([&] {
        const auto device = served.connect(true);
        const std::string block(9000, 'u');
        for (uint64_t at = 2 * mib; device && at + block.size() < 8 * mib; at += 20'000) {
          if (!device->write_now(at, std::as_bytes(std::span(block)))) return;
          if (++written % 7 == 0 && !device->flush_now()) return;
        }
      });
      const int enough = 10 + round * 40;
      for (int patience = 0; written < enough && patience < 2000; ++patience)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      QVERIFY(written >= enough);
      QCOMPARE(kill(served.client->pid(), SIGKILL), 0);
      busy.join();
      const auto ended = next<Client::Ended>(*served.client);
      QVERIFY(ended && !ended->result);
      const auto checked = test::run_program({"qemu-img", "check", image});
      QVERIFY2(checked.status == 0 || checked.status == leaks_only, (checked.output + checked.errors).c_str());
      QCOMPARE(test::run_program({"qemu-img", "convert", "-O", "raw", image, raw}).status, 0);
      const std::string found = test::read_file(raw);
      QVERIFY(found.substr(0, 2 * mib) == flushed.substr(0, 2 * mib));
      // What was not flushed is there or not, and nothing else is.
      QCOMPARE(found.find_first_not_of(std::string_view("u\0", 2), 2 * mib), std::string::npos);
    }
  }

  void whatCannotBeChangedInPlaceIsNotServedToBeWritten() {
    Served served;
    const std::string image = served.dir.file("image");
    QCOMPARE(test::run_program({"qemu-img", "create", "-q", "-f", "vmdk", image, "4M"}).status, 0);
    QVERIFY(!served.start(image, {.format = "vmdk", .writable = true}));
    QVERIFY2(served.problem.contains("not written in place"), served.problem.c_str());
  }

  void manyClientsAtOnce() {
    Served served;
    const std::string content = pattern(2 * mib);
    test::write_file(served.dir.file("raw"), content);
    QVERIFY2(served.start(served.dir.file("raw"), {.format = "raw"}), served.problem.c_str());
    std::vector<std::jthread> threads;
    std::atomic<int> good{0};
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const auto device = served.connect();
        if (device && read_all(*device) == content) ++good;
      });
    }
    threads.clear();
    QCOMPARE(good.load(), 8);
  }

  void aPartitionIsServed() {
    Served served;
    const std::string disk = served.dir.file("disk");
    std::string content = pattern(4 * mib);
    test::write_file(disk, content);
    const auto made = test::run_program({"sh", "-c", "echo '2048,2048,L' | sfdisk -q --no-reread \"$0\"", disk});
    if (made.status != 0) QSKIP("there is no sfdisk");
    content = test::read_file(disk);
    QVERIFY2(served.start(disk, {.format = "raw", .partition = 1}), served.problem.c_str());
    const auto device = served.connect();
    QVERIFY(device);
    QVERIFY(read_all(*device) == content.substr(mib, mib));
    Served none;
    QVERIFY(!none.start(disk, {.format = "raw", .partition = 3}));
    QVERIFY2(none.problem.contains("no partition 3"), none.problem.c_str());
  }

  void aLogicalPartitionIsServed() {
    Served served;
    const std::string disk = served.dir.file("disk");
    test::write_file(disk, pattern(8 * mib));
    const auto made = test::run_program(
        {"sh", "-c", R"(printf 'label: dos\n2048,2048,L\n4096,,E\n6144,2048,L\n' | sfdisk -q --no-reread "$0")", disk});
    if (made.status != 0) QSKIP("there is no sfdisk");
    const std::string content = test::read_file(disk);
    QVERIFY2(served.start(disk, {.format = "raw", .partition = 5}), served.problem.c_str());
    const auto device = served.connect();
    QVERIFY(device);
    QVERIFY(read_all(*device) == content.substr(3 * mib, mib));
  }

  void onceIsOver() {
    Served served;
    test::write_file(served.dir.file("raw"), pattern(mib));
    QVERIFY2(served.start(served.dir.file("raw"), {.format = "raw", .once = true}), served.problem.c_str());
    QVERIFY(served.connect());
    const auto ended = next<Client::Ended>(*served.client);
    QVERIFY(ended && ended->result);
  }

  void theEndOfItsClientIsTheEndAlsoInTheMiddleOfRequests() {
    Served served;
    test::write_file(served.dir.file("raw"), pattern(8 * mib));
    QVERIFY2(served.start(served.dir.file("raw"), {.format = "raw"}), served.problem.c_str());
    const pid_t worker = served.client->pid();
    std::atomic<bool> over{false};
    std::jthread busy([&] {
      const auto device = served.connect();
      while (device && !over && !read_all(*device).empty()) continue;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    QElapsedTimer timer;
    timer.start();
    served.client.reset();
    QVERIFY(!runs(worker));
    const qint64 took = timer.elapsed();
    over = true;
    qInfo("from the end of the client to the end of the worker: %lld ms", took);
    QVERIFY(took < 100);
  }

  void onlyASocketThatListensIsListenedAt() {
    test::TempDir dir(test::TempDir::Where::memory);
    test::write_file(dir.file("raw"), pattern(mib));
    auto file = FileDevice::open({.path = dir.file("raw")});
    QVERIFY(file);
    const Descriptor silent(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const Descriptor no_socket(open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const int fd : {silent.get(), no_socket.get()}) {
      Handover files;
      QVERIFY(files.add(Role::source, **file, false, CacheMode::automatic));
      files.add_listener(fd, "here");
      auto client = Client::start({.files = files.files(), .work = Export{}}, files.descriptors(), launch());
      QVERIFY(client);
      Progress progress;
      const auto outcome = run(**client, {}, progress, Stop());
      QVERIFY(!outcome);
      QCOMPARE(outcome.error().cause, "what is to be listened at is no socket that listens");
    }
  }

  void theFormatOfWhatIsWrittenIsSaid() {
    Spec spec{
        .files = {{.role = Role::target, .name = "/dev/x", .writable = true}, {.role = Role::listener, .name = "here"}},
        .work = Export{.writable = true}};
    const auto refused = decode_from_client(encode(FromClient(Start{.spec = spec})));
    QVERIFY(!refused);
    QCOMPARE(refused.error().cause, "\"format\" of what is written has to be said");
    std::get<Export>(spec.work).format = "raw";
    QVERIFY(decode_from_client(encode(FromClient(Start{.spec = spec}))));
    spec.files.pop_back();
    QVERIFY(!check_files(spec));
  }
};

QTEST_GUILESS_MAIN(ExportTest)
#include "export_test.moc"
