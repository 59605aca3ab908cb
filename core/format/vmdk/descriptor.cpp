// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/descriptor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace disklathe::vmdk {
namespace {

constexpr std::string_view blanks = " \t\r";

std::unexpected<Error> corrupt(uint64_t at, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), at);
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::string_view without_quotes(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

// As a sentence shows it.
std::string_view start_of(std::string_view line) { return line.substr(0, 80); }

std::optional<uint64_t> number(std::string_view text, int base = 10) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Takes the first word off a line.
std::string_view next_word(std::string_view& line) {
  line = trimmed(line);
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text.substr(0, text.find('\0'))) {}

  Result<Descriptor> run() {
    for (size_t at = 0; at < text_.size();) {
      const size_t end = std::min(text_.find('\n', at), text_.size());
      at_ = at;
      if (auto done = line(trimmed(text_.substr(at, end - at))); !done) return failure(done);
      at = end + 1;
    }
    if (!has_cid_) return corrupt(0, "the descriptor gives no CID");
    if (descriptor_.create_type.empty()) return corrupt(0, "the descriptor gives no createType");
    return std::move(descriptor_);
  }

 private:
  Result<void> line(std::string_view line) {
    if (line.empty() || line.starts_with('#')) return {};
    std::string_view rest = line;
    const std::string_view access = next_word(rest);
    if (access == "RW" || access == "RDONLY" || access == "NOACCESS") return extent(access, rest, line);
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) return corrupt(at_, fmt::format("line {:?}", start_of(line)));
    return assignment(trimmed(line.substr(0, equals)), without_quotes(trimmed(line.substr(equals + 1))));
  }

  Result<void> assignment(std::string_view key, std::string_view value) {
    const auto unsupported = [&](std::string cause) {
      return failure(ErrorKind::unsupported, "open", std::move(cause), at_);
    };
    if (key == "version") {
      const auto version = number(value);
      if (!version) return corrupt(at_, fmt::format("version {:?}", start_of(value)));
      if (*version < 1 || *version > 4) return unsupported(fmt::format("version {} of the descriptor", *version));
    } else if (key == "CID") {
      has_cid_ = true;
      return content_id(value, descriptor_.cid);
    } else if (key == "parentCID") {
      return content_id(value, descriptor_.parent_cid);
    } else if (key == "createType") {
      descriptor_.create_type = value;
    } else if (key == "parentFileNameHint") {
      descriptor_.parent_hint = value;
    } else if (key.starts_with("encryption.")) {
      return unsupported("the disk is encrypted");
    }
    return {};  // the rest is the virtual machine's: geometry, adapter, change tracking
  }

  Result<void> content_id(std::string_view value, uint32_t& id) {
    const auto parsed = number(value, 16);
    if (!parsed || *parsed > UINT32_MAX) return corrupt(at_, fmt::format("content ID {:?}", start_of(value)));
    id = static_cast<uint32_t>(*parsed);
    return {};
  }

  // ACCESS SECTORS TYPE ["NAME" [OFFSET [...]]]
  Result<void> extent(std::string_view access, std::string_view rest, std::string_view line) {
    const auto wrong = [&] { return corrupt(at_, fmt::format("extent line {:?}", start_of(line))); };
    const auto sectors = number(next_word(rest));
    DescribedExtent extent{.type = std::string(next_word(rest))};
    if (!sectors || *sectors == 0 || *sectors > max_sectors - total_ || extent.type.empty()) return wrong();
    total_ += extent.sectors = *sectors;
    if (access == "NOACCESS" && extent.type != "ZERO") {
      return failure(ErrorKind::unsupported, "open", "an extent that may not be read (NOACCESS)", at_);
    }
    if (extent.type == "ZERO") {
      extent.kind = DescribedExtent::Kind::zero;
    } else if (extent.type == "SPARSE" || extent.type == "VMFSSPARSE") {
      extent.kind = DescribedExtent::Kind::sparse;
    } else if (extent.type != "FLAT" && extent.type != "VMFS") {
      return failure(ErrorKind::unsupported, "open", fmt::format("an extent of type {:?}", start_of(extent.type)), at_);
    }
    rest = trimmed(rest);
    if (extent.kind != DescribedExtent::Kind::zero) {
      const size_t end = rest.find('"', 1);
      if (!rest.starts_with('"') || end == std::string_view::npos || end == 1) return wrong();
      extent.name = rest.substr(1, end - 1);
      rest = trimmed(rest.substr(end + 1));
    }
    if (extent.kind == DescribedExtent::Kind::flat && !rest.empty()) {
      const auto offset = number(next_word(rest));
      if (!offset || *offset > max_sectors) return wrong();
      extent.offset = *offset;
    } else if (extent.type == "FLAT") {
      return wrong();  // only VMFS extents may leave it out
    }
    descriptor_.extents.push_back(std::move(extent));
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
  uint64_t total_ = 0;  // sectors
  bool has_cid_ = false;
  Descriptor descriptor_;
};

}  // namespace

Result<Descriptor> Descriptor::parse(std::string_view text) { return Parser(text).run(); }

// QEMU's rule, which is what decides elsewhere too.
bool looks_like_descriptor(Bytes head) {
  std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const bool whole = end < text.size();
    if (line.starts_with('#') || (whole && line.find_first_not_of(" \r") == std::string_view::npos)) {
      text.remove_prefix(std::min(end + 1, text.size()));
      continue;
    }
    if (!whole) return false;
    const std::string_view value = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
    return value == "version=1" || value == "version=2" || value == "version=3" || value == "version=4";
  }
  return false;
}

}  // namespace disklathe::vmdk
