// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ring.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTest>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "core/io/aligned_buffer.h"
#include "tests/support/run_task.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;
using test::run_task;
using test::TempDir;

namespace {

constexpr size_t block = 4096;

iovec vector_of(MutableBytes bytes) { return {bytes.data(), bytes.size()}; }

Task<int64_t> perform(Ring& ring, FileHandle file, IoRequest request) {
  co_return co_await ring.perform(file, request);
}

// Reads every count-th block from `first` on, and checks that each holds its own number.
Task<void> read_blocks(Ring& ring, FileHandle file, uint32_t first, uint32_t step, uint32_t count, int& wrong) {
  std::array<std::byte, block> buffer;
  const iovec vector = vector_of(buffer);
  for (uint32_t i = first; i < count; i += step) {
    const Result<void> result = co_await read_all(ring, file, uint64_t{i} * block, {&vector, 1});
    uint32_t number = 0;
    std::memcpy(&number, buffer.data(), sizeof number);
    if (!result || number != i) ++wrong;
  }
}

struct Parked {
  std::coroutine_handle<> handle;
  std::atomic<bool> ready{false};
};
struct Park {
  Parked& parked;
  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const {
    parked.handle = handle;
    parked.ready = true;
  }
  static void await_resume() noexcept {}
};
Task<void> park(Parked& parked, std::thread::id& resumed_on) {
  co_await Park{parked};
  resumed_on = std::this_thread::get_id();
}

struct Ball {
  Ring* first = nullptr;
  Ring* second = nullptr;
  std::atomic<void*> waiting{nullptr};  // the player who has no ball
  std::atomic<int> throws{0};
  std::binary_semaphore ready{0}, over{0};
};
struct Throw {
  Ball& ball;
  Ring& to;
  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const {
    Ball& shared = ball;  // this frame may run on as soon as its handle is given away
    Ring& other = to;
    if (void* waiter = shared.waiting.exchange(handle.address()); waiter != nullptr) {
      other.post(std::coroutine_handle<>::from_address(waiter));
    }
  }
  static void await_resume() noexcept {}
};
Task<void> catch_ball(Ball& ball, int player) {
  for (int i = 0; i < 2000; ++i) {
    ++ball.throws;
    co_await Throw{ball, player == 1 ? *ball.second : *ball.first};
  }
  // The other still waits for its last catch.
  if (void* waiter = ball.waiting.exchange(nullptr); waiter != nullptr) {
    (player == 1 ? *ball.second : *ball.first).post(std::coroutine_handle<>::from_address(waiter));
  }
}

Task<void> take_turns(Ring& ring, std::vector<int>& order, int name) {
  for (int i = 0; i < 3; ++i) {
    order.push_back(name);
    co_await ring.next_turn();
  }
}

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& path, int flags = O_RDWR | O_CREAT) : fd_(open(path.c_str(), flags, 0600)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(fd_); }
  operator int() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

// Every promise is kept by every kind of ring, and in both modes.
class RingTest : public QObject {
  Q_OBJECT

 private slots:
  void theNextTurnComesAfterAllThatIsThereNow() {
    for (const RingKind kind : {RingKind::immediate, RingKind::threads}) {
      auto ring = std::move(*Ring::create(kind));
      std::vector<int> order;
      ring->spawn(take_turns(*ring, order, 1));
      ring->spawn(take_turns(*ring, order, 2));
      ring->run();
      QCOMPARE(order, (std::vector{1, 2, 1, 2, 1, 2}));
    }
  }

  void initTestCase() {
    std::string content;
    for (uint32_t i = 0; i < block_count_; ++i) {
      std::string one(block, static_cast<char>(i));
      std::memcpy(one.data(), &i, sizeof i);
      content += one;
    }
    test::write_file(dir_.file("blocks"), content);
  }

  void readsAndWrites_data() { kinds(); }
  void readsAndWrites() {
    auto ring = make_ring();
    const Descriptor fd(dir_.file("rw"));
    std::string first = "hello, ", second = "world";
    const std::array<iovec, 2> out{iovec{first.data(), first.size()}, iovec{second.data(), second.size()}};
    QVERIFY(run_task(*ring, write_all(*ring, handle(fd), 100, out)).has_value());
    std::string all(12, ' ');
    const iovec in{all.data(), all.size()};
    QVERIFY(run_task(*ring, read_all(*ring, handle(fd), 100, {&in, 1})).has_value());
    QCOMPARE(all, std::string("hello, world"));
  }

  void keepsManyRequestsApart_data() { kinds(); }
  void keepsManyRequestsApart() {
    auto ring = make_ring();
    const Descriptor fd(dir_.file("blocks"), O_RDONLY);
    int wrong = 0;
    // More coroutines than either queue of io_uring has entries, each going on from its own completion.
    const uint32_t step = 3000;
    for (uint32_t i = 0; i < step; ++i) ring->spawn(read_blocks(*ring, handle(fd), i, step, block_count_, wrong));
    ring->run();
    QCOMPARE(wrong, 0);
  }

  void continuesShortReads_data() { kinds(); }
  void continuesShortReads() {
    // The kernel moves at most 2 GiB less a page at once. Holes cost nothing but the copying.
    const Descriptor fd(dir_.file("big"));
    const uint64_t size = (uint64_t{2} << 30) + block;
    QCOMPARE(ftruncate(fd, static_cast<off_t>(size)), 0);
    const char last = 'x';
    QCOMPARE(pwrite(fd, &last, 1, static_cast<off_t>(size) - 1), 1);
    AlignedBuffer buffer(16 << 20, 4096);
    std::vector<iovec> vectors(128, vector_of(buffer.bytes()));
    std::array<char, block> tail{};
    vectors.push_back({tail.data(), tail.size()});
    auto ring = make_ring();
    QVERIFY(run_task(*ring, read_all(*ring, handle(fd), 0, vectors)).has_value());
    QCOMPARE(tail.back(), 'x');
  }

  void splitsAtTheKernelsVectorLimit_data() { kinds(); }
  void splitsAtTheKernelsVectorLimit() {
    const Descriptor fd(dir_.file("vectors"));
    std::string out(5000, ' '), in(5000, ' ');
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<char>(i * 7);
    std::vector<iovec> out_vectors, in_vectors;
    for (char& byte : out) out_vectors.push_back({&byte, 1});
    for (size_t i = 0; i < in.size(); i += 2) in_vectors.push_back({&in[i], 2});
    auto ring = make_ring();
    QVERIFY(run_task(*ring, write_all(*ring, handle(fd), 1, out_vectors)).has_value());
    QVERIFY(run_task(*ring, read_all(*ring, handle(fd), 1, in_vectors)).has_value());
    QCOMPARE(in, out);
  }

  void skipsEmptyVectors_data() { kinds(); }
  void skipsEmptyVectors() {
    const Descriptor fd(dir_.file("empty"));
    std::string text = "ab";
    const std::array<iovec, 4> vectors{iovec{nullptr, 0}, iovec{&text[0], 1}, iovec{nullptr, 0}, iovec{&text[1], 1}};
    auto ring = make_ring();
    QVERIFY(run_task(*ring, write_all(*ring, handle(fd), 0, vectors)).has_value());
    QVERIFY(run_task(*ring, write_all(*ring, handle(fd), 0, {})).has_value());
    QCOMPARE(test::read_file(dir_.file("empty")), std::string("ab"));
  }

  void aReadPastTheEndSaysChanged_data() { kinds(); }
  void aReadPastTheEndSaysChanged() {
    test::write_file(dir_.file("short"), std::string(1000, 'a'));
    const Descriptor fd(dir_.file("short"), O_RDONLY);
    std::array<std::byte, block> buffer;
    const iovec vector = vector_of(buffer);
    auto ring = make_ring();
    const Result<void> result = run_task(*ring, read_all(*ring, handle(fd), 10, {&vector, 1}));
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::changed);
    QCOMPARE(result.error().offset, std::optional<uint64_t>(1000));
  }

  void aWriteThatStopsShortSaysWhere_data() { kinds(); }
  void aWriteThatStopsShortSaysWhere() {
    // RLIMIT_FSIZE cuts the first write short, and fails the next.
    const rlimit limited{.rlim_cur = 6000, .rlim_max = RLIM_INFINITY};
    const rlimit unlimited{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    const Descriptor fd(dir_.file("limited"));
    QCOMPARE(ftruncate(fd, 0), 0);
    std::string text(10000, 'a');
    const iovec vector{text.data(), text.size()};
    auto ring = make_ring();
    const auto before = std::signal(SIGXFSZ, SIG_IGN);
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &limited), 0);
    const Result<void> result = run_task(*ring, write_all(*ring, handle(fd), 0, {&vector, 1}));
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    std::signal(SIGXFSZ, before);
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::no_space);
    QCOMPARE(result.error().os_error, EFBIG);
    QCOMPARE(result.error().offset, std::optional<uint64_t>(6000));
  }

  void errorsAreTheKernels_data() { kinds(); }
  void errorsAreTheKernels() {
    const Descriptor fd(dir_.file("blocks"), O_RDONLY);
    std::array<std::byte, 16> buffer{};
    const iovec vector = vector_of(buffer);
    auto ring = make_ring();
    const Result<void> result = run_task(*ring, write_all(*ring, handle(fd), 8192, {&vector, 1}));
    QVERIFY(!result);
    QCOMPARE(result.error().os_error, EBADF);
    QCOMPARE(result.error().operation, std::string("write"));
    QCOMPARE(result.error().offset, std::optional<uint64_t>(8192));
  }

  void allocatesAndSyncs_data() { kinds(); }
  void allocatesAndSyncs() {
    const Descriptor fd(dir_.file("holes"));
    test::write_file(dir_.file("holes"), std::string(16 * block, 'a'));
    auto ring = make_ring();
    const IoRequest punch{.op = IoOp::allocate,
                          .at = 4 * block,
                          .length = 4 * block,
                          .flags = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE};
    QCOMPARE(run_task(*ring, perform(*ring, handle(fd), punch)), 0);
    QCOMPARE(run_task(*ring, perform(*ring, handle(fd), {.op = IoOp::sync_data})), 0);
    const std::string content = test::read_file(dir_.file("holes"));
    QCOMPARE(content.substr(4 * block, 4 * block), std::string(4 * block, '\0'));
    QCOMPARE(content.substr(8 * block), std::string(8 * block, 'a'));
  }

  void waitsForADescriptor_data() { kinds(); }
  void waitsForADescriptor() {
    std::array<int, 2> ends{};
    QCOMPARE(pipe(ends.data()), 0);
    auto ring = make_ring();
    std::thread writer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      QVERIFY(write(ends[1], "x", 1) == 1);
    });
    const int64_t events = run_task(*ring, perform(*ring, handle(ends[0]), {.op = IoOp::poll, .flags = POLLIN}));
    writer.join();
    QVERIFY((events & POLLIN) != 0);
    close(ends[0]);
    close(ends[1]);
  }

  void anotherThreadResumesWithoutSpinning_data() { kinds(); }
  void anotherThreadResumesWithoutSpinning() {
    auto ring = make_ring();
    std::vector<Parked> parked(8);
    std::vector<std::thread::id> resumed_on(parked.size());
    std::vector<std::thread> posters;
    for (size_t i = 0; i < parked.size(); ++i) ring->spawn(park(parked[i], resumed_on[i]));
    for (Parked& one : parked) {
      posters.emplace_back([&one, &ring] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        ring->post(one.handle);
      });
    }
    const double before = thread_cpu_seconds();
    ring->run();
    QVERIFY(thread_cpu_seconds() - before < 0.1);
    for (std::thread& poster : posters) poster.join();
    for (const std::thread::id id : resumed_on) QVERIFY(id == std::this_thread::get_id());
  }

  void ringsHandWorkToEachOther_data() { kinds(); }
  void ringsHandWorkToEachOther() {
    // A ball that two rings on two threads throw 2000 times each: a lost wake-up would hang.
    auto here = make_ring();
    Ball ball{.first = here.get()};
    QFETCH(int, kind);
    std::thread other([&ball, kind] {
      auto there = std::move(*Ring::create(static_cast<RingKind>(kind)));
      ball.second = there.get();
      there->spawn(catch_ball(ball, 2));
      ball.ready.release();
      there->run();
      ball.over.acquire();
    });
    ball.ready.acquire();
    here->spawn(catch_ball(ball, 1));
    here->run();
    ball.over.release();
    other.join();
    QCOMPARE(ball.throws.load(), 4000);
  }

  void aRingMayBeUsedAgain_data() { kinds(); }
  void aRingMayBeUsedAgain() {
    auto ring = make_ring();
    ring->run();
    const Descriptor fd(dir_.file("blocks"), O_RDONLY);
    int wrong = 0;
    for (int i = 0; i < 3; ++i) {
      ring->spawn(read_blocks(*ring, handle(fd), 0, 100, block_count_, wrong));
      ring->run();
    }
    QCOMPARE(wrong, 0);
  }

 private:
  static void kinds() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("mode");
    const auto row = [](const char* name, RingKind kind, IoMode mode) {
      QTest::newRow(name) << static_cast<int>(kind) << static_cast<int>(mode);
    };
    row("uring, queued", RingKind::uring, IoMode::queued);
    row("uring, immediate", RingKind::uring, IoMode::immediate);
    row("threads, queued", RingKind::threads, IoMode::queued);
    row("immediate, immediate", RingKind::immediate, IoMode::immediate);
    row("immediate, queued", RingKind::immediate, IoMode::queued);
  }

  static std::unique_ptr<Ring> make_ring() {
    QFETCH(int, kind);
    Result<std::unique_ptr<Ring>> ring = Ring::create(static_cast<RingKind>(kind));
    if (!ring) qFatal("no ring: errno %d", ring.error().os_error);
    return std::move(*ring);
  }

  static FileHandle handle(int fd) {
    QFETCH(int, mode);
    return {.fd = fd, .mode = static_cast<IoMode>(mode)};
  }

  TempDir dir_{TempDir::Where::memory};
  static constexpr uint32_t block_count_ = 8192;
};

QTEST_GUILESS_MAIN(RingTest)
#include "ring_test.moc"
