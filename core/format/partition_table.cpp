// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/partition_table.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"

namespace disklathe {
namespace {

constexpr std::array<uint32_t, 4> sector_sizes{512, 1024, 2048, 4096};
constexpr size_t mbr_size = 512, mbr_entries_at = 446, mbr_entry_size = 16, mbr_signature_at = 510;
constexpr uint16_t mbr_signature = 0xaa55;
constexpr uint8_t protective = 0xee;  // the type of the one partition that stands for a GPT
constexpr size_t gpt_header_size = 92;

// The header in the second sector, if sectors have this size.
std::optional<PartitionTable> read_gpt(Bytes head, uint32_t sector) {
  if (head.size() < sector + gpt_header_size) return std::nullopt;
  const Bytes header = head.subspan(sector, gpt_header_size);
  const std::string_view signature(reinterpret_cast<const char*>(header.data()), 8);
  const uint64_t own_sector = load_le<uint64_t>(header, 24), other_sector = load_le<uint64_t>(header, 32);
  if (signature != "EFI PART" || own_sector != 1) return std::nullopt;
  return PartitionTable{.kind = PartitionTable::Kind::gpt,
                        .sector_size = sector,
                        .backup_at = checked_multiply<uint64_t>(other_sector, sector)};
}

PartitionTable read_mbr(Bytes head, std::optional<uint64_t> disk_size) {
  PartitionTable table;
  if (head.size() < mbr_size || load_le<uint16_t>(head, mbr_signature_at) != mbr_signature) return table;
  uint64_t end = 0;  // of the last partition, in sectors
  for (size_t i = 0; i < 4; ++i) {
    const Bytes entry = head.subspan(mbr_entries_at + i * mbr_entry_size, mbr_entry_size);
    const auto active = std::to_integer<uint8_t>(entry[0]), type = std::to_integer<uint8_t>(entry[4]);
    // The boot sector of a FAT or NTFS file system has the same signature, and code where the entries would be.
    if (active != 0 && active != 0x80) return table;
    if (type == 0 || type == protective) continue;
    end = std::max(end, uint64_t{load_le<uint32_t>(entry, 8)} + load_le<uint32_t>(entry, 12));
  }
  if (end == 0) return table;
  table.kind = PartitionTable::Kind::mbr;
  // It does not say; but only with small sectors do its partitions lie inside the disk.
  constexpr uint64_t small = sector_sizes.front(), large = sector_sizes.back();
  if (disk_size && end * small <= *disk_size && end * large > *disk_size) table.sector_size = sector_sizes.front();
  return table;
}

}  // namespace

PartitionTable read_partition_table(Bytes head, std::optional<uint64_t> disk_size) {
  std::optional<PartitionTable> found;
  for (const uint32_t sector : sector_sizes) {
    const auto gpt = read_gpt(head, sector);
    if (!gpt) continue;
    // Two of them: made to be found with either.
    if (found) return {.kind = PartitionTable::Kind::gpt};
    found = gpt;
  }
  return found ? *found : read_mbr(head, disk_size);
}

}  // namespace disklathe
