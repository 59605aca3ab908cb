// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <mutex>
#include <vector>

#include "core/format/image_writer.h"
#include "core/format/vmdk/new_image.h"

namespace disklathe::vmdk {

// streamOptimized: header, descriptor, compressed grains in guest order, each table's grains followed by the table,
// then the grain directory and the footer. Whoever reads it from front to end never has to go back, except for us: the
// header is written last.
class StreamWriter final : public ImageWriter {
 public:
  StreamWriter(NewImage image, int level);

  Result<void> begin();

  uint32_t unit() const override { return static_cast<uint32_t>(grain_size); }
  bool encodes() const override { return true; }
  uint64_t encode_memory() const override;
  size_t encode_room() const override;
  Result<size_t> encode(uint64_t guest_at, Bytes in, MutableBytes out) const override;
  Result<void> place(std::span<Placement> placements) override;
  Result<std::optional<Range>> place_zero(Range guest) override;
  Result<void> finish(bool durable) override;

 private:
  Result<void> append(Bytes bytes);
  // A piece of metadata behind its marker; returns its first sector.
  Result<uint32_t> append_metadata(uint32_t type, Bytes bytes);
  Result<void> finish_table();

  const NewImage image_;
  const int level_;

  std::mutex mutex_;  // what follows
  uint64_t end_;      // of what was placed, bytes
  uint64_t next_grain_ = 0;
  std::vector<std::byte> directory_;
  std::array<std::byte, entries_per_table * table_entry_size> table_{};  // of the grains placed last
  uint64_t table_index_ = 0;
  bool table_used_ = false;
};

}  // namespace disklathe::vmdk
