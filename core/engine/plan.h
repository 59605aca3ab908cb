// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/device/block_device.h"
#include "core/io/ring.h"

namespace disklathe {

class Image;

// How a job is spread over threads and requests. The arithmetic is docs/adr's "one ring a thread, mode by descriptor".
struct Plan {
  unsigned workers = 1;           // threads, one ring each
  unsigned slots_per_worker = 1;  // pieces in flight a worker
  uint64_t piece_size = 0;        // bytes; where the search begins when it is tuned
  uint64_t most_piece_size = 0;   // what buffers are made for
  uint64_t unit = 1;              // piece sizes are multiples of this
  bool tuned = false;             // the piece size is searched for on the job itself (engine/tuner)
  uint64_t budget = 0;            // bytes in flight, of all workers together
  RingKind ring = RingKind::immediate;
};

struct PlanRequest {
  bool queued = false;                 // some descriptor of the job wants a queue
  bool computes = false;               // bytes are decoded or encoded: worth all cores
  bool ordered = false;                // slots wait for their turn to place
  bool rotating = false;               // some device has a head to move
  uint64_t unit = 1;                   // pieces are multiples of this: the largest cluster on either side
  std::optional<uint64_t> optimal_io;  // of the target, where it reports one
  unsigned buffers = 1;                // that a slot fills a piece at a time: what is read, encoded, compared with
  uint64_t worker_memory = 0;          // bytes that each thread needs besides: compressors
  unsigned cores = 0;                  // 0: those of this machine
};

// At most `most_job_memory` is taken by what the plan decides on, whatever the request and the machine.
inline constexpr uint64_t most_job_memory = 40 << 20;
Plan make_plan(const PlanRequest& request);

bool wants_queue(const Image& image);  // whether any of its files does
bool has_compression(const Image& image);

}  // namespace disklathe
