// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/range.h"

namespace disklathe::http {

// Content-Range (RFC 9110, 14.4): which bytes of how many a part is.
struct PartOf {
  Range range;
  std::optional<uint64_t> total;  // nothing: the server does not know

  friend bool operator==(const PartOf&, const PartOf&) = default;
};
std::optional<PartOf> parse_content_range(std::string_view value);

// By what it is known that a file is still the one it was.
struct Validator {
  std::string etag, modified;

  // For If-Range (RFC 9110, 13.1.5), which takes no weak tag; empty: there is nothing to give.
  std::string condition() const { return etag.empty() || etag.starts_with("W/") ? modified : etag; }
  bool known() const { return !etag.empty() || !modified.empty(); }
  friend bool operator==(const Validator&, const Validator&) = default;
};

// What is used of the head of an answer; put together from its lines, of the last answer where one leads to another.
struct Head {
  unsigned status = 0;
  std::optional<uint64_t> length;  // Content-Length
  std::optional<PartOf> part;
  bool has_range = false;  // a Content-Range, whether it makes sense or not
  bool encoded = false;    // what follows are not the file's own bytes
  Validator validator;

  // With or without its end. Nothing in it is trusted to be well-formed.
  void take(std::string_view line);
};

// http:// or https://
bool is_url(std::string_view text);
// Without what only its server is to know: a password, and what follows a question mark is kept, as files differ by it.
std::string shown(std::string_view url);

}  // namespace disklathe::http
