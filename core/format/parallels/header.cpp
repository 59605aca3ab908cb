// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/parallels/layout.h"

namespace disklathe::parallels {
namespace {

std::unexpected<Error> corrupt(uint64_t offset, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), offset);
}

std::unexpected<Error> unsupported(uint64_t offset, std::string cause) {
  return failure(ErrorKind::unsupported, "open", std::move(cause), offset);
}

// In one of which it counts clusters.
Result<Header> parse(Bytes head, bool clusters) {
  if (const auto found = load_le<uint32_t>(head, Field::version); found != version) {
    return unsupported(Field::version, fmt::format("Parallels disk version {}", found));
  }
  Header header{.cluster_sectors = load_le<uint32_t>(head, Field::cluster_sectors),
                .bat_entries = load_le<uint32_t>(head, Field::bat_entries),
                .sectors = load_le<uint64_t>(head, Field::sectors),
                .flags = load_le<uint32_t>(head, Field::flags)};
  if (clusters) {
    header.entry_sectors = header.cluster_sectors;
  } else {
    header.sectors &= UINT32_MAX;  // the other half is not this kind's
  }
  const auto in_use = load_le<uint32_t>(head, Field::in_use);
  header.closed = in_use == 0 || in_use == in_use_closed;
  if (header.cluster_sectors == 0) return corrupt(Field::cluster_sectors, "clusters of no sectors");
  if (header.cluster_sectors > max_cluster_sectors) {
    return unsupported(Field::cluster_sectors, fmt::format("clusters of {} sectors", header.cluster_sectors));
  }
  if (header.bat_entries > max_bat_entries) {
    return unsupported(Field::bat_entries, fmt::format("a block allocation table of {} entries, above {}",
                                                       header.bat_entries, max_bat_entries));
  }
  if (const uint64_t needed = divide_up(header.sectors, header.cluster_sectors); header.bat_entries < needed) {
    return corrupt(Field::bat_entries,
                   fmt::format("the block allocation table has {} entries, a disk of {} sectors needs {}",
                               header.bat_entries, header.sectors, needed));
  }
  return header;
}

}  // namespace

Result<Header> read_header(BlockDevice& file) {
  std::array<std::byte, Field::end> head;
  if (file.size() < head.size()) return corrupt(0, "the file is shorter than the header of a Parallels disk");
  if (auto read = file.read_now(0, head); !read) return failure(read);
  const std::string_view magic(reinterpret_cast<const char*>(head.data()), magic_sectors.size());
  if (magic != magic_sectors && magic != magic_clusters) {
    return corrupt(Field::magic, "the magic is not that of a Parallels disk");
  }
  auto header = parse(head, magic == magic_clusters);
  if (header && header->bat_end() > file.size()) {
    return corrupt(Field::bat_entries, "the block allocation table does not lie inside the file");
  }
  return header;
}

}  // namespace disklathe::parallels
