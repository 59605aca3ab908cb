// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/stream_writer.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/deflate.h"
#include "core/format/grow_file.h"
#include "core/format/vmdk/grain.h"

namespace disklathe::vmdk {
namespace {

// As VMware's: the first grain begins on a grain boundary.
constexpr uint64_t overhead_sectors = default_grain_sectors;
static_assert(overhead_sectors >= first_free_sector);

SparseHeader header_of(const NewImage& image, uint64_t directory_sector) {
  return {.version = 3,
          .flags = flag_newline_test | flag_compressed | flag_markers,
          .capacity = image.sectors(),
          .descriptor_sector = descriptor_sector,
          .descriptor_sectors = embedded_descriptor_sectors,
          .directory_sector = directory_sector,
          .overhead_sectors = overhead_sectors,
          .compress_algorithm = algorithm_deflate};
}

}  // namespace

StreamWriter::StreamWriter(NewImage image, int level)
    : image_(std::move(image)),
      level_(level),
      end_(overhead_sectors * sector_size),
      directory_(round_up(divide_up(image_.grains(), entries_per_table) * table_entry_size, sector_size)) {}

Result<void> StreamWriter::begin() {
  if (auto begun = image_.begin(); !begun) return begun;
  return grow_file(image_.file(), end_);
}

uint64_t StreamWriter::encode_memory() const { return deflate_memory(level_); }

size_t StreamWriter::encode_room() const { return encoded_grain_room(grain_size); }

Result<size_t> StreamWriter::encode(uint64_t guest_at, Bytes in, MutableBytes out) const {
  return encode_grain(guest_at / sector_size, level_, in, out);
}

Result<void> StreamWriter::place(std::span<Placement> placements) {
  const std::lock_guard lock(mutex_);
  for (Placement& placement : placements) {
    if (auto right = image_.check(placement.guest, unit()); !right) return right;
    const uint64_t grain = placement.guest.at / grain_size;
    if (!placement.encoded || placement.guest.length > grain_size || placement.stored == 0 ||
        placement.stored > encode_room() || !is_multiple(placement.stored, sector_size) || grain < next_grain_) {
      return failure(ErrorKind::invalid, "place", "not one compressed grain after the other", placement.guest.at);
    }
    if (grain / entries_per_table != table_index_) {
      if (auto finished = finish_table(); !finished) return finished;
      table_index_ = grain / entries_per_table;
    }
    const auto sector = sector_number(end_);
    if (!sector) return std::unexpected(sector.error());
    store_le(table_, grain % entries_per_table * table_entry_size, *sector);
    table_used_ = true;
    next_grain_ = grain + 1;
    placement.host = end_;
    placement.file = 0;
    end_ += placement.stored;
    if (auto grown = grow_file(image_.file(), end_); !grown) return grown;
  }
  return {};
}

Result<std::optional<Range>> StreamWriter::place_zero(Range guest) {
  if (auto right = image_.check(guest, unit()); !right) return failure(right);
  return std::nullopt;
}

Result<void> StreamWriter::append(Bytes bytes) {
  if (auto grown = grow_file(image_.file(), end_ + bytes.size()); !grown) return grown;
  if (auto written = image_.file().write_now(end_, bytes); !written) return written;
  end_ += bytes.size();
  return {};
}

Result<uint32_t> StreamWriter::append_metadata(uint32_t type, Bytes bytes) {
  std::array<std::byte, sector_size> marker{};
  store_le(marker, Marker::value, bytes.size() / sector_size);
  store_le(marker, Marker::type, type);
  if (auto written = append(marker); !written) return failure(written);
  const auto sector = sector_number(end_);
  if (!sector) return sector;
  if (auto written = append(bytes); !written) return failure(written);
  return sector;
}

Result<void> StreamWriter::finish_table() {
  if (!table_used_) return {};
  const auto sector = append_metadata(static_cast<uint32_t>(Marker::Type::grain_table), table_);
  if (!sector) return std::unexpected(sector.error());
  store_le(directory_, table_index_ * table_entry_size, *sector);
  table_.fill(std::byte{0});
  table_used_ = false;
  return {};
}

Result<void> StreamWriter::finish(bool durable) {
  const std::lock_guard lock(mutex_);
  if (auto finished = finish_table(); !finished) return finished;
  const auto directory = append_metadata(static_cast<uint32_t>(Marker::Type::grain_directory), directory_);
  if (!directory) return std::unexpected(directory.error());
  std::array<std::byte, sector_size> sector;
  header_of(image_, *directory).encode(sector);
  if (auto footer = append_metadata(static_cast<uint32_t>(Marker::Type::footer), sector); !footer)
    return failure(footer);
  sector.fill(std::byte{0});  // the marker of the end
  if (auto written = append(sector); !written) return written;
  if (auto cut = cut_file(image_.file(), end_); !cut) return cut;
  return image_.finish(header_of(image_, directory_at_end), durable);
}

}  // namespace disklathe::vmdk
