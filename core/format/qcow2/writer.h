// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/format/image_writer.h"
#include "core/format/qcow2/clusters.h"
#include "core/format/qcow2/compressed_arena.h"
#include "core/format/qcow2/entry_table.h"
#include "core/format/qcow2/options.h"
#include "core/format/qcow2/table_store.h"
#include "core/format/registry.h"

namespace disklathe::qcow2 {

// A fresh image. Nothing that the file held before survives: until finish() it is no image at all.
Result<std::unique_ptr<ImageWriter>> create(const CreateRequest& request);

// Writes a fresh image. The file is laid out as QEMU does it: header, refcount table, first refcount block, L1 table,
// then L2 tables, data and further refcount blocks as the guest's data comes. Tables that the guest has passed are
// written at once and forgotten; what makes an image of it, the header, comes last, after a flush.
//
// With extended L2 entries data is placed by whole clusters, all subclusters of which are marked as allocated.
class Writer final : public ImageWriter {
 public:
  struct Setup {
    CreateOptions options;
    uint64_t given_size = 0;  // of the guest's disk, as asked; the image has whole sectors
    uint32_t l1_entries = 0;
    bool compress = false;
    int level = 0;
    bool target_is_zero = false;
  };
  Writer(BlockDevice& file, BlockDevice* data_file, const Setup& setup);

  // Makes the old content unreadable, and takes what every image has. Before anything else.
  Result<void> begin();

  uint32_t unit() const override;
  bool wants_order() const override { return !fixed_base_; }
  bool encodes() const override { return setup_.compress; }
  uint64_t encode_memory() const override;
  Result<size_t> encode(uint64_t guest_at, Bytes in, MutableBytes out) const override;
  Result<void> place(std::span<Placement> placements) override;
  Result<std::optional<Range>> place_zero(Range guest) override;
  Result<void> finish(bool durable) override;

 private:
  struct Entry {
    uint64_t descriptor = 0;
    uint64_t subclusters = 0;  // extended L2 only: the bitmaps
  };
  // Guest clusters [first, end).
  struct Span {
    uint64_t first = 0, end = 0;
  };

  Result<void> check(Range guest) const;
  Result<void> check(std::span<const Placement> placements) const;
  Span clusters_of(Range guest) const;

  Result<void> place_one_by_one(std::span<Placement> placements);
  Result<void> place_encoded(Placement& placement);
  // Where the layout was decided beforehand.
  Result<void> place_fixed(Placement& placement);
  Result<void> map_zeroes(Range guest);

  Result<void> make_l2_tables(Span span);
  // Gives each cluster of the span its L2 entry: `next` the first one, descriptors grow by `step`. The tables are
  // there; an entry that says something else already is an error.
  Result<void> map(Span span, Entry next, uint64_t step);
  Entry load_entry(Bytes table, uint64_t index) const;
  void store_entry(MutableBytes table, uint64_t index, Entry entry) const;
  // Of plain data that lies at this host offset.
  static Entry data_entry(uint64_t host);

  Result<void> begin_data_file();
  Result<void> preallocate_all();
  // The last cluster's bytes behind the disk's end, where the target held something else.
  void remember_tail(const Placement& placement);
  Result<std::vector<std::byte>> header() const;

  BlockDevice& file_;
  BlockDevice* data_file_;
  const Setup setup_;
  const uint64_t cluster_size_;
  const uint64_t size_;  // of the guest's disk
  const uint64_t l2_entries_;

  // Set by begin(). Preallocated, or in a data file: guest offset 0 lies here and the rest follows in order. Empty:
  // placed as it comes.
  std::optional<uint64_t> fixed_base_;
  bool fixed_reads_zero_ = false;
  bool mapped_ = false;  // the L2 tables say so already
  uint64_t l1_offset_ = 0;

  std::mutex mutex_;  // what follows
  TableStore tables_;
  Clusters clusters_;
  CompressedArena arena_;
  EntryTable l1_;
  std::optional<Range> tail_;  // has to be cleared
};

}  // namespace disklathe::qcow2
