// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/format/registry.h"

namespace disklathe {

// How much of a new image's space is taken when it is made.
enum class Preallocation : uint8_t {
  off,
  metadata,  // everything is mapped, nothing reserved
  falloc,    // and reserved on the medium
  full,      // and written with zeroes
};

// Reads -o values as qemu-img spells them. Each returns the default where the option was not given; errors are of kind
// `invalid`, operation "create", and name the option.
class OptionValues {
 public:
  explicit OptionValues(const FormatOptions& options) : options_(options) {}

  // An error when an option was given that is not among `known`.
  Result<void> only(std::span<const OptionInfo> known) const;

  std::string text(std::string_view name) const;  // empty: not given
  Result<bool> flag(std::string_view name, bool otherwise) const;
  Result<uint64_t> number(std::string_view name, uint64_t otherwise) const;
  // Bytes: digits, a fraction, and one of the suffixes B K M G T P E.
  Result<uint64_t> size(std::string_view name, uint64_t otherwise) const;
  Result<Preallocation> preallocation(bool metadata_allowed) const;

 private:
  const FormatOptions& options_;
};

}  // namespace disklathe
