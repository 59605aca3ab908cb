// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/bitmaps.h"

#include <fmt/format.h>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"

namespace disklathe::qcow2 {

namespace {

constexpr uint64_t fixed_size = 24;  // of a directory entry, before extra data and name
constexpr uint32_t flag_in_use = 1u << 0, flag_auto = 1u << 1;
constexpr uint32_t max_name = 1023;  // as QEMU accepts

std::unexpected<Error> corrupt(uint64_t at, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), at);
}

}  // namespace

Result<std::vector<Bitmap>> read_bitmaps(BlockDevice& file, const Header& header) {
  const BitmapsExtension& directory = *header.bitmaps;
  uint64_t at = directory.directory_offset;
  if (at > file.size() || directory.directory_size > file.size() - at || at < header.cluster_size() ||
      !is_multiple(at, header.cluster_size())) {
    return corrupt(at, "the bitmap directory does not lie on clusters inside the file");
  }
  if (directory.count == 0 || directory.count > max_bitmaps) {
    return corrupt(at, fmt::format("there are {} bitmaps, not 1 to {}", directory.count, max_bitmaps));
  }
  const uint64_t end = at + directory.directory_size;
  std::vector<Bitmap> bitmaps;
  for (uint32_t number = 0; number < directory.count; ++number) {
    const auto outside = [&] {
      return corrupt(at, fmt::format("bitmap {} does not lie inside its directory", number));
    };
    if (end - at < fixed_size) return outside();
    std::byte fixed[fixed_size];
    if (auto read = file.read_now(at, fixed); !read) return failure(read);
    const auto flags = load_be<uint32_t>(fixed, 12);
    const auto granularity_bits = load_be<uint8_t>(fixed, 17);
    const uint64_t name_size = load_be<uint16_t>(fixed, 18), extra_size = load_be<uint32_t>(fixed, 20);
    if (granularity_bits > 63)
      return corrupt(at, fmt::format("bitmap {} has {} granularity_bits", number, granularity_bits));
    if (name_size == 0 || name_size > max_name) {
      return corrupt(at, fmt::format("the name of bitmap {} has {} bytes, not 1 to {}", number, name_size, max_name));
    }
    const uint64_t size = fixed_size + extra_size + name_size;
    if (round_up(size, 8) > end - at) return outside();
    Bitmap bitmap{.name = std::string(name_size, '\0'),
                  .granularity = uint64_t{1} << granularity_bits,
                  .in_use = (flags & flag_in_use) != 0,
                  .automatic = (flags & flag_auto) != 0,
                  .table_offset = load_be<uint64_t>(fixed, 0),
                  .table_entries = load_be<uint32_t>(fixed, 8)};
    if (auto read = file.read_now(at + fixed_size + extra_size, std::as_writable_bytes(std::span(bitmap.name)));
        !read) {
      return failure(read);
    }
    bitmaps.push_back(std::move(bitmap));
    at += round_up(size, 8);
  }
  return bitmaps;
}

}  // namespace disklathe::qcow2
