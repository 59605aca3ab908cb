// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/partition_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/utf16.h"

namespace disklathe {
namespace {

constexpr std::array<uint32_t, 4> sector_sizes{512, 1024, 2048, 4096};
constexpr size_t mbr_size = 512, mbr_entries_at = 446, mbr_entry_size = 16, mbr_signature_at = 510;
constexpr uint16_t mbr_signature = 0xaa55;
constexpr uint8_t protective = 0xee;  // the type of the one partition that stands for a GPT
constexpr size_t gpt_header_size = 92, gpt_entry_size = 128;
constexpr unsigned mbr_entries = 4;

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

// One of the four entries of a boot record, in sectors.
struct MbrEntry {
  uint8_t active = 0, type = 0;
  uint64_t first = 0, count = 0;
};

MbrEntry mbr_entry(Bytes record, size_t index) {
  const Bytes entry = record.subspan(mbr_entries_at + index * mbr_entry_size, mbr_entry_size);
  return {std::to_integer<uint8_t>(entry[0]), std::to_integer<uint8_t>(entry[4]), load_le<uint32_t>(entry, 8),
          load_le<uint32_t>(entry, 12)};
}

PartitionTable read_mbr(Bytes head, std::optional<uint64_t> disk_size) {
  PartitionTable table;
  if (head.size() < mbr_size || load_le<uint16_t>(head, mbr_signature_at) != mbr_signature) return table;
  uint64_t end = 0;  // of the last partition, in sectors
  for (size_t i = 0; i < mbr_entries; ++i) {
    const MbrEntry entry = mbr_entry(head, i);
    // The boot sector of a FAT or NTFS file system has the same signature, and code where the entries would be.
    if (entry.active != 0 && entry.active != 0x80) return table;
    if (entry.type == 0 || entry.type == protective) continue;
    end = std::max(end, entry.first + entry.count);
  }
  if (end == 0) return table;
  table.kind = PartitionTable::Kind::mbr;
  // It does not say; but only with small sectors do its partitions lie inside the disk.
  constexpr uint64_t small = sector_sizes.front(), large = sector_sizes.back();
  if (disk_size && end * small <= *disk_size && end * large > *disk_size) table.sector_size = sector_sizes.front();
  return table;
}

// In bytes, where it lies inside the disk.
std::optional<Range> sectors(uint64_t first, uint64_t count, uint64_t sector, uint64_t disk_size) {
  const auto at = checked_multiply(first, sector), length = checked_multiply(count, sector);
  if (!at || !length || *length == 0 || *at > disk_size || *length > disk_size - *at) return std::nullopt;
  return Range{*at, *length};
}

// As it is written: the first three parts little endian (UEFI specification 2.10, appendix A).
std::string guid_text(Bytes guid) {
  std::string text = fmt::format("{:08x}-{:04x}-{:04x}-", load_le<uint32_t>(guid, 0), load_le<uint16_t>(guid, 4),
                                 load_le<uint16_t>(guid, 6));
  for (size_t i = 8; i < 16; ++i) {
    if (i == 10) text += '-';
    text += fmt::format("{:02x}", std::to_integer<unsigned>(guid[i]));
  }
  return text;
}

std::optional<PartitionEntry> find_in_gpt(Bytes head, uint32_t sector, uint64_t disk_size, unsigned number) {
  const Bytes header = head.subspan(sector, gpt_header_size);
  const auto entries = checked_multiply<uint64_t>(load_le<uint64_t>(header, 72), sector);
  const uint64_t count = load_le<uint32_t>(header, 80), size = load_le<uint32_t>(header, 84);
  if (!entries || number > count || size < gpt_entry_size) return std::nullopt;
  const auto at = checked_add(*entries, (number - 1) * size);
  if (!at || *at > head.size() || head.size() - *at < gpt_entry_size) return std::nullopt;
  const Bytes entry = head.subspan(*at, gpt_entry_size);
  const bool used = std::ranges::any_of(entry.first(16), [](std::byte byte) { return byte != std::byte{0}; });
  const uint64_t first = load_le<uint64_t>(entry, 32), last = load_le<uint64_t>(entry, 40);
  if (!used || last < first || last == UINT64_MAX) return std::nullopt;
  const auto range = sectors(first, last - first + 1, sector, disk_size);
  if (!range) return std::nullopt;
  return PartitionEntry{.number = number,
                        .range = *range,
                        .type = guid_text(entry),
                        .name = utf8_of_utf16(entry.subspan(56, 72), std::endian::little)};
}

constexpr bool is_extended(uint8_t type) { return type == 0x05 || type == 0x0f || type == 0x85; }

// The partitions of an MBR.
class MbrList {
 public:
  MbrList(uint32_t sector, uint64_t disk_size, const ReadDisk& read, std::vector<PartitionEntry>& entries)
      : sector_(sector), disk_size_(disk_size), read_(read), entries_(entries) {}

  void add(Bytes head) {
    for (unsigned i = 0; i < mbr_entries; ++i) add(mbr_entry(head, i), i + 1);
    for (unsigned i = 0; i < mbr_entries; ++i)
      if (const MbrEntry entry = mbr_entry(head, i); is_extended(entry.type)) follow(entry);
  }

 private:
  bool add(const MbrEntry& entry, unsigned number) {
    const auto range = sectors(entry.first, entry.count, sector_, disk_size_);
    if (entry.type == 0 || !range || number > most_partitions) return false;
    entries_.push_back({number, *range, fmt::format("{:#04x}", unsigned{entry.type}), {}});
    return true;
  }

  // A chain of boot records inside of an extended partition. Each tells of a partition that begins behind it, and where
  // in the extended one the next record is; of more than two entries only what stays inside is believed (Linux:
  // block/partitions/msdos.c).
  void follow(const MbrEntry& extended) {
    std::array<std::byte, mbr_size> record;
    for (uint64_t at = extended.first; !std::ranges::contains(records_, at) && records_.size() < most_partitions;) {
      records_.push_back(at);
      const auto place = sectors(at, 1, sector_, disk_size_);
      if (!place || !read_(place->at, record) || load_le<uint16_t>(record, mbr_signature_at) != mbr_signature) return;
      std::optional<uint64_t> next;
      for (unsigned i = 0; i < mbr_entries; ++i) {
        MbrEntry entry = mbr_entry(record, i);
        if (entry.count == 0) continue;
        if (is_extended(entry.type)) {
          if (!next) next = extended.first + entry.first;
          continue;
        }
        entry.first += at;
        const bool inside =
            entry.first >= extended.first && entry.first + entry.count <= extended.first + extended.count;
        if ((i < 2 || inside) && add(entry, number_)) ++number_;
      }
      if (!next) return;
      at = *next;
    }
  }

  uint32_t sector_;
  uint64_t disk_size_;
  const ReadDisk& read_;
  std::vector<PartitionEntry>& entries_;
  unsigned number_ = mbr_entries + 1;  // of the next logical one
  std::vector<uint64_t> records_;      // where one was
};

}  // namespace

std::vector<PartitionEntry> list_partitions(Bytes head, uint64_t disk_size, const ReadDisk& read) {
  const PartitionTable table = read_partition_table(head, disk_size);
  const uint32_t sector = table.sector_size.value_or(sector_sizes.front());
  std::vector<PartitionEntry> entries;
  switch (table.kind) {
    case PartitionTable::Kind::none: break;
    case PartitionTable::Kind::mbr: MbrList(sector, disk_size, read, entries).add(head); break;
    case PartitionTable::Kind::gpt:
      for (unsigned number = 1; number <= most_partitions; ++number)
        if (auto entry = find_in_gpt(head, sector, disk_size, number)) entries.push_back(std::move(*entry));
      break;
  }
  return entries;
}

std::optional<Range> find_partition(Bytes head, uint64_t disk_size, unsigned number, const ReadDisk& read) {
  const auto entries = list_partitions(head, disk_size, read);
  const auto found = std::ranges::find(entries, number, &PartitionEntry::number);
  return found == entries.end() ? std::nullopt : std::optional(found->range);
}

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
