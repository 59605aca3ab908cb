// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/queued_session.h"

#include <sys/socket.h>

#include <QTest>
#include <algorithm>
#include <optional>
#include <thread>

#include "core/base/endian.h"

using namespace disklathe;
using namespace disklathe::nbd;

namespace {

constexpr uint64_t mib = 1 << 20, size = 40 * mib;

std::byte byte_at(uint64_t at) { return std::byte{static_cast<uint8_t>(at / 4096 * 7 + at)}; }

// Bytes that are known everywhere; one place can be bad.
class BytesAccess final : public Access {
 public:
  std::optional<uint64_t> bad;
  unsigned spared = 0;  // reads of it that succeed still
  uint64_t read_bytes = 0;
  std::vector<std::byte> written = std::vector<std::byte>(size);
  uint64_t largest = 0;

  Result<void> map(Range want, Look, size_t, std::vector<Run>& out) override {
    out.push_back({.range = want});
    return {};
  }
  Result<void> map_bitmap(size_t, Range, std::vector<Mark>&) override { return {}; }
  Task<Result<void>> read(Ring& ring, uint64_t at, MutableBytes into) override {
    largest = std::max(largest, into.size());
    co_await ring.next_turn();
    read_bytes += into.size();
    if (bad && Range{at, into.size()}.contains(*bad)) {
      if (spared == 0) co_return failure(ErrorKind::io, "read", "a bad place", *bad);
      --spared;
    }
    for (size_t i = 0; i < into.size(); ++i) into[i] = byte_at(at + i);
    co_return Result<void>{};
  }
  void expect(Range) override {}
  Task<Result<void>> write(Ring& ring, uint64_t at, Bytes from) override {
    largest = std::max(largest, from.size());
    co_await ring.next_turn();
    if (bad && Range{at, from.size()}.contains(*bad)) co_return failure(ErrorKind::io, "write", "a bad place", *bad);
    std::ranges::copy(from, written.begin() + static_cast<std::ptrdiff_t>(at));
    co_return Result<void>{};
  }
  Task<Result<void>> zero(Ring&, Range, bool, bool) override { co_return Result<void>{}; }
  Task<Result<void>> trim(Ring&, Range) override { co_return Result<void>{}; }
  Task<Result<void>> flush(Ring&) override { co_return Result<void>{}; }
};

// A client, and the session that serves it on a thread of its own.
class Served {
 public:
  Served(BytesAccess& access, Dialect dialect) : agreement_{.dialect = dialect} {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    client_ = Descriptor(ends[0]);
    connection_.emplace(Descriptor(ends[1]));
    thread_ = std::thread([this, &access] {
      const auto ring = std::move(*Ring::create());
      QueuedSession(*connection_, access, {info_, agreement_}, {}, traffic_, *ring).run();
      connection_->cut();
    });
  }
  ~Served() {
    shutdown(client_.get(), SHUT_RDWR);
    thread_.join();
  }

  void ask(Command command, uint16_t flags, uint64_t offset, uint32_t length, Bytes payload = {}) {
    constexpr size_t head = 28;
    std::vector<std::byte> request(head + payload.size());
    store_be(MutableBytes(request), 0, request_magic);
    store_be(MutableBytes(request), 4, flags);
    store_be(MutableBytes(request), 6, static_cast<uint16_t>(command));
    store_be(MutableBytes(request), 8, offset + 1);  // the cookie
    store_be(MutableBytes(request), 16, offset);
    store_be(MutableBytes(request), 24, length);
    std::ranges::copy(payload, request.begin() + head);
    sender_ =
        std::jthread([this, request] { (void)send(client_.get(), request.data(), request.size(), MSG_NOSIGNAL); });
  }

  // Fewer: the connection has ended.
  std::vector<std::byte> receive(size_t count) {
    std::vector<std::byte> bytes(count);
    if (count == 0) return bytes;  // else it would wait for what comes next
    const ssize_t came = recv(client_.get(), bytes.data(), count, MSG_WAITALL);
    bytes.resize(came > 0 ? static_cast<size_t>(came) : 0);
    return bytes;
  }
  uint32_t simple_reply() {
    const auto head = receive(16);
    return head.size() == 16 && load_be<uint32_t>(head) == simple_reply_magic ? load_be<uint32_t>(head, 4) : UINT32_MAX;
  }

  // A structured reply: the bytes of its chunks put together, and its error.
  struct Answer {
    std::vector<std::byte> bytes = std::vector<std::byte>(size);
    uint64_t covered = 0;
    size_t chunks = 0;  // of bytes
    uint32_t error = 0;
    bool over = false;
  };
  Answer answer() {
    Answer all;
    while (!all.over) {
      const auto head = receive(20);
      if (head.size() < 20 || load_be<uint32_t>(head) != structured_reply_magic) break;
      all.over = (load_be<uint16_t>(head, 4) & done) != 0;
      const auto type = static_cast<Chunk>(load_be<uint16_t>(head, 6));
      const auto payload = receive(load_be<uint32_t>(head, 16));
      if (type == Chunk::error) all.error = load_be<uint32_t>(payload);
      if (type != Chunk::offset_data) continue;
      ++all.chunks;
      all.covered += payload.size() - 8;
      std::ranges::copy(Bytes(payload).subspan(8),
                        all.bytes.begin() + static_cast<std::ptrdiff_t>(load_be<uint64_t>(payload)));
    }
    return all;
  }

 private:
  const ExportInfo info_{.size = size, .writable = true, .queued = true, .write_unit = 65536};
  const Agreement agreement_;
  Traffic traffic_;
  Descriptor client_;
  std::optional<Connection> connection_;
  std::thread thread_;
  std::jthread sender_;
};

bool is_right(Bytes bytes, uint64_t at) {
  for (size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != byte_at(at + i)) return false;
  return true;
}

}  // namespace

class QueuedSessionTest : public QObject {
  Q_OBJECT

  static constexpr uint64_t at = 12345;
  static constexpr uint32_t length = 32 * mib;

 private slots:
  void largeReadsComeWhole_data() {
    QTest::addColumn<int>("flags");
    QTest::addColumn<bool>("one");
    QTest::addRow("in chunks") << 0 << false;
    QTest::addRow("in one") << int{df} << true;
  }
  void largeReadsComeWhole() {
    QFETCH(int, flags);
    QFETCH(bool, one);
    BytesAccess access;
    Served served(access, Dialect::structured);
    served.ask(Command::read, static_cast<uint16_t>(flags), at, length);
    const auto answer = served.answer();
    QVERIFY(answer.over);
    QCOMPARE(answer.error, 0u);
    QCOMPARE(answer.covered, uint64_t{length});
    QCOMPARE(answer.chunks == 1, one);
    QVERIFY(is_right(Bytes(answer.bytes).subspan(at, length), at));
    QVERIFY(access.largest <= 2 * mib);  // what one client holds
  }

  void largeSimpleReadsComeWhole() {
    BytesAccess access;
    Served served(access, Dialect::simple);
    served.ask(Command::read, 0, at, length);
    QCOMPARE(served.simple_reply(), 0u);
    const auto bytes = served.receive(length);
    QVERIFY(bytes.size() == length && is_right(bytes, at));
    served.ask(Command::read, 0, 5, 5);
    QCOMPARE(served.simple_reply(), 0u);
    QVERIFY(is_right(served.receive(5), 5));
  }

  void aBadPlaceInALargeReadIsTold_data() { largeReadsComeWhole_data(); }
  void aBadPlaceInALargeReadIsTold() {
    QFETCH(int, flags);
    QFETCH(bool, one);
    BytesAccess access;
    access.bad = 20 * mib;
    Served served(access, Dialect::structured);
    served.ask(Command::read, static_cast<uint16_t>(flags), at, length);
    const auto answer = served.answer();
    QVERIFY(answer.over);
    QCOMPARE(answer.error, static_cast<uint32_t>(Code::io));
    QCOMPARE(answer.covered == length, one);  // one chunk has to have all its bytes
    served.ask(Command::read, 0, 5, 5);
    QVERIFY(is_right(Bytes(served.answer().bytes).subspan(5, 5), 5));
  }

  // All is well, a simple reply says first: it must be known by then.
  void aBadPlaceInALargeSimpleReadIsTold_data() {
    QTest::addColumn<uint>("wanted");
    QTest::addColumn<quint64>("bad");
    QTest::addRow("of two buffers, in the first") << uint(3 * mib) << quint64{mib};
    QTest::addRow("of two buffers, in the second") << uint(3 * mib) << quint64{at + 3 * mib - 1};
    QTest::addRow("of more, at its start") << uint{length} << quint64{at};
    QTest::addRow("of more, in its middle") << uint{length} << quint64{20 * mib};
    QTest::addRow("of more, at its end") << uint{length} << quint64{at + length - 1};
  }
  void aBadPlaceInALargeSimpleReadIsTold() {
    QFETCH(uint, wanted);
    QFETCH(quint64, bad);
    BytesAccess access;
    access.bad = bad;
    Served served(access, Dialect::simple);
    served.ask(Command::read, 0, at, wanted);
    QCOMPARE(served.simple_reply(), static_cast<uint32_t>(Code::io));
    served.ask(Command::read, 0, 5, 5);
    QCOMPARE(served.simple_reply(), 0u);
    QVERIFY(is_right(served.receive(5), 5));
  }

  void aPlaceThatGoesBadWhileALargeSimpleReadIsSentEndsTheConnection() {
    BytesAccess access;
    access.bad = 20 * mib;
    access.spared = 1;
    Served served(access, Dialect::simple);
    served.ask(Command::read, 0, at, length);
    QCOMPARE(served.simple_reply(), 0u);
    QVERIFY(served.receive(length).size() < length);
  }

  // What both buffers hold together.
  void simpleReadsThatTwoBuffersHoldAreReadOnce() {
    for (const uint64_t wanted : {2 * mib + 1, 3 * mib, 4 * mib}) {
      BytesAccess access;
      {
        Served served(access, Dialect::simple);
        served.ask(Command::read, 0, at, static_cast<uint32_t>(wanted));
        QCOMPARE(served.simple_reply(), 0u);
        QVERIFY(is_right(served.receive(wanted), at));
      }
      QCOMPARE(access.read_bytes, wanted);
    }
  }

  void largeWritesArrive() {
    BytesAccess access;
    Served served(access, Dialect::simple);
    std::vector<std::byte> bytes(length);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_at(at + i);
    served.ask(Command::write, fua, at, length, bytes);
    QCOMPARE(served.simple_reply(), 0u);
    QVERIFY(is_right(Bytes(access.written).subspan(at, length), at));
    QCOMPARE(access.written[at - 1], std::byte{0});
    QCOMPARE(access.written[at + length], std::byte{0});
    QVERIFY(access.largest <= 2 * mib);
  }

  void aBadPlaceInALargeWriteIsToldAfterAllOfItCame_data() {
    QTest::addColumn<quint64>("bad");
    for (const uint64_t bad : {at, 20 * mib, at + length - 1})
      QTest::addRow("%llu", static_cast<unsigned long long>(bad)) << quint64{bad};
  }
  void aBadPlaceInALargeWriteIsToldAfterAllOfItCame() {
    QFETCH(quint64, bad);
    BytesAccess access;
    access.bad = bad;
    Served served(access, Dialect::simple);
    served.ask(Command::write, 0, at, length, std::vector<std::byte>(length));
    QCOMPARE(served.simple_reply(), static_cast<uint32_t>(Code::io));
    served.ask(Command::read, 0, 5, 5);
    QCOMPARE(served.simple_reply(), 0u);
    QVERIFY(is_right(served.receive(5), 5));
  }

  // A client that leaves in the middle, at each of many places.
  void whoLeavesInALargeRequestIsLeft() {
    for (uint64_t taken = 0; taken < length; taken += 5 * mib + 7) {
      BytesAccess access;
      {
        Served served(access, Dialect::structured);
        served.ask(Command::read, 0, at, length);
        (void)served.receive(taken);
      }
      Served served(access, Dialect::structured);
      const std::vector<std::byte> part(taken);
      served.ask(Command::write, 0, at, length, part);
    }
  }
};

QTEST_GUILESS_MAIN(QueuedSessionTest)
#include "queued_session_test.moc"
