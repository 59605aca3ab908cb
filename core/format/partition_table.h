// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/range.h"

namespace disklathe {

// What the first bytes of a disk say about its partitions. Both tables count in sectors, so a disk made for sectors of
// one size shows no partitions, or wrong ones, on a device with others.
struct PartitionTable {
  enum class Kind : uint8_t { none, mbr, gpt };
  Kind kind = Kind::none;
  // Bytes, that it was made for. Nothing: it cannot be told, or any will do.
  std::optional<uint32_t> sector_size;
  // GPT: where its second header is, bytes. It belongs into the last sector of the device.
  std::optional<uint64_t> backup_at;
};

// Bytes from the start of the disk that are looked at; a disk may have fewer.
inline constexpr size_t partition_table_head = 8192;

// MBR: as every PC boots it; GPT: UEFI specification 2.10, 5.3.2. disk_size: bytes, where it is known.
PartitionTable read_partition_table(Bytes head, std::optional<uint64_t> disk_size);

// One partition, as its table names it.
struct PartitionEntry {
  unsigned number = 0;  // from 1
  Range range;          // bytes of the disk
  std::string type;     // GPT: its GUID in small letters; MBR: "0x83"
  std::string name;     // GPT; else empty

  friend bool operator==(const PartitionEntry&, const PartitionEntry&) = default;
};
inline constexpr unsigned most_partitions = 128;

// Bytes from the start of the disk that partitions are looked for in first: tables of the usual size lie inside.
inline constexpr size_t partition_entries_head = 64 << 10;

// Reads all of `into` from a place inside the disk; false: it could not be read.
using ReadDisk = std::function<bool(uint64_t at, MutableBytes into)>;

// Those that lie inside the disk, with numbers up to most_partitions. GPT entries count from 1; of an MBR the primary
// ones are 1 to 4, and from 5 on come the logical ones in the order of their chain, as Linux counts them. An extended
// partition is listed whole, and holds the logical ones. What of a chain cannot be read, or leads back, is not there.
std::vector<PartitionEntry> list_partitions(Bytes head, uint64_t disk_size, const ReadDisk& read);

// Where one of them is. Nothing: there is none of that number.
std::optional<Range> find_partition(Bytes head, uint64_t disk_size, unsigned number, const ReadDisk& read);

}  // namespace disklathe
