// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/identity_words.h"

#include <algorithm>
#include <charconv>

#include "core/device/system_files.h"

namespace disklathe {
namespace {

// As core/device shows them: no control characters.
bool is_name(const std::string& text) {
  constexpr size_t most = 256;
  return text.size() <= most && std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::string> words_of(const Identity& identity) {
  return {device_number_text(identity.number),
          identity.diskseq ? std::to_string(*identity.diskseq) : "-",
          std::to_string(identity.size),
          std::to_string(identity.start),
          identity.serial,
          identity.wwn};
}

std::optional<Identity> identity_of_words(std::span<const std::string> words) {
  if (words.size() != identity_word_count) return std::nullopt;
  const auto device = parse_device_number(words[0]);
  const auto diskseq = number(words[1]), size = number(words[2]), start = number(words[3]);
  if (!device || device_number_text(*device) != words[0] || (!diskseq && words[1] != "-") || !size || !start)
    return std::nullopt;
  if (!is_name(words[4]) || !is_name(words[5])) return std::nullopt;
  return Identity{.name = {},
                  .number = *device,
                  .diskseq = diskseq,
                  .serial = words[4],
                  .wwn = words[5],
                  .size = *size,
                  .start = *start};
}

}  // namespace disklathe
