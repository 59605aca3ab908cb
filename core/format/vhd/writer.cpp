// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhd/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/format/grow_file.h"
#include "core/format/ordered_blocks.h"
#include "core/format/ordered_table.h"
#include "core/format/preallocate.h"
#include "core/format/vhd/layout.h"
#include "core/format/vhd/options.h"

namespace disklathe::vhd {
namespace {

constexpr uint64_t block_size = 2 << 20;  // what everybody makes
constexpr uint64_t bitmap_size = block_size / sector_size / 8;
constexpr uint64_t table_at = footer_size + header_size;
// The data of blocks begins on a multiple of this, the bitmap is in the sector before: the medium is written by whole
// pages. Readers take any sector.
constexpr uint64_t alignment = 4096;
static_assert(bitmap_size == sector_size);

uint32_t seconds_since_2000() {
  using namespace std::chrono;
  constexpr sys_seconds epoch = sys_days{year{2000} / 1 / 1};
  return static_cast<uint32_t>(duration_cast<seconds>(system_clock::now() - epoch).count());
}

// The guest's bytes, then the footer.
class FixedWriter final : public ImageWriter {
 public:
  // given_size: what will be placed; the disk may be a little larger.
  FixedWriter(BlockDevice& file, const Footer& footer, uint64_t given_size, bool target_is_zero)
      : file_(file), footer_(footer), given_size_(given_size), target_is_zero_(target_is_zero) {}

  Result<void> begin() {
    const uint64_t size = footer_.current_size;
    if (file_.size() != size + footer_size) {
      if (auto resized = file_.resize(size + footer_size); !resized) return resized;
    }
    if (target_is_zero_) return {};
    // An image of the same size that is here already must not be taken for ours while it is overwritten; nor does
    // anybody else write what is behind the given size.
    if (auto cleared = write_zeroes_now(file_, Range::between(given_size_, size + footer_size)); !cleared)
      return cleared;
    return file_.flush_now();
  }

  uint32_t unit() const override { return 1; }
  bool wants_order() const override { return false; }

  Result<void> place(std::span<Placement> placements) override {
    for (Placement& placement : placements) {
      if (auto right = inside_disk(placement.guest, footer_.current_size); !right) return right;
      placement.host = placement.guest.at;
      placement.file = 0;
    }
    return {};
  }

  Result<std::optional<Range>> place_zero(Range guest) override {
    if (auto right = inside_disk(guest, footer_.current_size); !right) return failure(right);
    return target_is_zero_ ? std::nullopt : std::optional(guest);
  }

  Result<void> finish(bool durable) override {
    if (durable) {
      if (auto flushed = file_.flush_now(); !flushed) return flushed;
    }
    if (auto written = file_.write_now(footer_.current_size, footer_.encode()); !written) return written;
    return durable ? file_.flush_now() : Result<void>();
  }

 private:
  BlockDevice& file_;
  const Footer footer_;
  const uint64_t given_size_;
  const bool target_is_zero_;
};

// Footer's copy, header, BAT, then the blocks that have something in them, in the order they come, then the footer.
class DynamicWriter final : public ImageWriter {
 public:
  DynamicWriter(BlockDevice& file, const Footer& footer, bool target_is_zero)
      : file_(file),
        footer_(footer),
        target_is_zero_(target_is_zero),
        entries_(divide_up(footer.current_size, block_size)),
        table_size_(round_up(entries_ * bat_entry_size, sector_size)),
        table_(file, {.host = table_at, .count = table_size_ / bat_entry_size, .filler = unused_entry}),
        blocks_(block_size, footer.current_size),
        end_(table_at + table_size_) {}

  Result<void> begin() {
    if (!target_is_zero_) {
      // The footer of an image that is here already is at its end, too.
      const uint64_t footer = std::min(file_.size(), footer_size);
      if (auto cleared = write_zeroes_now(file_, {file_.size() - footer, footer}); !cleared) return cleared;
    }
    if (auto forgotten = forget_old_image(file_, footer_size, target_is_zero_); !forgotten) return forgotten;
    return grow_file(file_, table_at + table_size_);
  }

  uint32_t unit() const override { return 1; }
  uint64_t boundary() const override { return block_size; }

  Result<void> place(std::span<Placement> placements) override {
    const std::lock_guard lock(mutex_);
    return blocks_.place(placements, [this](uint64_t index) { return make_block(index); });
  }

  Result<std::optional<Range>> place_zero(Range guest) override {
    if (auto right = inside_disk(guest, footer_.current_size); !right) return failure(right);
    return std::nullopt;
  }

  Result<void> finish(bool durable) override {
    const std::lock_guard lock(mutex_);
    const DynamicHeader header{.table_offset = table_at,
                               .max_table_entries = static_cast<uint32_t>(entries_),
                               .block_size = block_size,
                               .locators = {}};
    if (auto written = table_.finish(); !written) return written;
    if (auto written = file_.write_now(footer_size, header.encode()); !written) return written;
    if (auto grown = grow_file(file_, end_ + footer_size); !grown) return grown;
    if (auto cut = cut_file(file_, end_ + footer_size); !cut) return cut;
    if (durable) {
      if (auto flushed = file_.flush_now(); !flushed) return flushed;
    }
    const auto footer = footer_.encode();
    if (auto written = file_.write_now(end_, footer); !written) return written;
    if (auto written = file_.write_now(0, footer); !written) return written;
    return durable ? file_.flush_now() : Result<void>();
  }

 private:
  Result<uint64_t> make_block(uint64_t index) {
    const uint64_t data_at = round_up(end_ + bitmap_size, alignment), bitmap_at = data_at - bitmap_size;
    if (auto grown = grow_file(file_, data_at + block_size); !grown) return failure(grown);
    if (!target_is_zero_) {
      // Which parts of it the guest leaves zero is told in any order: all of it is cleared beforehand.
      if (auto cleared = write_zeroes_now(file_, {data_at, block_size}); !cleared) return failure(cleared);
    }
    std::array<std::byte, bitmap_size> all_present;
    all_present.fill(std::byte{0xff});
    if (auto written = file_.write_now(bitmap_at, all_present); !written) return failure(written);
    const auto entry = static_cast<uint32_t>(bitmap_at / sector_size);
    if (auto set = table_.set(index, entry); !set) return failure(set);
    end_ = data_at + block_size;
    return data_at;
  }

  BlockDevice& file_;
  const Footer footer_;
  const bool target_is_zero_;
  const uint64_t entries_, table_size_;

  std::mutex mutex_;  // what follows
  OrderedEntries<uint32_t, std::endian::big> table_;
  OrderedBlocks blocks_;
  uint64_t end_;  // of the last block
};

}  // namespace

Result<std::unique_ptr<ImageWriter>> create(const CreateRequest& request) {
  const auto options = parse_options(request.options);
  if (!options) return std::unexpected(options.error());
  if (request.compress) return failure(ErrorKind::unsupported, "create", "VHD has no compression");
  if (!request.backing_file.empty())
    return failure(ErrorKind::unsupported, "create", "VHD disks that stand on others are only read");
  const auto shape = shape_of(request.size, *options);
  if (!shape) return std::unexpected(shape.error());

  const bool fixed = options->type == DiskType::fixed;
  // The footer of nothing would begin the file, as the copy in a dynamic one does.
  if (fixed && shape->size == 0) return failure(ErrorKind::invalid, "create", "fixed VHD disks have at least one byte");
  // By the creator programs know what to go by: "qem2" the size, "qemu" the geometry.
  const Footer footer{.data_offset = fixed ? ~0ull : footer_size,
                      .timestamp = seconds_since_2000(),
                      .creator = options->force_size ? std::array{'q', 'e', 'm', '2'} : std::array{'q', 'e', 'm', 'u'},
                      .current_size = shape->size,
                      .geometry = shape->geometry,
                      .type = options->type,
                      .unique_id = random_uuid()};
  if (fixed) {
    auto writer = std::make_unique<FixedWriter>(*request.file, footer, request.size, request.target_is_zero);
    if (auto begun = writer->begin(); !begun) return failure(begun);
    return writer;
  }
  auto writer = std::make_unique<DynamicWriter>(*request.file, footer, request.target_is_zero);
  if (auto begun = writer->begin(); !begun) return failure(begun);
  return writer;
}

}  // namespace disklathe::vhd
