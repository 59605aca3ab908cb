// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/bytes.h"
#include "core/http/head.h"
#include "core/http/libcurl.h"

namespace disklathe::http {

// What an address has led to when it was first asked, and has to lead to ever after.
struct Resource {
  std::string url;
  std::string name;              // of it, for people
  std::optional<uint64_t> size;  // bytes
  bool ranges = false;           // parts of it can be had; then it has a size
  Validator validator;
};

// A GET, one after the other on one easy handle: asked for by ask(), carried out by somebody's multi
// handle, and judged before the first byte is believed.
class Exchange {
 public:
  // resource outlives it.
  static Result<std::unique_ptr<Exchange>> create(const LibCurl& api, const Resource& resource);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // How many of the bytes were taken; nothing: none, until somebody resumes the handle.
  using Take = std::function<std::optional<size_t>(Bytes)>;
  // Nothing: all of it. What comes is of the resource as it was, or the exchange fails with `changed`.
  void ask(std::optional<Range> part, Take take);
  // The first bytes, of what nothing is known of yet: as a part, or where there are none from all.
  void ask_first(uint64_t bytes, Take take);

  CURL* handle() const { return handle_; }
  const Head& head() const { return head_; }

  // What has become of it.
  struct Ending {
    std::optional<Error> error;
    bool may_recover = false;  // asked again it may go well
  };
  Ending end(CURLcode code);

 private:
  Exchange(const LibCurl& api, const Resource& resource, CURL* handle);
  template <class Value>
  void set(CURLoption option, Value value);
  static size_t take_line(char* data, size_t size, size_t count, void* self);
  static size_t take_body(char* data, size_t size, size_t count, void* self);
  void begin(std::optional<Range> part, Take take, bool first);
  void judge();
  void judge_first();
  void judge_part();
  void judge_whole();
  bool is_other_file() const;
  void fail(ErrorKind kind, std::string cause, bool may_recover = false);

  const LibCurl& api_;
  const Resource& resource_;
  CURL* const handle_;
  std::array<char, CURL_ERROR_SIZE> words_{};
  curl_slist* headers_ = nullptr;
  std::optional<Range> asked_;
  Take take_;
  Head head_;
  bool first_ = false, judged_ = false;
  Ending verdict_;
};

// Asks for the first bytes, and tells what is there.
Result<Resource> look_at(const std::string& url);

// How long to wait before what could not be had is asked for again, for the n-th time (from 0) since something came;
// nothing: it is given up.
std::optional<std::chrono::milliseconds> pause_before_retry(unsigned retries);

}  // namespace disklathe::http
