// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vdi/writer.h"

#include <fmt/format.h>

#include <array>
#include <mutex>

#include "core/base/arithmetic.h"
#include "core/format/grow_file.h"
#include "core/format/option_values.h"
#include "core/format/ordered_table.h"
#include "core/format/preallocate.h"
#include "core/format/vdi/layout.h"

namespace disklathe::vdi {
namespace {

constexpr uint64_t block_size = default_block_size;
constexpr uint32_t page_size = 4096;
// The header has 32 bits for where the data begins, behind the block map.
constexpr uint64_t max_disk_size = ((uint64_t{1} << 32) - 2 * block_size) / map_entry_size * block_size;
static_assert(max_disk_size <= max_blocks * block_size);

Header new_header(uint64_t size, ImageType type) {
  const uint64_t blocks = divide_up(size, block_size);
  const uint64_t map_end = sector_size + blocks * map_entry_size;
  return {.type = type,
          .offset_map = sector_size,
          .offset_data = round_up(map_end, block_size),
          .disk_size = round_up(size, sector_size),
          .blocks_in_image = static_cast<uint32_t>(blocks),
          .uuid = little_endian_uuid(random_uuid()),
          .uuid_modification = little_endian_uuid(random_uuid())};
}

class Writer final : public ImageWriter {
 public:
  Writer(const CreateRequest& request, ImageType type)
      : file_(*request.file),
        given_size_(request.size),
        target_is_zero_(request.target_is_zero),
        header_(new_header(request.size, type)),
        map_(file_, {.host = header_.offset_map, .count = header_.blocks_in_image, .filler = block_free}) {}

  Result<void> begin();

  // Where nothing has to be cleared, parts of a block are as good as all of it.
  uint32_t unit() const override { return target_is_zero_ ? page_size : static_cast<uint32_t>(block_size); }
  bool wants_order() const override { return !fixed(); }
  Result<void> place(std::span<Placement> placements) override;
  Result<std::optional<Range>> place_zero(Range guest) override;
  Result<void> finish(bool durable) override;

 private:
  bool fixed() const { return header_.type == ImageType::fixed; }
  Result<void> check(Range guest) const;
  Result<void> allocate(uint64_t block);

  BlockDevice& file_;
  const uint64_t given_size_;
  const bool target_is_zero_;

  std::mutex mutex_;  // what follows
  Header header_;
  OrderedTable map_;
  std::optional<uint64_t> last_block_;  // allocated last, of the guest's
};

Result<void> Writer::begin() {
  if (auto forgotten = forget_old_image(file_, sector_size, target_is_zero_); !forgotten) return forgotten;
  if (!fixed()) return grow_file(file_, header_.offset_data);
  for (uint32_t block = 0; block < header_.blocks_in_image; ++block) {
    if (auto set = map_.set(block, block); !set) return set;
  }
  header_.blocks_allocated = header_.blocks_in_image;
  const uint64_t end = header_.block_offset(header_.blocks_in_image);
  return file_.size() < end ? grow_file(file_, end) : Result<void>();
}

Result<void> Writer::check(Range guest) const {
  const uint64_t size = header_.disk_size;
  if (!guest.empty() && guest.at <= size && guest.length <= size - guest.at && is_multiple(guest.at, unit()) &&
      (is_multiple(guest.length, unit()) || guest.end() >= given_size_)) {
    return {};
  }
  return failure(ErrorKind::invalid, "place", "not whole units of the disk", guest.at);
}

Result<void> Writer::allocate(uint64_t block) {
  if (last_block_ == block) return {};
  if (auto set = map_.set(block, header_.blocks_allocated); !set) return set;
  last_block_ = block;
  ++header_.blocks_allocated;
  return grow_file(file_, header_.block_offset(header_.blocks_allocated));
}

Result<void> Writer::place(std::span<Placement> placements) {
  const std::lock_guard lock(mutex_);
  for (Placement& placement : placements) {
    const Range guest = placement.guest;
    if (auto right = check(guest); !right) return right;
    if (placement.encoded || placement.stored != guest.length) {
      return failure(ErrorKind::invalid, "place", "not as it is", guest.at);
    }
    placement.file = 0;
    if (fixed()) {
      placement.host = header_.offset_data + guest.at;
      continue;
    }
    // Blocks that follow each other in the guest do so in the file too.
    const uint64_t first = guest.at / block_size;
    if (auto allocated = allocate(first); !allocated) return allocated;
    placement.host = header_.block_offset(header_.blocks_allocated - 1) + guest.at % block_size;
    for (uint64_t block = first + 1; block * block_size < guest.end(); ++block) {
      if (auto allocated = allocate(block); !allocated) return allocated;
    }
  }
  return {};
}

Result<std::optional<Range>> Writer::place_zero(Range guest) {
  if (auto right = check(guest); !right) return failure(right);
  if (!fixed() || target_is_zero_) return std::nullopt;
  return Range{header_.offset_data + guest.at, guest.length};
}

Result<void> Writer::finish(bool durable) {
  const std::lock_guard lock(mutex_);
  const uint64_t end = header_.block_offset(header_.blocks_allocated);
  // The last block's bytes behind the end of the disk.
  const bool ends_inside =
      fixed() ? header_.blocks_in_image > 0 : last_block_ && *last_block_ + 1 == header_.blocks_in_image;
  if (const uint64_t rest = header_.blocks_in_image * block_size - given_size_;
      ends_inside && rest && !target_is_zero_) {
    if (auto cleared = write_zeroes_now(file_, {end - rest, rest}); !cleared) return cleared;
  }
  if (auto written = map_.finish(); !written) return written;
  if (auto cut = cut_file(file_, end); !cut) return cut;
  if (durable) {
    if (auto flushed = file_.flush_now(); !flushed) return flushed;
  }
  std::array<std::byte, sector_size> head;
  header_.encode(head);
  if (auto written = file_.write_now(0, head); !written) return written;
  return durable ? file_.flush_now() : Result<void>();
}

}  // namespace

const std::vector<OptionInfo>& create_options() {
  static const std::vector<OptionInfo> options{
      OptionInfo{
          .name = "static", .default_value = "off", .help = "Fixed: every block has its place (on, off)", .values = {}},
  };
  return options;
}

Result<std::unique_ptr<ImageWriter>> create(const CreateRequest& request) {
  const OptionValues values(request.options);
  if (auto known = values.only(create_options()); !known) return failure(known);
  const auto fixed = values.flag("static", false);
  if (!fixed) return std::unexpected(fixed.error());
  if (request.compress) return failure(ErrorKind::unsupported, "create", "vdi has no compression");
  if (!request.backing_file.empty()) return failure(ErrorKind::unsupported, "create", "vdi has no backing file");
  if (request.size > max_disk_size) {
    return failure(ErrorKind::invalid, "create", fmt::format("vdi disks have at most {} bytes", max_disk_size));
  }
  auto writer = std::make_unique<Writer>(request, *fixed ? ImageType::fixed : ImageType::dynamic);
  if (auto begun = writer->begin(); !begun) return failure(begun);
  return writer;
}

}  // namespace disklathe::vdi
