// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/http/http_input.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "core/http/http_device.h"

namespace disklathe::http {
namespace {

constexpr size_t most_ahead = 2 << 20;  // bytes kept before they are asked for
constexpr int halt_check_milliseconds = 50;

class HttpInput final : public stream::Input {
 public:
  HttpInput(const LibCurl& api, Resource resource, CURLM* multi)
      : api_(api), resource_(std::move(resource)), multi_(multi) {}
  ~HttpInput() override {
    stop();
    exchange_.reset();
    (void)api_.multi_cleanup(multi_);
  }

  std::string_view name() const override { return resource_.name; }
  Result<size_t> read(MutableBytes into) override;
  std::optional<uint64_t> size() const override { return resource_.ranges ? resource_.size : std::nullopt; }
  Result<void> read_at(uint64_t at, MutableBytes into) override;
  void rewind() override;

 private:
  Result<void> begin();
  void stop();
  Result<void> wait_for_more();
  Result<void> ended(CURLcode code);
  std::optional<size_t> take(Bytes bytes);

  const LibCurl& api_;
  const Resource resource_;
  CURLM* const multi_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<HttpDevice> anywhere_;  // for read_at()
  bool under_way_ = false, paused_ = false, over_ = false;
  uint64_t received_ = 0;  // of it, so far
  unsigned retries_ = 0;   // since something came
  std::vector<std::byte> ahead_;
  size_t given_ = 0;  // of them
};

Result<void> HttpInput::begin() {
  if (!exchange_) {
    auto exchange = Exchange::create(api_, resource_);
    if (!exchange) return failure(exchange);
    exchange_ = std::move(*exchange);
  }
  std::optional<Range> part;
  if (resource_.ranges) part = Range::between(received_, *resource_.size);
  if (part && part->empty()) {
    over_ = true;
    return {};
  }
  exchange_->ask(part, [this](Bytes bytes) { return take(bytes); });
  (void)api_.multi_add_handle(multi_, exchange_->handle());
  under_way_ = true;
  paused_ = false;
  return {};
}

void HttpInput::stop() {
  if (under_way_) (void)api_.multi_remove_handle(multi_, exchange_->handle());
  under_way_ = false;
}

std::optional<size_t> HttpInput::take(Bytes bytes) {
  if (ahead_.size() - given_ >= most_ahead) {
    paused_ = true;
    return std::nullopt;
  }
  ahead_.insert(ahead_.end(), bytes.begin(), bytes.end());
  received_ += bytes.size();
  retries_ = 0;
  return bytes.size();
}

Result<void> HttpInput::ended(CURLcode code) {
  stop();
  const Exchange::Ending ending = exchange_->end(code);
  const bool complete = !resource_.size || received_ == *resource_.size;
  if (!ending.error && complete) {
    over_ = true;
    return {};
  }
  Error error = ending.error ? *ending.error
                             : Error{.kind = ErrorKind::vanished,
                                     .operation = "read",
                                     .subject = resource_.name,
                                     .cause = "the connection ended before its file did"};
  error.offset = received_;
  const auto pause = pause_before_retry(retries_++);
  // Without parts it would have to begin anew, and the first bytes have gone their way.
  if ((ending.error && !ending.may_recover) || !resource_.ranges || !pause) return failure(std::move(error));
  if (retries_ > 1) std::this_thread::sleep_for(*pause);
  return {};
}

Result<void> HttpInput::wait_for_more() {
  if (!under_way_) {
    if (auto begun = begin(); !begun || over_) return begun;
  }
  if (paused_) {
    paused_ = false;
    (void)api_.easy_pause(exchange_->handle(), CURLPAUSE_CONT);
  }
  int running = 0, left = 0;
  (void)api_.multi_perform(multi_, &running);
  if (const CURLMsg* message = api_.multi_info_read(multi_, &left); message && message->msg == CURLMSG_DONE)
    return ended(message->data.result);
  if (ahead_.size() == given_) (void)api_.multi_poll(multi_, nullptr, 0, halt_check_milliseconds, nullptr);
  if (halted()) return failure(ErrorKind::stopped, "read", "stopped on request");
  return {};
}

Result<size_t> HttpInput::read(MutableBytes into) {
  if (into.empty()) return 0;
  while (ahead_.size() == given_ && !over_) {
    ahead_.clear();
    given_ = 0;
    if (auto more = wait_for_more(); !more) return failure(more);
  }
  const size_t count = std::min(into.size(), ahead_.size() - given_);
  std::memcpy(into.data(), ahead_.data() + given_, count);
  given_ += count;
  return count;
}

Result<void> HttpInput::read_at(uint64_t at, MutableBytes into) {
  if (!anywhere_) {
    auto device = HttpDevice::over(resource_);
    if (!device) return failure(device);
    anywhere_ = std::move(*device);
  }
  return anywhere_->read_now(at, into);
}

void HttpInput::rewind() {
  stop();
  ahead_.clear();
  given_ = 0;
  received_ = 0;
  over_ = false;
}

}  // namespace

Result<std::unique_ptr<stream::Input>> make_http_input(Resource resource) {
  const auto api = LibCurl::load();
  if (!api) return std::unexpected(api.error());
  CURLM* multi = (*api)->multi_init();
  if (!multi) return failure(ErrorKind::io, "open", "libcurl gives no handle");
  return std::make_unique<HttpInput>(**api, std::move(resource), multi);
}

}  // namespace disklathe::http
