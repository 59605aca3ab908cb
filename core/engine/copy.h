// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/engine/progress.h"
#include "core/format/image_reader.h"
#include "core/format/image_writer.h"
#include "core/format/layers.h"
#include "core/io/stop.h"

namespace disklathe {

class PieceDigests;
namespace stream {
class Source;
}

// Everything a copy needs, already open: the engine never sees a path.
struct CopyJob {
  Image* source = nullptr;  // or:
  stream::Source* stream = nullptr;
  // Of a stream: what the writer was made for. Nothing: its size is not known, and the writer takes it in the end.
  std::optional<uint64_t> disk_size;
  PieceDigests* digests = nullptr;  // of a stream: taken on the way, for verify()
  ImageWriter* writer = nullptr;
  // The target's files in Placement::file order: the image, and its external data file if it has one.
  BlockDevice* target[2] = {nullptr, nullptr};
  bool target_is_zero = false;  // bytes never written read as zero: zero runs need no command
  uint32_t sparse_size = 4096;  // -S: runs of zeroes at least this long are not written; 0: nothing is looked for
  // The target has a backing image that answers as the source's does: what the source's top image says nothing of is
  // left to it.
  bool keep_holes = false;
  bool durable = true;
  const Clock* clock = &steady_clock();  // what the target's speed is measured by
  unsigned workers = 0;                  // 0: by plan
  unsigned slots_per_worker = 0;
  uint64_t piece_size = 0;
};

// Moves the guest's bytes and finishes the writer (metadata, flush). Blocks; progress and stop are for other threads.
Result<void> copy(const CopyJob& job, Progress& progress, const Stop& stop);

}  // namespace disklathe
