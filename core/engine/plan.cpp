// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/plan.h"

#include <algorithm>
#include <numeric>
#include <thread>

#include "core/base/arithmetic.h"
#include "core/format/layers.h"

namespace disklathe {
namespace {

// Measured (docs/adr): page cache and tmpfs copy best in pieces that stay in the processor's cache, one worker a core;
// direct I/O best by one worker with several requests of up to 1 MiB in flight, fewer where a head has to move.
constexpr uint64_t immediate_piece = 256 << 10;
constexpr uint64_t queued_piece = 1 << 20;
constexpr uint64_t most_queued_piece = 4 << 20;
constexpr uint64_t most_in_flight = 12 << 20;
constexpr unsigned queued_slots = 8, rotating_slots = 4;
constexpr unsigned most_workers = 16;

// Pieces that are also multiples of what the target calls optimal, where that is a sane number.
uint64_t unit_of(const PlanRequest& request) {
  const uint64_t optimal = request.optimal_io.value_or(0);
  if (optimal == 0 || !is_multiple(optimal, 4096)) return request.unit;
  const uint64_t both = std::lcm(request.unit, optimal);
  return both <= queued_piece ? both : request.unit;
}

// Fewer slots first, then fewer workers, until all of it fits.
void limit_memory(const PlanRequest& request, Plan& plan) {
  const auto fits = [&] {
    const uint64_t slots = uint64_t{plan.slots_per_worker} * request.buffers * plan.piece_size;
    return plan.workers * (slots + request.worker_memory) <= most_job_memory;
  };
  while (!fits() && plan.slots_per_worker > 1) --plan.slots_per_worker;
  while (!fits() && plan.workers > 1) --plan.workers;
}

}  // namespace

Plan make_plan(const PlanRequest& request) {
  const unsigned found = request.cores ? request.cores : std::thread::hardware_concurrency();
  const unsigned cores = std::clamp(found, 1U, most_workers);
  Plan plan;
  plan.ring = request.queued ? RingKind::automatic : RingKind::immediate;
  plan.workers = request.queued && !request.computes ? 1 : cores;
  if (request.queued) {
    plan.unit = unit_of(request);
    plan.piece_size = round_up(queued_piece, plan.unit);
    // Where the processor is the limit nothing is gained by the search, and every slot would keep its largest buffers.
    plan.tuned = !request.computes;
    plan.most_piece_size = plan.tuned ? round_up(most_queued_piece, plan.unit) : plan.piece_size;
    plan.slots_per_worker = std::max(2U, (request.rotating ? rotating_slots : queued_slots) / plan.workers);
  } else {
    plan.unit = request.unit;
    plan.piece_size = plan.most_piece_size = round_up(immediate_piece, plan.unit);
    // A second slot keeps the thread busy while the first waits for its turn.
    plan.slots_per_worker = request.ordered ? 2 : 1;
  }
  limit_memory(request, plan);
  plan.budget = std::max(most_in_flight, uint64_t{plan.workers} * plan.slots_per_worker * plan.piece_size);
  return plan;
}

bool wants_queue(const Image& image) {
  for (size_t i = 0; i < image.file_count(); ++i) {
    if (image.file(static_cast<uint16_t>(i)).io_mode() == IoMode::queued) return true;
  }
  return false;
}

bool has_compression(const Image& image) {
  return std::ranges::any_of(image.layers(), [](const Layer& layer) { return layer.reader->facts().compressed; });
}

}  // namespace disklathe
