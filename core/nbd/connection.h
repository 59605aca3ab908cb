// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/base/bytes.h"
#include "core/device/descriptor.h"
#include "core/nbd/tls.h"

namespace disklathe::nbd {

// A connected socket. What goes wrong with it always means the same, the client is gone, so no error says more. Used by
// one thread, but for the two that end it.
class Connection {
 public:
  explicit Connection(Descriptor socket);

  int fd() const { return socket_.get(); }
  // Both ends are on this machine and nothing stands between: the kernel can pass pages of a file on.
  bool can_send_file() const { return local_ && !tls_; }
  // All that follows is inside of it; then only what waits is to be used.
  void secure(std::unique_ptr<TlsSession> tls) { tls_ = std::move(tls); }
  bool is_secure() const { return tls_ != nullptr; }

  // Waits for at least a byte; 0: there will be none.
  size_t receive(MutableBytes into);
  // All of it. more: more will follow at once; where nothing does, sending nothing says so.
  bool send(std::span<iovec> parts, bool more = false);
  // From a file's page cache. Less than `length`: the file ended. Nothing: the client is gone.
  std::optional<uint64_t> send_file(int file, uint64_t at, uint64_t length);

  // Without waiting: bytes, -1 when there are none now (or no room), 0 when there will be none.
  ssize_t try_receive(MutableBytes into);
  ssize_t try_send(std::span<const iovec> parts);

  // From any thread. No more requests are begun; those that were can still be answered.
  void end_requests();
  bool ending() const { return ending_.load(std::memory_order_relaxed); }
  // From any thread. Whatever waits for the client wakes up and finds it gone.
  void cut();
  bool is_cut() const { return cut_.load(std::memory_order_relaxed); }

 private:
  void do_not_wait_for_more();

  Descriptor socket_;
  bool local_ = false;
  bool held_ = false;  // the kernel waits for more
  std::unique_ptr<TlsSession> tls_;
  std::atomic<bool> ending_{false}, cut_{false};
};

// Drops `bytes` from the front of the parts.
std::span<iovec> skip_parts(std::span<iovec> parts, size_t bytes);

}  // namespace disklathe::nbd
