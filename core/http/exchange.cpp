// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/http/exchange.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "core/base/version.h"

namespace disklathe::http {
namespace {

constexpr long connect_seconds = 30;
// Slower than this for so long is as good as gone.
constexpr long least_rate = 1, silent_seconds = 30;
constexpr long most_redirects = 10;
constexpr uint64_t first_bytes = 64 << 10;
constexpr long buffer_size = 512 << 10;

struct Meaning {
  ErrorKind kind;
  bool may_recover;
};

Meaning meaning_of(CURLcode code) {
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_TOO_MANY_REDIRECTS: return {ErrorKind::invalid, false};
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY: return {ErrorKind::not_found, false};
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM: return {ErrorKind::permission, false};
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return {ErrorKind::vanished, true};
    default: return {ErrorKind::io, false};
  }
}

}  // namespace

Result<std::unique_ptr<Exchange>> Exchange::create(const LibCurl& api, const Resource& resource) {
  CURL* handle = api.easy_init();
  if (!handle) return failure(ErrorKind::io, "open", "libcurl gives no handle");
  return std::unique_ptr<Exchange>(new Exchange(api, resource, handle));
}

Exchange::Exchange(const LibCurl& api, const Resource& resource, CURL* handle)
    : api_(api), resource_(resource), handle_(handle) {
  set(CURLOPT_URL, resource.url.c_str());
  set(CURLOPT_USERAGENT, ("disklathe/" + std::string(version())).c_str());
  // Whoever answers must not lead to this machine's files, nor out of TLS.
  const bool secure = resource.url.starts_with("https") || resource.url.starts_with("HTTPS");
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, most_redirects);
  set(CURLOPT_CONNECTTIMEOUT, connect_seconds);
  set(CURLOPT_LOW_SPEED_LIMIT, least_rate);
  set(CURLOPT_LOW_SPEED_TIME, silent_seconds);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_BUFFERSIZE, buffer_size);
  set(CURLOPT_ERRORBUFFER, words_.data());
  // As for the program curl.
  if (const char* authorities = std::getenv("CURL_CA_BUNDLE")) set(CURLOPT_CAINFO, authorities);
  set(CURLOPT_HEADERFUNCTION, &take_line);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &take_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_PRIVATE, this);
}

Exchange::~Exchange() {
  api_.easy_cleanup(handle_);
  api_.slist_free_all(headers_);
}

template <class Value>
void Exchange::set(CURLoption option, Value value) {
  (void)api_.easy_setopt(handle_, option, value);
}

void Exchange::ask(std::optional<Range> part, Take take) { begin(part, std::move(take), false); }

void Exchange::ask_first(uint64_t bytes, Take take) { begin(Range{0, bytes}, std::move(take), true); }

void Exchange::begin(std::optional<Range> part, Take take, bool first) {
  asked_ = part;
  first_ = first;
  take_ = std::move(take);
  head_ = {};
  judged_ = false;
  verdict_ = {};
  words_[0] = 0;
  api_.slist_free_all(headers_);
  headers_ = api_.slist_append(nullptr, "Accept-Encoding: identity");
  const std::string condition = part ? resource_.validator.condition() : std::string();
  if (!condition.empty()) headers_ = api_.slist_append(headers_, ("If-Range: " + condition).c_str());
  set(CURLOPT_HTTPHEADER, headers_);
  const std::string range = part ? std::to_string(part->at) + "-" + std::to_string(part->end() - 1) : std::string();
  set(CURLOPT_RANGE, part ? range.c_str() : nullptr);
}

size_t Exchange::take_line(char* data, size_t size, size_t count, void* self) {
  static_cast<Exchange*>(self)->head_.take({data, size * count});
  return size * count;
}

size_t Exchange::take_body(char* data, size_t size, size_t count, void* self) {
  auto& exchange = *static_cast<Exchange*>(self);
  const size_t bytes = size * count;
  if (exchange.head_.status >= 300 && exchange.head_.status < 400) return bytes;  // the words of a redirection
  exchange.judge();
  if (exchange.verdict_.error) return 0;
  const auto taken = exchange.take_({reinterpret_cast<const std::byte*>(data), bytes});
  if (!taken) return CURL_WRITEFUNC_PAUSE;
  if (*taken < bytes) exchange.fail(ErrorKind::io, "the server sent more than it was asked for");
  return *taken;
}

void Exchange::fail(ErrorKind kind, std::string cause, bool may_recover) {
  verdict_ = {.error = Error{.kind = kind,
                             .operation = "read",
                             .subject = resource_.name,
                             .offset = asked_ ? std::optional(asked_->at) : std::nullopt,
                             .cause = std::move(cause)},
              .may_recover = may_recover};
}

// Whether what follows the head is what was asked for.
void Exchange::judge() {
  if (judged_) return;
  judged_ = true;
  const std::string answered = "the server answered with " + std::to_string(head_.status);
  switch (head_.status) {
    case 200:
    case 206: break;
    case 401:
    case 403:
    case 407: return fail(ErrorKind::permission, answered + ": it does not let this user read it");
    case 404:
    case 410: return fail(ErrorKind::not_found, answered + ": there is no such thing");
    case 416:
      if (first_ && head_.part && head_.part->total == 0) return;  // of an empty file there is no part
      if (!first_) return fail(ErrorKind::changed, "the server's file became shorter");
      [[fallthrough]];
    default: return fail(ErrorKind::io, answered, head_.status == 429 || head_.status >= 500);
  }
  if (head_.encoded) return fail(ErrorKind::unsupported, "the server sends it encoded, and not as it is");
  if (first_) return judge_first();
  asked_ ? judge_part() : judge_whole();
}

bool Exchange::is_other_file() const { return head_.validator != resource_.validator; }

void Exchange::judge_first() {
  if (head_.status == 206 && (!head_.part || head_.part->range.at != 0 || !head_.part->total))
    fail(ErrorKind::io, "the server sent another part than it was asked for, or does not say of how much");
}

void Exchange::judge_part() {
  if (head_.status == 200)
    return is_other_file() ? fail(ErrorKind::changed, "the server has another file there now")
                           : fail(ErrorKind::io, "the server sends all of it, and was asked for a part");
  // Fewer than were asked for are allowed; the rest is asked for again.
  if (!head_.part || head_.part->range.empty() || head_.part->range.at != asked_->at ||
      head_.part->range.end() > asked_->end())
    return fail(ErrorKind::io, "the server sent another part than it was asked for");
  if (is_other_file() || (head_.part->total && head_.part->total != resource_.size))
    fail(ErrorKind::changed, "the server has another file there now");
}

void Exchange::judge_whole() {
  if (head_.status != 200) return fail(ErrorKind::io, "the server sent a part, and was asked for all");
  if (is_other_file() || (resource_.size && head_.length && head_.length != resource_.size))
    fail(ErrorKind::changed, "the server has another file there now");
}

Exchange::Ending Exchange::end(CURLcode code) {
  if (code == CURLE_OK) judge();  // it may have had no bytes
  if (verdict_.error || code == CURLE_OK) return verdict_;
  const Meaning meaning = meaning_of(code);
  return {.error = Error{.kind = meaning.kind,
                         .operation = "read",
                         .subject = resource_.name,
                         .offset = asked_ ? std::optional(asked_->at) : std::nullopt,
                         .cause = words_[0] ? std::string(words_.data()) : std::string(api_.easy_strerror(code))},
          .may_recover = meaning.may_recover};
}

Result<Resource> look_at(const std::string& url) {
  const auto api = LibCurl::load();
  if (!api) return std::unexpected(api.error());
  Resource resource{.url = url, .name = shown(url)};
  auto exchange = Exchange::create(**api, resource);
  if (!exchange) return failure(exchange);
  for (unsigned retries = 0;; ++retries) {
    uint64_t count = 0;
    const auto take = [&](Bytes bytes) {
      const uint64_t wanted = std::min<uint64_t>(bytes.size(), first_bytes - count);
      count += wanted;
      return std::optional<size_t>(wanted);
    };
    (*exchange)->ask_first(first_bytes, take);
    const Exchange::Ending ending = (*exchange)->end((*api)->easy_perform((*exchange)->handle()));
    const Head& head = (*exchange)->head();
    const bool enough = head.status == 200 && count == first_bytes;  // there was more, which was not taken
    if (ending.error && !enough) {
      const auto pause = pause_before_retry(retries);
      if (!ending.may_recover || !pause) return failure(*ending.error);
      std::this_thread::sleep_for(*pause);
      continue;
    }
    resource.ranges = head.status != 200;
    resource.size = resource.ranges ? head.part->total : head.length;
    resource.validator = head.validator;
    return resource;
  }
}

std::optional<std::chrono::milliseconds> pause_before_retry(unsigned retries) {
  constexpr unsigned most_retries = 5;
  constexpr std::chrono::milliseconds first_pause{200};
  if (retries >= most_retries) return std::nullopt;
  return first_pause * (1U << retries);
}

}  // namespace disklathe::http
