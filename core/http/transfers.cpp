// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/http/transfers.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/io/background_thread.h"

namespace disklathe::http {
namespace {

constexpr size_t most_lanes = 6;     // as browsers have to one server
constexpr int longest_sleep = 1000;  // ms

}  // namespace

size_t Piece::take(Bytes bytes) {
  size_t taken = 0;
  while (taken < bytes.size() && first_ < into_.size()) {
    iovec& vector = into_[first_];
    const size_t part = std::min(vector.iov_len, bytes.size() - taken);
    std::memcpy(vector.iov_base, bytes.data() + taken, part);
    vector.iov_base = static_cast<std::byte*>(vector.iov_base) + part;
    vector.iov_len -= part;
    taken += part;
    if (vector.iov_len == 0) ++first_;
  }
  range_ = Range::between(range_.at + taken, range_.end());
  if (taken > 0) retries_ = 0;
  return taken;
}

Result<std::unique_ptr<Transfers>> Transfers::start(const Resource& resource) {
  const auto api = LibCurl::load();
  if (!api) return std::unexpected(api.error());
  CURLM* multi = (*api)->multi_init();
  if (!multi) return failure(ErrorKind::io, "open", "libcurl gives no handle");
  std::unique_ptr<Transfers> transfers(new Transfers(**api, resource, multi));
  transfers->thread_ = background_thread(&Transfers::run, transfers.get());
  return transfers;
}

Transfers::Transfers(const LibCurl& api, const Resource& resource, CURLM* multi)
    : api_(api), resource_(resource), multi_(multi) {
  (void)api_.multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, static_cast<long>(most_lanes));
}

Transfers::~Transfers() {
  if (thread_.joinable()) {
    {
      const std::scoped_lock lock(mutex_);
      ending_ = true;
    }
    (void)api_.multi_wakeup(multi_);
    thread_.join();
  }
  lanes_.clear();
  (void)api_.multi_cleanup(multi_);
}

void Transfers::fetch(Piece& piece) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(&piece);
  }
  (void)api_.multi_wakeup(multi_);
}

void Transfers::run() {
  for (;;) {
    begin_what_waits();
    {
      const std::scoped_lock lock(mutex_);
      if (ending_) return;
    }
    int running = 0, left = 0;
    (void)api_.multi_perform(multi_, &running);
    while (const CURLMsg* message = api_.multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      const auto lane =
          std::ranges::find_if(lanes_, [&](const Lane& one) { return one.exchange->handle() == message->easy_handle; });
      (void)api_.multi_remove_handle(multi_, message->easy_handle);
      if (lane != lanes_.end()) end(*lane, code);
    }
    begin_what_waits();
    int sleep = longest_sleep;
    for (const Later& later : later_) {
      const auto left_of_it = std::chrono::duration_cast<std::chrono::milliseconds>(later.when - Clock::now());
      sleep = std::clamp<int>(static_cast<int>(left_of_it.count()) + 1, 1, sleep);
    }
    (void)api_.multi_poll(multi_, nullptr, 0, sleep, nullptr);
  }
}

void Transfers::begin_what_waits() {
  const Clock::time_point now = Clock::now();
  for (size_t i = 0; i < later_.size();) {
    if (later_[i].when > now) {
      ++i;
      continue;
    }
    const std::scoped_lock lock(mutex_);
    waiting_.push_front(later_[i].piece);
    later_.erase(later_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  const auto busy = [&] {
    return static_cast<size_t>(std::ranges::count_if(lanes_, [](const Lane& lane) { return lane.piece != nullptr; }));
  };
  while (busy() < most_lanes) {
    Piece* piece = nullptr;
    {
      const std::scoped_lock lock(mutex_);
      if (waiting_.empty()) return;
      piece = waiting_.front();
      waiting_.pop_front();
    }
    begin(*piece);
  }
}

void Transfers::begin(Piece& piece) {
  auto lane = std::ranges::find(lanes_, nullptr, &Lane::piece);
  if (lane == lanes_.end()) {
    auto exchange = Exchange::create(api_, resource_);
    if (!exchange) return finish(piece, exchange.error());
    lane = lanes_.insert(lanes_.end(), Lane{.exchange = std::move(*exchange)});
  }
  lane->piece = &piece;
  lane->exchange->ask(piece.range_, [&piece](Bytes bytes) { return std::optional(piece.take(bytes)); });
  (void)api_.multi_add_handle(multi_, lane->exchange->handle());
}

void Transfers::end(Lane& lane, CURLcode code) {
  Piece& piece = *std::exchange(lane.piece, nullptr);
  const Exchange::Ending ending = lane.exchange->end(code);
  if (piece.range_.empty() && !ending.error) return finish(piece, std::nullopt);
  // A part that ended well before its end is asked for again, as one that broke.
  if (ending.error && !ending.may_recover) return finish(piece, ending.error);
  const auto pause = pause_before_retry(piece.retries_++);
  if (!pause)
    return finish(piece, ending.error ? *ending.error
                                      : Error{.kind = ErrorKind::io,
                                              .operation = "read",
                                              .subject = resource_.name,
                                              .offset = piece.range_.at,
                                              .cause = "the server sends fewer bytes than it says"});
  later_.push_back({Clock::now() + (piece.retries_ == 1 ? std::chrono::milliseconds(0) : *pause), &piece});
}

void Transfers::finish(Piece& piece, std::optional<Error> error) {
  piece.error_ = std::move(error);
  OutsideCall& call = piece.call_;
  if (call.complete(piece.error_ ? EIO : 0)) call.finish();
}

}  // namespace disklathe::http
