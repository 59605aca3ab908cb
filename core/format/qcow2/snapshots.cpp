// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/snapshots.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"

namespace disklathe::qcow2 {

namespace {

constexpr uint64_t fixed_size = 40;        // of an entry, before its extra data
constexpr uint64_t max_extra_data = 1024;  // as QEMU accepts
constexpr uint64_t no_icount = UINT64_MAX;

std::unexpected<Error> corrupt(uint64_t at, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), at);
}

Result<SnapshotEntry> read_entry(BlockDevice& file, const Header& header, uint64_t at, uint32_t number) {
  const auto outside = [&] { return corrupt(at, fmt::format("snapshot {} does not lie inside the file", number)); };
  if (at > file.size() || fixed_size > file.size() - at) return outside();
  std::vector<std::byte> bytes(fixed_size);
  if (auto read = file.read_now(at, bytes); !read) return failure(read);
  const uint64_t id_size = load_be<uint16_t>(bytes, 12), name_size = load_be<uint16_t>(bytes, 14);
  const uint64_t extra_size = load_be<uint32_t>(bytes, 36);
  if (extra_size > max_extra_data) {
    return corrupt(at,
                   fmt::format("snapshot {} has {} bytes of extra data, above {}", number, extra_size, max_extra_data));
  }
  const uint64_t size = fixed_size + extra_size + id_size + name_size;
  if (size > file.size() - at) return outside();
  bytes.resize(size);
  if (auto read = file.read_now(at + fixed_size, MutableBytes(bytes).subspan(fixed_size)); !read) return failure(read);

  SnapshotEntry entry;
  L1Table& l1 = entry.l1;
  Snapshot& facts = entry.facts;
  l1.offset = load_be<uint64_t>(bytes, 0);
  l1.entries = load_be<uint32_t>(bytes, 8);
  facts.date_seconds = load_be<uint32_t>(bytes, 16);
  facts.date_nanoseconds = load_be<uint32_t>(bytes, 20);
  facts.vm_clock_nanoseconds = load_be<uint64_t>(bytes, 24);
  facts.vm_state_size = extra_size >= 8 ? load_be<uint64_t>(bytes, 40) : load_be<uint32_t>(bytes, 32);
  facts.disk_size = l1.disk_size = extra_size >= 16 ? load_be<uint64_t>(bytes, 48) : header.size;
  if (extra_size >= 24) {
    if (const auto icount = load_be<uint64_t>(bytes, 56); icount != no_icount) facts.icount = icount;
  }
  const auto* strings = reinterpret_cast<const char*>(bytes.data()) + fixed_size + extra_size;
  facts.id.assign(strings, id_size);
  facts.name.assign(strings + id_size, name_size);
  entry.stored = round_up(size, 8);
  return entry;
}

}  // namespace

Result<std::vector<SnapshotEntry>> read_snapshots(BlockDevice& file, const Header& header) {
  std::vector<SnapshotEntry> snapshots;
  uint64_t at = header.snapshots_offset;
  for (uint32_t number = 0; number < header.nb_snapshots; ++number) {
    auto entry = read_entry(file, header, at, number);
    if (!entry) return failure(entry);
    at += entry->stored;
    if (at - header.snapshots_offset > max_snapshot_table_bytes) {
      return corrupt(header.snapshots_offset, "the snapshot table is larger than 64 MiB");
    }
    snapshots.push_back(std::move(*entry));
  }
  return snapshots;
}

Result<L1Table> find_snapshot(const std::vector<SnapshotEntry>& snapshots, std::string_view id_or_name,
                              const Header& header, uint64_t file_size) {
  auto found = std::ranges::find(snapshots, id_or_name, [](const auto& entry) { return entry.facts.id; });
  if (found == snapshots.end()) {
    found = std::ranges::find(snapshots, id_or_name, [](const auto& entry) { return entry.facts.name; });
  }
  if (found == snapshots.end()) {
    return failure(ErrorKind::not_found, "open",
                   fmt::format("there is no snapshot with the id or name \"{}\"", id_or_name));
  }
  const L1Table& l1 = found->l1;
  const uint64_t bytes = uint64_t{l1.entries} * l1_entry_size;
  if (l1.disk_size > static_cast<uint64_t>(INT64_MAX)) {
    return corrupt(header.snapshots_offset, "the disk size of the snapshot is above 2^63 - 1");
  }
  if (bytes > max_l1_bytes) {
    return corrupt(header.snapshots_offset, fmt::format("the L1 table of the snapshot has {} entries, above {}",
                                                        l1.entries, max_l1_bytes / l1_entry_size));
  }
  if (divide_up(l1.disk_size, header.l1_entry_span()) > l1.entries) {
    return corrupt(header.snapshots_offset, "the L1 table of the snapshot is too small for its disk");
  }
  if (bytes == 0) return l1;
  if (!is_multiple(l1.offset, header.cluster_size())) {
    return corrupt(header.snapshots_offset, "the L1 table of the snapshot is not on a cluster boundary");
  }
  if (l1.offset < header.cluster_size()) {
    return corrupt(header.snapshots_offset, "the L1 table of the snapshot overlaps the header");
  }
  if (l1.offset > file_size || bytes > file_size - l1.offset) {
    return corrupt(header.snapshots_offset, "the L1 table of the snapshot does not lie inside the file");
  }
  return l1;
}

}  // namespace disklathe::qcow2
