// SPDX-License-Identifier: GPL-3.0-or-later
// read_all, write_all and their blocking twins.
#include <algorithm>
#include <cerrno>
#include <climits>

#include "core/io/io_backend.h"
#include "core/io/ring.h"

namespace disklathe {
namespace {

// What of a transfer is still to be done. Copies the vectors only once one of them was split by a short transfer.
class Remainder {
 public:
  Remainder(IoOp op, uint64_t at, std::span<const iovec> vectors) : op_(op), at_(at), vectors_(vectors) { skip(0); }

  bool done() const { return vectors_.empty(); }

  // As much as one system call takes.
  IoRequest next() const {
    return {.op = op_, .at = at_, .vectors = vectors_.first(std::min<size_t>(vectors_.size(), IOV_MAX))};
  }

  // Takes the system call's answer: bytes or -errno.
  Result<void> advance(int64_t result) {
    if (result == -EINTR) return {};
    if (result < 0) return failure(os_failure(static_cast<int>(-result), operation(), {}, at_));
    if (result == 0 && op_ == IoOp::read) return failure(ErrorKind::changed, operation(), "it ended early", at_);
    if (result == 0) return failure(ErrorKind::io, operation(), "no byte was taken", at_);
    at_ += static_cast<uint64_t>(result);
    skip(static_cast<size_t>(result));
    return {};
  }

 private:
  std::string_view operation() const { return op_ == IoOp::read ? "read" : "write"; }

  // Drops `bytes` from the front, and empty vectors with them.
  void skip(size_t bytes) {
    size_t whole = 0;
    while (whole < vectors_.size() && vectors_[whole].iov_len <= bytes) bytes -= vectors_[whole++].iov_len;
    vectors_ = vectors_.subspan(whole);
    if (bytes == 0 || vectors_.empty()) return;
    if (split_.empty())
      split_.assign(vectors_.begin(), vectors_.end());
    else
      split_.erase(split_.begin(), split_.end() - static_cast<std::ptrdiff_t>(vectors_.size()));
    split_.front().iov_base = static_cast<std::byte*>(split_.front().iov_base) + bytes;
    split_.front().iov_len -= bytes;
    vectors_ = split_;
  }

  IoOp op_;
  uint64_t at_;
  std::span<const iovec> vectors_;
  std::vector<iovec> split_;
};

Task<Result<void>> transfer(Ring& ring, FileHandle file, IoOp op, uint64_t at, std::span<const iovec> vectors) {
  Remainder rest(op, at, vectors);
  while (!rest.done()) {
    const int64_t result = co_await ring.perform(file, rest.next());
    if (result == -EAGAIN && file.mode == IoMode::queued) {
      file.mode = IoMode::immediate;  // the queue could not take it now; a blocking call can wait
      continue;
    }
    if (Result<void> step = rest.advance(result); !step) co_return failure(step);
  }
  co_return Result<void>{};
}

Result<void> transfer_now(int fd, IoOp op, uint64_t at, std::span<const iovec> vectors) {
  Remainder rest(op, at, vectors);
  while (!rest.done()) {
    IoRequest request = rest.next();
    request.fd = fd;
    if (Result<void> step = rest.advance(execute(request)); !step) return step;
  }
  return {};
}

}  // namespace

Task<Result<void>> read_all(Ring& ring, FileHandle file, uint64_t at, std::span<const iovec> vectors) {
  return transfer(ring, file, IoOp::read, at, vectors);
}

Task<Result<void>> write_all(Ring& ring, FileHandle file, uint64_t at, std::span<const iovec> vectors) {
  return transfer(ring, file, IoOp::write, at, vectors);
}

Result<void> read_all_now(int fd, uint64_t at, std::span<const iovec> vectors) {
  return transfer_now(fd, IoOp::read, at, vectors);
}

Result<void> write_all_now(int fd, uint64_t at, std::span<const iovec> vectors) {
  return transfer_now(fd, IoOp::write, at, vectors);
}

}  // namespace disklathe
