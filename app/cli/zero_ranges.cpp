// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/zero_ranges.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/size_text.h"

namespace disklathe::cli {
namespace {

std::unexpected<Error> invalid(std::string cause) { return failure(ErrorKind::invalid, "zero", std::move(cause)); }

}  // namespace

Result<std::vector<Range>> parse_ranges(const std::vector<std::string>& words, uint64_t size) {
  if (words.empty()) return std::vector<Range>{{0, size}};
  std::vector<Range> ranges;
  for (const std::string& word : words) {
    const size_t plus = word.find('+');
    const auto at = parse_size(std::string_view(word).substr(0, plus));
    const auto length = plus == std::string::npos ? std::nullopt : parse_size(std::string_view(word).substr(plus + 1));
    if (!at || !length || *length == 0)
      return invalid(fmt::format("--range takes AT+LENGTH, such as 1G+64M, not '{}'", word));
    if (*at > size || *length > size - *at)
      return invalid(fmt::format("--range {} ends past the last byte: there are {}", word, exact_size(size)));
    ranges.push_back({*at, *length});
  }
  std::ranges::sort(ranges, {}, &Range::at);
  std::vector<Range> apart;
  for (const Range& range : ranges) {
    if (apart.empty() || range.at > apart.back().end()) {
      apart.push_back(range);
    } else {
      apart.back() = Range::between(apart.back().at, std::max(apart.back().end(), range.end()));
    }
  }
  return apart;
}

}  // namespace disklathe::cli
