// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhdx/writer.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/format/grow_file.h"
#include "core/format/ordered_blocks.h"
#include "core/format/ordered_table.h"
#include "core/format/preallocate.h"
#include "core/format/vhdx/layout.h"
#include "core/format/vhdx/options.h"

namespace disklathe::vhdx {
namespace {

Regions place_regions(const CreateOptions& options, const Disk& disk) {
  const Range bat(mebibyte + options.log_size,
                  std::max(mebibyte, round_up(disk.bat_entries() * bat_entry_size, mebibyte)));
  return {.bat = bat, .metadata = {bat.end(), mebibyte}};
}

// Identifier, headers and region tables; log; BAT; metadata; then blocks. What makes an image of it, the identifier,
// comes last, after a flush.
class Writer final : public ImageWriter {
 public:
  // given_size: what will be placed; the disk has whole sectors.
  Writer(BlockDevice& file, const CreateOptions& options, uint64_t given_size, bool target_is_zero)
      : file_(file),
        options_(options),
        given_size_(given_size),
        target_is_zero_(target_is_zero),
        disk_{.size = round_up(given_size, 512),
              .block_size = options.block_size,
              .leave_blocks_allocated = options.fixed,
              .page_83 = random_uuid()},
        regions_(place_regions(options, disk_)),
        data_at_(regions_.metadata.end()),
        table_(file,
               {.host = regions_.bat.at, .count = regions_.bat.length / bat_entry_size, .filled = target_is_zero}),
        blocks_(disk_.block_size, disk_.size),
        end_(data_at_) {}

  Result<void> begin() {
    // All of the tables: what is not written of them must not be what was there.
    if (auto forgotten = forget_old_image(file_, data_at_, target_is_zero_); !forgotten) return forgotten;
    if (!options_.fixed) return grow_file(file_, data_at_);
    // The last block too is a whole one.
    end_ = data_at_ + disk_.blocks() * disk_.block_size;
    if (auto grown = grow_file(file_, end_); !grown) return grown;
    for (uint64_t block = 0; block < disk_.blocks(); ++block)
      if (auto put = put_entry(block, data_at_ + block * disk_.block_size, BlockState::fully_present); !put) return put;
    return target_is_zero_ ? Result<void>() : write_zeroes_now(file_, Range::between(data_at_ + given_size_, end_));
  }

  uint32_t unit() const override { return 1; }
  uint64_t boundary() const override { return options_.fixed ? 0 : disk_.block_size; }
  bool wants_order() const override { return !options_.fixed; }

  Result<void> place(std::span<Placement> placements) override {
    if (!options_.fixed) {
      const std::lock_guard lock(mutex_);
      return blocks_.place(placements, [this](uint64_t index) { return make_block(index); });
    }
    for (Placement& placement : placements) {
      if (auto right = inside_disk(placement.guest, disk_.size); !right) return right;
      placement.host = data_at_ + placement.guest.at;
      placement.file = 0;
    }
    return {};
  }

  Result<std::optional<Range>> place_zero(Range guest) override {
    if (auto right = inside_disk(guest, disk_.size); !right) return failure(right);
    if (!options_.fixed || target_is_zero_) return std::nullopt;
    return Range{data_at_ + guest.at, guest.length};
  }

  Result<void> finish(bool durable) override {
    const std::lock_guard lock(mutex_);
    if (!options_.fixed) {
      if (auto told = tell_absent(disk_.blocks()); !told) return told;
    }
    if (auto written = table_.finish(); !written) return written;
    if (auto written = file_.write_now(regions_.metadata.at, disk_.encode()); !written) return written;
    const auto regions = regions_.encode();
    Header header{.file_write_id = random_uuid(),
                  .data_write_id = random_uuid(),
                  .log_length = options_.log_size,
                  .log_offset = mebibyte};
    for (const size_t copy : {size_t{0}, size_t{1}}) {
      header.sequence_number = copy + 1;
      if (auto written = file_.write_now(header_at[copy], header.encode()); !written) return written;
      if (auto written = file_.write_now(region_table_at[copy], regions); !written) return written;
    }
    if (auto cut = cut_file(file_, end_); !cut) return cut;
    if (durable) {
      if (auto flushed = file_.flush_now(); !flushed) return flushed;
    }
    if (auto written = file_.write_now(0, encode_identifier()); !written) return written;
    return durable ? file_.flush_now() : Result<void>();
  }

 private:
  Result<uint64_t> make_block(uint64_t index) {
    if (auto told = tell_absent(index); !told) return failure(told);
    const uint64_t at = end_;
    if (auto grown = grow_file(file_, at + disk_.block_size); !grown) return failure(grown);
    if (!target_is_zero_) {
      // Which parts of it the guest leaves zero is told in any order: all of it is cleared beforehand.
      if (auto cleared = write_zeroes_now(file_, {at, disk_.block_size}); !cleared) return failure(cleared);
    }
    if (auto put = put_entry(index, at, BlockState::fully_present); !put) return failure(put);
    told_ = index + 1;
    end_ = at + disk_.block_size;
    return at;
  }

  // The entries of blocks that nothing was placed in, up to this one.
  Result<void> tell_absent(uint64_t index) {
    if (!options_.block_state_zero) return {};
    for (; told_ < index; ++told_)
      if (auto put = put_entry(told_, 0, BlockState::zero); !put) return put;
    return {};
  }

  Result<void> put_entry(uint64_t block, uint64_t host, BlockState state) {
    return table_.set(disk_.bat_index(block), host | static_cast<uint64_t>(state));
  }

  BlockDevice& file_;
  const CreateOptions options_;
  const uint64_t given_size_;
  const bool target_is_zero_;
  const Disk disk_;
  const Regions regions_;
  const uint64_t data_at_;

  std::mutex mutex_;  // what follows
  OrderedEntries<uint64_t, std::endian::little> table_;
  OrderedBlocks blocks_;
  uint64_t told_ = 0;  // blocks that have their entry
  uint64_t end_;       // of the last block
};

}  // namespace

Result<std::unique_ptr<ImageWriter>> create(const CreateRequest& request) {
  if (request.compress) return failure(ErrorKind::unsupported, "create", "VHDX has no compression");
  if (!request.backing_file.empty())
    return failure(ErrorKind::unsupported, "create", "VHDX disks that stand on others are only read");
  if (request.size == 0) return failure(ErrorKind::invalid, "create", "VHDX disks have at least one byte");
  if (request.size > max_disk_size) return failure(ErrorKind::invalid, "create", "VHDX disks have at most 64 TiB");
  const auto options = parse_options(request.options, request.size);
  if (!options) return std::unexpected(options.error());
  auto writer = std::make_unique<Writer>(*request.file, *options, request.size, request.target_is_zero);
  if (auto begun = writer->begin(); !begun) return failure(begun);
  return writer;
}

}  // namespace disklathe::vhdx
