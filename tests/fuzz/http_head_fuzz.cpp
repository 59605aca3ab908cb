// SPDX-License-Identifier: GPL-3.0-or-later
//
// The heads of a web server's answers, line by line, and addresses. What is believed of them makes sense: a part has
// bytes, ends before 2^64 and inside of its whole; nothing that is said back to the server breaks out of its line.
#include <algorithm>
#include <string_view>

#include "core/http/head.h"

using namespace disklathe;
using namespace disklathe::http;

namespace {

void must_make_sense(const PartOf& part) {
  if (part.range.empty() && !part.total) __builtin_trap();
  if (part.range.empty()) return;
  if (part.range.at > UINT64_MAX - part.range.length) __builtin_trap();
  if (part.total && part.range.end() > *part.total) __builtin_trap();
}

void must_be_one_line(std::string_view text) {
  const auto breaks = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (text.size() > 4096 || std::ranges::any_of(text, breaks)) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto part = parse_content_range(input)) must_make_sense(*part);
  if (is_url(input) && !is_url(shown(input))) __builtin_trap();

  Head head;
  for (size_t at = 0; at < input.size();) {
    const size_t end = std::min(input.find('\n', at), input.size() - 1) + 1;
    head.take(input.substr(at, end - at));
    at = end;
    if (head.status > 999) __builtin_trap();
    if (head.part) must_make_sense(*head.part);
    if (head.part && !head.has_range) __builtin_trap();
    must_be_one_line(head.validator.condition());
  }
  return 0;
}
