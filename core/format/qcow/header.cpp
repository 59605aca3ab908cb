// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/qcow/layout.h"
#include "core/format/stored_name.h"
#include "core/format/two_level_map.h"

namespace disklathe::qcow {
namespace {

std::unexpected<Error> corrupt(uint64_t offset, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), offset);
}

std::unexpected<Error> unsupported(uint64_t offset, std::string cause) {
  return failure(ErrorKind::unsupported, "open", std::move(cause), offset);
}

Result<void> check_l1_table(const Header& header, uint64_t file_size) {
  const uint64_t entries = divide_up(header.disk_size, header.cluster_size() * header.l2_entries());
  if (entries > max_l1_entries) {
    return unsupported(Field::size, fmt::format("an L1 table of {} entries, above {}", entries, max_l1_entries));
  }
  const uint64_t at = header.l1_table_offset, length = entries * TwoLevelMap::entry_size;
  if (at < Field::end) return corrupt(Field::l1_table_offset, "the L1 table overlaps the header");
  if (!is_multiple(at, TwoLevelMap::entry_size)) {
    return corrupt(Field::l1_table_offset, "the L1 table does not begin at a multiple of 8 bytes");
  }
  if (at > file_size || length > file_size - at) {
    return corrupt(Field::l1_table_offset, "the L1 table does not lie inside the file");
  }
  return {};
}

}  // namespace

Result<Header> read_header(BlockDevice& file) {
  std::array<std::byte, Field::end> head;
  if (file.size() < head.size()) return corrupt(0, "the file is shorter than a qcow header");
  if (auto read = file.read_now(0, head); !read) return failure(read);
  if (load_be<uint32_t>(head) != magic) return corrupt(Field::magic, "the magic is not that of qcow");
  if (const auto found = load_be<uint32_t>(head, Field::version); found != version) {
    return unsupported(Field::version,
                       fmt::format("qcow version {}{}", found, found == 2 || found == 3 ? ", which is qcow2" : ""));
  }
  Header header{.disk_size = load_be<uint64_t>(head, Field::size),
                .cluster_bits = load_be<uint8_t>(head, Field::cluster_bits),
                .l2_bits = load_be<uint8_t>(head, Field::l2_bits),
                .l1_table_offset = load_be<uint64_t>(head, Field::l1_table_offset)};
  if (header.disk_size > INT64_MAX) return corrupt(Field::size, "the disk's size is above 2^63 - 1");
  if (header.cluster_bits < min_cluster_bits || header.cluster_bits > max_cluster_bits) {
    return corrupt(Field::cluster_bits, fmt::format("cluster_bits is {}, not {} to {}", header.cluster_bits,
                                                    min_cluster_bits, max_cluster_bits));
  }
  if (header.l2_bits < min_l2_bits || header.l2_bits > max_l2_bits) {
    return corrupt(Field::l2_bits,
                   fmt::format("l2_bits is {}, not {} to {}", header.l2_bits, min_l2_bits, max_l2_bits));
  }
  const auto crypt_method = load_be<uint32_t>(head, Field::crypt_method);
  if (crypt_method > static_cast<uint32_t>(CryptMethod::aes)) {
    return unsupported(Field::crypt_method, fmt::format("crypt_method {}", crypt_method));
  }
  header.crypt_method = static_cast<CryptMethod>(crypt_method);
  if (auto right = check_l1_table(header, file.size()); !right) return failure(right);
  if (const auto at = load_be<uint64_t>(head, Field::backing_file_offset)) {
    auto name =
        read_stored_name(file, {at, load_be<uint32_t>(head, Field::backing_file_size)}, Field::backing_file_offset);
    if (!name) return failure(name);
    header.backing_file = std::move(*name);
  }
  return header;
}

}  // namespace disklathe::qcow
