// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "core/io/aligned_buffer.h"
#include "core/nbd/connection.h"
#include "core/nbd/reply_queue.h"
#include "core/nbd/terms.h"
#include "core/nbd/traffic.h"

namespace disklathe::nbd {

// Serves one client from the page cache, on the calling thread, request by request and in order: there waiting costs
// more than doing. All requests that have come are answered before anything is sent, in as few system calls as that
// takes; large reads of plain bytes are handed from the page cache to a Unix socket without being copied here.
class CachedSession {
 public:
  // received: what has come after the handshake already. The others outlive the session.
  CachedSession(Connection& connection, Access& access, Terms terms, Bytes received, Traffic& traffic);
  ~CachedSession();

  // Until the client leaves, breaks the protocol, or the connection is ended.
  void run();

 private:
  bool serve(const Request& request);
  bool serve_write(const Request& request, Code code);
  bool skip_payload(uint64_t length);
  bool read(const Request& request);
  bool read_whole(const Request& request, std::span<const Run> runs);
  bool read_chunks(const Request& request, std::span<const Run> runs);
  bool read_group(const Request& request, std::span<const Run> group, bool& over);
  enum class Sent : uint8_t { yes, error, gone };
  Sent copy_chunk(const Request& request, std::span<const Run> runs, ChunkFlag flag);
  bool pass_chunk(const Request& request, std::span<const Run> runs);
  bool pass(std::span<const Run> runs, bool& complete);
  bool copy_rest(Run run, uint64_t sent, bool& complete);
  Result<void> fetch(std::span<const Run> runs, MutableBytes into);
  bool answer_block_status(const Request& request);

  template <class T>
  void finish(Task<T> task, T& result);
  Result<void> finish(Task<Result<void>> task);
  bool answer(const Request& request, Code code);
  bool fill();

  Connection& connection_;
  Access& access_;
  const Terms terms_;
  Traffic& traffic_;
  std::unique_ptr<Ring> ring_;

  AlignedBuffer input_;  // [begin_, end_) is still to be dealt with
  size_t begin_ = 0, end_ = 0;
  ReplyQueue replies_;
  std::vector<Run> runs_;
  std::vector<std::byte> status_;
};

}  // namespace disklathe::nbd
