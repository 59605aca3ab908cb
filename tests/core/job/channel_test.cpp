// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/channel.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <QTest>

#include <cstring>
#include <filesystem>

using namespace disklathe;
using namespace disklathe::job;

namespace {

size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

bool same_file(int a, int b) {
  struct stat one{}, two{};
  return fstat(a, &one) == 0 && fstat(b, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

struct Ends {
  SocketPair sockets = *make_socket_pair();
  int raw = sockets.client.get();  // to say what a channel would not
  ClientChannel client{Descriptor(dup(sockets.client.get()))};
  WorkerChannel worker{std::move(sockets.worker)};
};

void send_raw(int socket, Bytes bytes, std::span<const int> descriptors = {}) {
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int) * 64)> ancillary{};
  iovec vector{const_cast<std::byte*>(bytes.data()), bytes.size()};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = ancillary.data();
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size_bytes());
  }
  QCOMPARE(sendmsg(socket, &header, MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

const Start two_files{.spec = {.files = {{.role = Role::source}, {.role = Role::other}}, .work = Compare{}}};

}  // namespace

class ChannelTest : public QObject {
  Q_OBJECT

 private slots:
  void messagesArriveInOrderAndWhole() {
    Ends ends;
    QVERIFY(!*ends.worker.receive());
    for (uint32_t id = 0; id < 30; ++id)
      QVERIFY(ends.client.send(Answer{.id = id, .refusal = Error{.cause = std::string(id * 20, 'x')}}));
    for (uint32_t id = 0; id < 30; ++id) {
      const auto received = ends.worker.receive();
      QVERIFY(received && *received);
      QCOMPARE(std::get<Answer>((*received)->message).id, id);
    }
    QVERIFY(!*ends.worker.receive());
  }

  void descriptorsArriveWithTheirMessage() {
    Ends ends;
    const Descriptor null(open("/dev/null", O_RDONLY)), zero(open("/dev/zero", O_RDONLY));
    const std::array two{null.get(), zero.get()};
    const std::array other{zero.get(), null.get()};
    QVERIFY(ends.client.send(Go{}));
    QVERIFY(ends.client.send(two_files, two));
    QVERIFY(ends.client.send(StopJob{}));
    QVERIFY(ends.client.send(two_files, other));
    const auto go = *ends.worker.receive(), first = *ends.worker.receive(), stop = *ends.worker.receive(),
               second = *ends.worker.receive();
    QVERIFY(go->descriptors.empty() && stop->descriptors.empty());
    QVERIFY(same_file(first->descriptors[0].get(), null.get()) && same_file(first->descriptors[1].get(), zero.get()));
    QVERIFY(same_file(second->descriptors[0].get(), zero.get()));
    QVERIFY(fcntl(first->descriptors[0].get(), F_GETFD) & FD_CLOEXEC);
  }

  void aMessageMayComeByteByByte() {
    Ends ends;
    const auto frame = framed(encode(FromClient(Go{})), 0);
    for (const std::byte& byte : frame) {
      QVERIFY(!*ends.worker.receive());
      send_raw(ends.raw, {&byte, 1});
    }
    QVERIFY(std::holds_alternative<Go>((*ends.worker.receive())->message));
  }

  void theEndIsToldAfterWhatWasSaidBefore() {
    Ends ends;
    QVERIFY(ends.client.send(Go{}));
    {
      const ClientChannel gone = std::move(ends.client);
    }
    ends.sockets.client = {};
    QVERIFY(*ends.worker.receive());
    const auto received = ends.worker.receive();
    QVERIFY(!received);
    QCOMPARE(received.error().kind, ErrorKind::vanished);
  }

  void whatIsNoMessageIsRefusedForGood() {
    const auto refused = [](Bytes bytes, std::span<const int> descriptors = {}) {
      Ends ends;
      send_raw(ends.raw, bytes, descriptors);
      const auto received = ends.worker.receive();
      if (received || received.error().kind != ErrorKind::invalid) return false;
      return true;
    };
    const Descriptor null(open("/dev/null", O_RDONLY));
    const std::vector<int> one(1, null.get()), many(most_descriptors + 1, null.get());
    const auto go = framed(encode(FromClient(Go{})), 0);
    QVERIFY(refused(framed({}, 0)));
    auto too_long = go;
    too_long[3] = std::byte{0x7f};
    QVERIFY(refused(too_long));
    auto no_message = go;
    no_message[6] = std::byte{1};
    QVERIFY(refused(no_message));
    auto missing = go;
    missing[4] = std::byte{1};
    QVERIFY(refused(missing));
    missing[4] = std::byte{200};
    QVERIFY(refused(missing));
    // Descriptors that the message has no use for, and more than any may have.
    QVERIFY(refused(framed(encode(FromClient(Go{})), 1), one));
    QVERIFY(refused(framed(encode(FromClient(Go{})), 0), many));
  }

  void refusedDescriptorsAreClosed() {
    const Descriptor null(open("/dev/null", O_RDONLY));
    const std::vector<int> one(1, null.get()), many(most_descriptors + 1, null.get());
    const size_t before = open_descriptors();
    {
      Ends ends;
      send_raw(ends.raw, framed(encode(FromClient(Go{})), 1), one);
      QVERIFY(!ends.worker.receive());
      Ends others;
      send_raw(others.raw, framed(encode(FromClient(Go{})), 0), many);
      QVERIFY(!others.worker.receive());
      const size_t with_sockets = open_descriptors();
      QCOMPARE(with_sockets, before + 6);
    }
    QCOMPARE(open_descriptors(), before);
  }

  void aSenderDoesNotWaitForeverForAReader() {
    Ends ends;
    const Piece piece{.entries = std::vector<MapEntry>(most_piece_entries)};
    QElapsedTimer timer;
    timer.start();
    Result<void> sent;
    for (int i = 0; sent && i < 1000; ++i) sent = ends.worker.send(piece, {}, std::chrono::milliseconds(50));
    QVERIFY(!sent);
    QCOMPARE(sent.error().kind, ErrorKind::busy);
    QVERIFY(timer.elapsed() < 5000);
  }

  void aMessageIsSentOnlyWithItsDescriptors() {
    Ends ends;
    QCOMPARE(ends.client.send(two_files).error().kind, ErrorKind::invalid);
    const std::array one{0};
    QCOMPARE(ends.client.send(Go{}, one).error().kind, ErrorKind::invalid);
  }
};

QTEST_GUILESS_MAIN(ChannelTest)
#include "channel_test.moc"
