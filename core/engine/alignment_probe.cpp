// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/alignment_probe.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/io/aligned_buffer.h"
#include "core/io/ring.h"

namespace disklathe {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Short enough that a disturbance hits both alignments, long enough that the clock costs nothing.
constexpr uint64_t batch_writes = 256;

struct Batch {
  FileDevice& device;
  std::byte* memory;
  uint64_t writes;
  uint64_t area;
  uint64_t& at;
};

Task<void> write_batch(Ring& ring, Batch& batch, Result<void>& result) {
  const iovec vector{batch.memory, alignment_probe_write};
  for (uint64_t i = 0; i < batch.writes && result; ++i) {
    if (batch.at + alignment_probe_write > batch.area) batch.at = 0;
    result = co_await batch.device.writev(ring, batch.at, {&vector, 1});
    batch.at += alignment_probe_write;
  }
}

}  // namespace

Result<std::array<AlignmentRun, 2>> probe_alignment(FileDevice& device, uint64_t area, uint64_t count,
                                                    const Stop& stop) {
  const Limits& limits = device.limits();
  if (limits.offset_align == 1 || limits.offset_align > alignment_probe_write)
    return failure(ErrorKind::unsupported, "probe", "direct writes of 4 KiB are not possible");
  if (area < alignment_probe_write || area > device.size())
    return failure(ErrorKind::invalid, "probe", "no request of that size fits");
  device.answer_at_once();
  auto ring = Ring::create(RingKind::immediate);
  if (!ring) return failure(ring);

  std::array<AlignmentRun, 2> runs{AlignmentRun{.alignment = 512}, AlignmentRun{.alignment = 4096}};
  AlignedBuffer memory(alignment_probe_write * 3, alignment_probe_write * 2);
  std::memset(memory.data(), 0x5a, memory.size());
  uint64_t at = 0;
  while (runs.back().writes < count) {
    for (AlignmentRun& run : runs) {
      if (stop.requested()) return failure(ErrorKind::stopped, "probe", {});
      const uint64_t before = device.bounces();
      Batch next{.device = device,
                 .memory = memory.data() + run.alignment,
                 .writes = std::min(batch_writes, count - run.writes),
                 .area = area,
                 .at = at};
      Result<void> result;
      const SteadyClock::time_point start = SteadyClock::now();
      (*ring)->spawn(write_batch(**ring, next, result));
      (*ring)->run();
      run.seconds += std::chrono::duration<double>(SteadyClock::now() - start).count();
      if (!result) return failure(result);
      run.writes += next.writes;
      run.bounces += device.bounces() - before;
    }
  }
  return runs;
}

}  // namespace disklathe
