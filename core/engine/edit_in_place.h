// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <mutex>

#include "core/engine/in_place.h"
#include "core/format/layers.h"
#include "core/io/buffer_pool.h"
#include "core/io/range_lock.h"

namespace disklathe {

// A disk whose image has an editor (docs/adr). Bytes that have a place are written there; other clusters are filled up
// with what they hold so far, written to a new place, and then referred to. Flushing makes that durable.
class EditInPlace final : public InPlace {
 public:
  // The image has an editor, and outlives this.
  explicit EditInPlace(Image& image);

  Task<Result<void>> write(Ring& ring, uint64_t at, Bytes from) override;
  Task<Result<void>> zero(Ring& ring, Range range, bool keep, bool fast) override;
  Task<Result<void>> trim(Ring& ring, Range range) override;
  Task<Result<void>> flush(Ring& ring) override;
  Task<Result<void>> finish(Ring& ring) override;

  // Awaitable: while it is held the places of these bytes stay what map() says.
  RangeLock::Waiting reading(Ring& ring, Range guest) { return lock(ring, guest, RangeLock::Mode::shared); }

 private:
  // What is written: the bytes, or zeroes where `bytes` is null.
  struct Source {
    const std::byte* bytes = nullptr;
    uint64_t at = 0;  // of the guest
  };

  RangeLock::Waiting lock(Ring& ring, Range guest, RangeLock::Mode mode);
  bool may_share(uint64_t at, uint64_t length) const;
  Task<Result<bool>> write_where_it_is(Ring& ring, uint64_t at, Bytes from);
  Task<Result<void>> write_anywhere(Ring& ring, Range guest, Source source);
  Task<Result<void>> write_anew(Ring& ring, const EditRun& run, Range part, Source source);
  Task<Result<void>> fill(Ring& ring, Range guest, MutableBytes into);
  Result<bool> is_zero(Range guest);
  Task<Result<void>> make_room(Ring& ring);
  Task<Result<void>> commit(Ring& ring);
  Task<Result<void>> commit_steps(Ring& ring);
  Task<Result<void>> punch_data(Ring& ring, Range range);

  Image& image_;
  ImageEditor& editor_;
  BlockDevice& file_;
  BlockDevice* const data_file_;  // null: the data is in file_
  const uint64_t unit_;
  RangeLock ranges_;    // of the guest's disk, in whole units
  RangeLock commits_;   // one at a time
  BufferPool buffers_;  // for what clusters are filled up with
  std::mutex mutex_;
  uint64_t asked_ = 0, committed_ = 0;  // flushes: numbered as they come; up to which they are done
};

}  // namespace disklathe
