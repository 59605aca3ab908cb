// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/plan.h"

#include <algorithm>
#include <thread>

#include "core/base/arithmetic.h"
#include "core/format/layers.h"

namespace disklathe {
namespace {

// Measured (docs/adr): page cache and tmpfs copy best in pieces that stay in the processor's cache, one worker a core;
// direct I/O best by one worker with several requests of up to 1 MiB in flight.
constexpr uint64_t immediate_piece = 256 << 10;
constexpr uint64_t queued_piece = 1 << 20;
constexpr unsigned queued_slots = 8;
constexpr unsigned most_workers = 16;

}  // namespace

Plan make_plan(const PlanRequest& request) {
  const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1U, most_workers);
  Plan plan;
  plan.ring = request.queued ? RingKind::automatic : RingKind::immediate;
  plan.piece_size = round_up(request.queued ? queued_piece : immediate_piece, request.unit);
  plan.workers = request.queued && !request.computes ? 1 : cores;
  if (request.queued) {
    plan.slots_per_worker = std::max(2U, queued_slots / plan.workers);
  } else {
    // A second slot keeps the thread busy while the first waits for its turn.
    plan.slots_per_worker = request.ordered ? 2 : 1;
  }
  return plan;
}

bool wants_queue(const Image& image) {
  for (size_t i = 0; i < image.file_count(); ++i) {
    if (image.file(static_cast<uint16_t>(i)).io_mode() == IoMode::queued) return true;
  }
  return false;
}

uint64_t largest_cluster(const Image& image) {
  uint64_t largest = 1;
  for (const Layer& layer : image.layers()) {
    largest = std::max(largest, layer.reader->facts().cluster_size.value_or(1));
  }
  return largest;
}

bool has_compression(const Image& image) {
  return std::ranges::any_of(image.layers(),
                             [](const Layer& layer) { return layer.reader->facts().compressed.value_or(false); });
}

}  // namespace disklathe
