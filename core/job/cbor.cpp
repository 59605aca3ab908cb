// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/cbor.h"

#include <algorithm>
#include <string_view>

#include "core/base/endian.h"

namespace disklathe::job {
namespace {

constexpr size_t most_depth = 16;
constexpr size_t most_items = 1 << 16;  // of a whole message
constexpr size_t most_keys = 64;        // of one map

// Walks through encoded items without making anything of them. The library's own parser recurses as deep as it is told
// to, and takes the last of keys that are the same.
class Walk {
 public:
  explicit Walk(Bytes bytes) : bytes_(bytes) {}

  bool allowed() {
    open_.push_back({.left = 1});
    while (!open_.empty()) {
      Level& level = open_.back();
      if (level.left == 0) {
        open_.pop_back();
        continue;
      }
      --level.left;
      const bool key = level.map && level.left % 2 == 1;
      if (!item(key)) return false;
    }
    return at_ == bytes_.size();
  }

 private:
  struct Level {
    uint64_t left = 0;  // items to come; of a map keys and values
    bool map = false;
    std::vector<std::string_view> keys = {};
  };

  bool item(bool key) {
    if (++items_ > most_items || at_ >= bytes_.size()) return false;
    const auto head = std::to_integer<uint8_t>(bytes_[at_++]);
    const unsigned major = head >> 5, detail = head & 31;
    if (key && major != 3) return false;
    if (major == 7) return simple(detail);
    const auto value = argument(detail);
    if (!value) return false;
    switch (major) {
      case 0:
      case 1: return true;
      case 3: return text(*value, key);
      case 4: return open(*value, false);
      case 5: return *value <= most_keys && open(*value * 2, true);
      default: return false;  // byte strings and tags
    }
  }

  // false, true, and floats of 32 and 64 bits.
  bool simple(unsigned detail) {
    if (detail == 20 || detail == 21) return true;
    if (detail != 26 && detail != 27) return false;
    const size_t size = detail == 26 ? 4 : 8;
    if (bytes_.size() - at_ < size) return false;
    at_ += size;
    return true;
  }

  // Of definite length only.
  std::optional<uint64_t> argument(unsigned detail) {
    if (detail < 24) return detail;
    if (detail > 27) return std::nullopt;
    const size_t size = size_t{1} << (detail - 24);
    if (bytes_.size() - at_ < size) return std::nullopt;
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) value = value << 8 | std::to_integer<uint64_t>(bytes_[at_++]);
    return value;
  }

  bool text(uint64_t length, bool key) {
    if (length > bytes_.size() - at_) return false;
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + at_, length);
    at_ += length;
    if (!key) return true;
    auto& keys = open_.back().keys;
    if (std::ranges::contains(keys, text)) return false;
    keys.push_back(text);
    return true;
  }

  bool open(uint64_t items, bool map) {
    if (open_.size() >= most_depth || items > bytes_.size() - at_) return false;
    open_.push_back({.left = items, .map = map});
    return true;
  }

  Bytes bytes_;
  size_t at_ = 0, items_ = 0;
  std::vector<Level> open_;
};

}  // namespace

Result<nlohmann::json> parse_cbor(Bytes bytes) {
  if (!Walk(bytes).allowed()) return failure(ErrorKind::invalid, "receive", "a message that is not well formed");
  const auto* begin = reinterpret_cast<const uint8_t*>(bytes.data());
  auto value = nlohmann::json::from_cbor(begin, begin + bytes.size(), true, false);
  if (value.is_discarded()) return failure(ErrorKind::invalid, "receive", "a message that is not well formed");
  return value;
}

std::vector<std::byte> cbor_of(const nlohmann::json& value) {
  std::vector<std::byte> bytes;
  for (const uint8_t byte : nlohmann::json::to_cbor(value)) bytes.push_back(static_cast<std::byte>(byte));
  return bytes;
}

}  // namespace disklathe::job
