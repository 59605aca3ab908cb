// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhd/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/format/option_values.h"

namespace disklathe::vhd {

const std::vector<OptionInfo>& create_options() {
  static const std::vector<OptionInfo> options{
      OptionInfo{.name = "subformat",
                 .default_value = "dynamic",
                 .help = "Whether only what is written takes space",
                 .values = {"dynamic", "fixed"}},
      OptionInfo{.name = "force_size",
                 .default_value = "off",
                 .help = "The size in whole MiB as Hyper-V and Azure take it, not what a geometry can say",
                 .values = {"on", "off"}},
  };
  return options;
}

Result<CreateOptions> parse_options(const FormatOptions& given) {
  const OptionValues values(given);
  if (auto known = values.only(create_options()); !known) return failure(known);
  const std::string subformat = values.text("subformat");
  if (!subformat.empty() && subformat != "dynamic" && subformat != "fixed")
    return failure(ErrorKind::invalid, "create",
                   fmt::format("option subformat: '{}' is not dynamic or fixed", subformat));
  const auto force_size = values.flag("force_size", false);
  if (!force_size) return std::unexpected(force_size.error());
  return CreateOptions{.type = subformat == "fixed" ? DiskType::fixed : DiskType::dynamic, .force_size = *force_size};
}

Result<DiskShape> shape_of(uint64_t size, const CreateOptions& options) {
  constexpr uint64_t mebibyte = 1 << 20;
  DiskShape shape{.geometry = largest_geometry};
  if (size <= max_size) {
    const uint64_t sectors = divide_up(size, sector_size);
    if (!options.force_size && sectors < largest_geometry.sectors()) {
      // Geometries round down: at most a cylinder's sectors later one holds as many as are wanted.
      shape.geometry = geometry_of(sectors);
      for (uint64_t more = 1; shape.geometry.sectors() < sectors; ++more) shape.geometry = geometry_of(sectors + more);
    }
    // The largest geometry says nothing any more: programs go by the size then.
    shape.size = shape.geometry != largest_geometry ? shape.geometry.sectors() * sector_size
                 : options.force_size               ? round_up(size, mebibyte)
                                                    : sectors * sector_size;
  }
  if (size > max_size || shape.size > max_size)
    return failure(ErrorKind::invalid, "create", "VHD disks have at most 2040 GiB");
  return shape;
}

}  // namespace disklathe::vhd
