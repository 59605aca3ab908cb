// SPDX-License-Identifier: GPL-3.0-or-later
//
// A client that says anything at all, from the first byte of its handshake on, to a whole server session over an export
// in memory. The first byte of the input chooses the session (page cache or ring) and whether it may write. Whatever
// comes, the session ends, every byte the export was asked for lies inside it, and nothing is written to one that is to
// be read.
#include <sys/socket.h>

#include <algorithm>
#include <thread>

#include "core/nbd/block_status.h"
#include "core/nbd/cached_session.h"
#include "core/nbd/handshake.h"
#include "core/nbd/queued_session.h"

using namespace disklathe;
using namespace disklathe::nbd;

namespace {

constexpr uint64_t export_size = (1 << 20) + 123;

// Blocks of 4 KiB, each third one a hole.
class MemoryAccess final : public Access {
 public:
  explicit MemoryAccess(bool writable) : writable_(writable) {}

  Result<void> map(Range want, Look, size_t most, std::vector<Run>& out) override {
    must_lie_inside(want);
    for (uint64_t at = want.at; at < want.end() && most > 0; at = out.back().range.end(), --most) {
      const uint64_t block = at / 4096;
      const bool hole = block % 3 == 0;
      out.push_back(
          {.range = Range::between(at, std::min((block + 1) * 4096, want.end())), .zero = hole, .allocated = !hole});
    }
    return {};
  }
  Result<void> map_bitmap(size_t, Range want, std::vector<Mark>& out) override {
    must_lie_inside(want);
    out.push_back({{want.at, std::min<uint64_t>(want.length, 4096)}, want.at % 8192 < 4096});
    return {};
  }
  Task<Result<void>> read(Ring&, uint64_t at, MutableBytes into) override {
    must_lie_inside({at, into.size()});
    std::ranges::fill(into, std::byte{1});
    if (at % 7 == 3) co_return failure(ErrorKind::io, "read", "a bad place", at);
    co_return Result<void>{};
  }
  void expect(Range range) override { must_lie_inside(range); }
  Task<Result<void>> write(Ring&, uint64_t at, Bytes from) override { return change({at, from.size()}); }
  Task<Result<void>> zero(Ring&, Range range, bool, bool) override { return change(range); }
  Task<Result<void>> trim(Ring&, Range range) override { return change(range); }
  Task<Result<void>> flush(Ring&) override { co_return Result<void>{}; }

 private:
  static void must_lie_inside(Range range) {
    if (range.empty() || range.at > export_size || range.length > export_size - range.at) __builtin_trap();
  }
  Task<Result<void>> change(Range range) {
    must_lie_inside(range);
    if (!writable_) __builtin_trap();
    co_return Result<void>{};
  }
  const bool writable_;
};

// Takes what the server sends, so that it never waits.
void drain(int fd) {
  std::byte buffer[65536];
  while (recv(fd, buffer, sizeof buffer, 0) > 0) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const bool queued = (data[0] & 1) != 0, writable = (data[0] & 2) != 0;
  const Bytes input(reinterpret_cast<const std::byte*>(data + 1), size - 1);
  const ExportInfo info{.name = "",
                        .size = export_size,
                        .writable = writable,
                        .queued = queued,
                        .contexts = {allocation_context, depth_context, "qemu:dirty-bitmap:b"}};
  const ExportInfo other{.name = "other", .size = 0, .contexts = {allocation_context}};

  Handshake handshake({&info, &other}, TlsMode::none);
  std::vector<std::byte> output;
  size_t taken = 0;
  while (handshake.state() == Handshake::State::negotiating) {
    const size_t step = handshake.advance(input.subspan(taken), output);
    if (output.size() > (1 << 20)) __builtin_trap();
    output.clear();
    if (step == 0) {
      if (input.size() - taken >= Handshake::max_message) __builtin_trap();  // it must be able to go on
      break;
    }
    taken += step;
  }
  if (handshake.state() != Handshake::State::transmitting || handshake.agreement().export_index != 0) return 0;

  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return 0;
  const Descriptor client(ends[1]);
  Connection connection{Descriptor(ends[0])};
  std::thread reader(drain, client.get());
  const Bytes rest = input.subspan(taken);
  const size_t received = std::min<size_t>(rest.size(), Handshake::max_message);
  std::thread writer([&] {
    const Bytes later = rest.subspan(received);
    (void)send(client.get(), later.data(), later.size(), MSG_NOSIGNAL);
    shutdown(client.get(), SHUT_WR);
  });
  MemoryAccess access(writable);
  Traffic traffic;
  const Terms terms{.info = info, .agreement = handshake.agreement()};
  if (queued)
    QueuedSession(connection, access, terms, rest.first(received), traffic, **Ring::create()).run();
  else
    CachedSession(connection, access, terms, rest.first(received), traffic).run();
  connection.cut();
  reader.join();
  writer.join();
  return 0;
}
