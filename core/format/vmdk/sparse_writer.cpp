// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/sparse_writer.h"

#include "core/base/arithmetic.h"
#include "core/format/grow_file.h"
#include "core/format/preallocate.h"

namespace disklathe::vmdk {
namespace {

constexpr uint64_t table_sectors = entries_per_table * table_entry_size / sector_size;

}  // namespace

SparseWriter::Layout SparseWriter::layout_for(uint64_t grains) {
  Layout layout{.tables = divide_up(grains, entries_per_table)};
  const uint64_t directory_sectors = divide_up(layout.tables * table_entry_size, sector_size);
  layout.redundant_directory = first_free_sector;
  layout.redundant_tables = layout.redundant_directory + directory_sectors;
  layout.directory = layout.redundant_tables + layout.tables * table_sectors;
  layout.first_table = layout.directory + directory_sectors;
  layout.grains = round_up(layout.first_table + layout.tables * table_sectors, default_grain_sectors);
  return layout;
}

OrderedTable::Setup SparseWriter::table_at(uint64_t sector, uint64_t count) const {
  return {.host = sector * sector_size, .count = count, .filler = 0, .filled = image_.target_is_zero()};
}

SparseWriter::SparseWriter(NewImage image)
    : image_(std::move(image)),
      layout_(layout_for(image_.grains())),
      redundant_tables_(image_.file(), table_at(layout_.redundant_tables, layout_.tables * entries_per_table)),
      tables_(image_.file(), table_at(layout_.first_table, layout_.tables * entries_per_table)),
      end_(layout_.grains * sector_size) {}

Result<void> SparseWriter::begin() {
  if (auto fits = sector_number(end_); !fits) return failure(fits);
  if (auto begun = image_.begin(); !begun) return begun;
  return grow_file(image_.file(), end_);
}

Result<void> SparseWriter::allocate(uint64_t grain) {
  if (last_grain_ == grain) return {};
  const auto sector = sector_number(end_);
  if (!sector) return std::unexpected(sector.error());
  for (OrderedTable* table : {&redundant_tables_, &tables_}) {
    if (auto set = table->set(grain, *sector); !set) return set;
  }
  last_grain_ = grain;
  end_ += grain_size;
  return grow_file(image_.file(), end_);
}

Result<void> SparseWriter::place(std::span<Placement> placements) {
  const std::lock_guard lock(mutex_);
  for (Placement& placement : placements) {
    const Range guest = placement.guest;
    if (auto right = image_.check(guest, unit()); !right) return right;
    if (placement.encoded || placement.stored != guest.length) {
      return failure(ErrorKind::invalid, "place", "not as it is", guest.at);
    }
    // Grains that follow each other in the guest do so in the file too.
    const uint64_t first = guest.at / grain_size;
    if (auto allocated = allocate(first); !allocated) return allocated;
    placement.host = end_ - grain_size + guest.at % grain_size;
    placement.file = 0;
    for (uint64_t grain = first + 1; grain * grain_size < guest.end(); ++grain) {
      if (auto allocated = allocate(grain); !allocated) return allocated;
    }
  }
  return {};
}

Result<std::optional<Range>> SparseWriter::place_zero(Range guest) {
  if (auto right = image_.check(guest, unit()); !right) return failure(right);
  return std::nullopt;
}

Result<void> SparseWriter::write_directory(uint64_t sector, uint64_t first_table) {
  OrderedTable directory(image_.file(), table_at(sector, layout_.tables));
  for (uint64_t i = 0; i < layout_.tables; ++i) {
    // Within 32 bits: begin() has seen to the grains, which lie behind.
    if (auto set = directory.set(i, static_cast<uint32_t>(first_table + i * table_sectors)); !set) return set;
  }
  return directory.finish();
}

Result<void> SparseWriter::finish(bool durable) {
  const std::lock_guard lock(mutex_);
  // The last grain's bytes behind the end of the disk.
  const uint64_t rest = image_.grains() * grain_size - image_.given_size();
  if (rest && !image_.target_is_zero() && last_grain_ && *last_grain_ + 1 == image_.grains()) {
    if (auto cleared = write_zeroes_now(image_.file(), {end_ - rest, rest}); !cleared) return cleared;
  }
  for (OrderedTable* table : {&redundant_tables_, &tables_}) {
    if (auto written = table->finish(); !written) return written;
  }
  if (auto written = write_directory(layout_.redundant_directory, layout_.redundant_tables); !written) return written;
  if (auto written = write_directory(layout_.directory, layout_.first_table); !written) return written;
  if (auto cut = cut_file(image_.file(), end_); !cut) return cut;
  return image_.finish({.version = 1,
                        .flags = flag_newline_test | flag_redundant_directory,
                        .capacity = image_.sectors(),
                        .descriptor_sector = descriptor_sector,
                        .descriptor_sectors = embedded_descriptor_sectors,
                        .redundant_directory_sector = layout_.redundant_directory,
                        .directory_sector = layout_.directory,
                        .overhead_sectors = layout_.grains},
                       durable);
}

}  // namespace disklathe::vmdk
