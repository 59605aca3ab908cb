// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhdx/options.h"

#include <fmt/format.h>

#include <bit>

#include "core/base/arithmetic.h"
#include "core/format/option_values.h"
#include "core/format/vhdx/layout.h"

namespace disklathe::vhdx {
namespace {

std::unexpected<Error> invalid(std::string cause) { return failure(ErrorKind::invalid, "create", std::move(cause)); }

// So that tables stay small: what QEMU takes.
uint64_t default_block_size(uint64_t size) {
  constexpr uint64_t gibibyte = 1024 * mebibyte;
  return size > 32 * 1024 * gibibyte ? 64 * mebibyte
         : size > 100 * gibibyte     ? 32 * mebibyte
         : size > gibibyte           ? 16 * mebibyte
                                     : 8 * mebibyte;
}

}  // namespace

const std::vector<OptionInfo>& create_options() {
  static const std::vector<OptionInfo> options{
      OptionInfo{.name = "block_size", .help = "Bytes, a power of two from 1M to 256M; by the disk's size"},
      OptionInfo{.name = "block_state_zero",
                 .default_value = "on",
                 .help = "Blocks that are not stored are said to be zero",
                 .values = {"on", "off"}},
      OptionInfo{.name = "log_size", .default_value = "1048576", .help = "Bytes, whole MiB below 4G"},
      OptionInfo{.name = "subformat",
                 .default_value = "dynamic",
                 .help = "Whether only what is written takes space",
                 .values = {"dynamic", "fixed"}},
  };
  return options;
}

Result<CreateOptions> parse_options(const FormatOptions& given, uint64_t size) {
  const OptionValues values(given);
  if (auto known = values.only(create_options()); !known) return failure(known);
  const std::string subformat = values.text("subformat");
  if (!subformat.empty() && subformat != "dynamic" && subformat != "fixed")
    return invalid(fmt::format("option subformat: '{}' is not dynamic or fixed", subformat));
  const auto zero = values.flag("block_state_zero", true);
  if (!zero) return std::unexpected(zero.error());
  const auto block = values.size("block_size", 0);
  if (!block) return std::unexpected(block.error());
  const uint64_t block_size = *block ? *block : default_block_size(size);
  if (!std::has_single_bit(block_size) || block_size < min_block_size || block_size > max_block_size)
    return invalid("option block_size: must be a power of two from 1M to 256M");
  const auto log_size = values.size("log_size", mebibyte);
  if (!log_size) return std::unexpected(log_size.error());
  if (*log_size == 0 || !is_multiple(*log_size, mebibyte) || *log_size > UINT32_MAX)
    return invalid("option log_size: must be whole MiB, and less than 4G");
  return CreateOptions{.fixed = subformat == "fixed",
                       .block_size = static_cast<uint32_t>(block_size),
                       .log_size = static_cast<uint32_t>(*log_size),
                       .block_state_zero = *zero};
}

}  // namespace disklathe::vhdx
