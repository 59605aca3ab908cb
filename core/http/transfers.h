// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "core/http/exchange.h"
#include "core/io/outside_call.h"

namespace disklathe::http {

// A part of a resource on its way into memory.
class Piece {
 public:
  // All three stay until the call is complete.
  Piece(Range range, std::vector<iovec> into, OutsideCall& call) : range_(range), into_(std::move(into)), call_(call) {}

  const std::optional<Error>& error() const { return error_; }

 private:
  friend class Transfers;
  Range range_;  // what is still to come
  std::vector<iovec> into_;
  size_t first_ = 0;  // of into_, with room
  OutsideCall& call_;
  unsigned retries_ = 0;  // since something came
  std::optional<Error> error_;

  size_t take(Bytes bytes);
};

// Gets parts of one resource, several at a time, by a thread of its own. Connections that break are made again, and
// what was missing is asked for.
class Transfers {
 public:
  static Result<std::unique_ptr<Transfers>> start(const Resource& resource);  // which outlives it
  ~Transfers();
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  // From any thread; the piece's call has been told of it (add()).
  void fetch(Piece& piece);

 private:
  using Clock = std::chrono::steady_clock;
  struct Lane {  // an exchange, and the piece it gets
    std::unique_ptr<Exchange> exchange;
    Piece* piece = nullptr;
  };
  struct Later {
    Clock::time_point when;
    Piece* piece;
  };

  Transfers(const LibCurl& api, const Resource& resource, CURLM* multi);
  void run();
  void begin_what_waits();
  void begin(Piece& piece);
  void end(Lane& lane, CURLcode code);
  void finish(Piece& piece, std::optional<Error> error);

  const LibCurl& api_;
  const Resource& resource_;
  CURLM* const multi_;
  std::list<Lane> lanes_;
  std::vector<Later> later_;
  std::mutex mutex_;  // of the next two
  std::deque<Piece*> waiting_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace disklathe::http
