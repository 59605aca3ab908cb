// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>
#include <bit>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/qed/layout.h"
#include "core/format/stored_name.h"
#include "core/format/two_level_map.h"

namespace disklathe::qed {
namespace {

std::unexpected<Error> corrupt(uint64_t offset, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), offset);
}

Result<void> check_sizes(const Header& header) {
  if (!std::has_single_bit(header.cluster_size) || header.cluster_size < min_cluster_size ||
      header.cluster_size > max_cluster_size) {
    return corrupt(Field::cluster_size, fmt::format("clusters of {} bytes, not a power of two from {} to {}",
                                                    header.cluster_size, min_cluster_size, max_cluster_size));
  }
  if (!std::has_single_bit(header.table_size) || header.table_size > max_table_size) {
    return corrupt(Field::table_size, fmt::format("tables of {} clusters, not a power of two up to {}",
                                                  header.table_size, max_table_size));
  }
  if (header.header_size == 0) return corrupt(Field::header_size, "a header of no clusters");
  if (!is_multiple(header.image_size, sector_size)) {
    return corrupt(Field::image_size, fmt::format("a disk of {} bytes, not whole sectors", header.image_size));
  }
  const uint64_t entries = header.table_bytes() / TwoLevelMap::entry_size;
  const auto most = checked_multiply(entries * entries, uint64_t{header.cluster_size});  // entries are below 2^28
  if (header.image_size > INT64_MAX || (most && header.image_size > *most)) {
    return corrupt(Field::image_size,
                   fmt::format("a disk of {} bytes, which is more than its tables can have", header.image_size));
  }
  return {};
}

Result<void> check_l1_table(const Header& header, uint64_t file_size) {
  const uint64_t at = header.l1_table_offset;
  if (!is_multiple(at, header.cluster_size)) {
    return corrupt(Field::l1_table_offset, "the L1 table is not on a cluster boundary");
  }
  if (at < header.header_bytes()) return corrupt(Field::l1_table_offset, "the L1 table overlaps the header");
  if (at > file_size || header.table_bytes() > file_size - at) {
    return corrupt(Field::l1_table_offset, "the L1 table does not lie inside the file");
  }
  return {};
}

}  // namespace

Result<Header> read_header(BlockDevice& file) {
  std::array<std::byte, Field::end> head;
  if (file.size() < head.size()) return corrupt(0, "the file is shorter than a QED header");
  if (auto read = file.read_now(0, head); !read) return failure(read);
  if (load_le<uint32_t>(head) != magic) return corrupt(Field::magic, "the magic is not that of QED");
  Header header{.cluster_size = load_le<uint32_t>(head, Field::cluster_size),
                .table_size = load_le<uint32_t>(head, Field::table_size),
                .header_size = load_le<uint32_t>(head, Field::header_size),
                .features = load_le<uint64_t>(head, Field::features),
                .l1_table_offset = load_le<uint64_t>(head, Field::l1_table_offset),
                .image_size = load_le<uint64_t>(head, Field::image_size)};
  if (const uint64_t unknown = header.features & ~features_known) {
    return failure(ErrorKind::unsupported, "open", fmt::format("unknown features {:#x}", unknown), Field::features);
  }
  if (auto right = check_sizes(header); !right) return failure(right);
  if (auto right = check_l1_table(header, file.size()); !right) return failure(right);
  if (header.features & feature_backing_file) {
    const Range where{load_le<uint32_t>(head, Field::backing_filename_offset),
                      load_le<uint32_t>(head, Field::backing_filename_size)};
    if (where.end() > header.header_bytes()) {
      return corrupt(Field::backing_filename_offset, "the backing file name does not lie in the header");
    }
    auto name = read_stored_name(file, where, Field::backing_filename_offset);
    if (!name) return failure(name);
    header.backing_file = std::move(*name);
  }
  return header;
}

}  // namespace disklathe::qed
