// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/priced_copy.h"

#include <fmt/format.h>

#include "core/base/arithmetic.h"
#include "core/engine/copy.h"
#include "core/format/registry.h"
#include "tests/support/memory_image.h"

namespace disklathe::test {
namespace {

constexpr uint64_t piece = 1 << 20;

}  // namespace

Fixed fixed_strategies(const Layout& layout, const Costs& costs) {
  const uint64_t period = layout.data + layout.hole;
  const uint64_t holes = layout.size / period;
  const auto size = static_cast<double>(layout.size), zero = static_cast<double>(holes * layout.hole);
  const double data = size - zero, runs = static_cast<double>(divide_up(layout.data, piece) * holes);
  const double writing = runs * costs.write_fixed + data * costs.write_per_byte;
  return {.buffers = size / piece * costs.write_fixed + size * costs.write_per_byte,
          .interleaved = writing + static_cast<double>(holes) * costs.zero_fixed + zero * costs.zero_per_byte,
          .pre_zero = writing + costs.zero_fixed + size * costs.zero_per_byte};
}

Outcome copy_onto(PricedDevice& target, const Layout& layout) {
  PatternDevice pattern(layout.size, layout.block, layout.data, layout.hole, layout.zeroes_stored);
  auto source = open_image(pattern, "raw");
  auto writer = find_format("raw")->create({.file = &target, .size = layout.size});
  if (!source || !writer) return {.wrong = "not opened"};
  const CopyJob job{.source = source->get(),
                    .writer = writer->get(),
                    .target = {&target, nullptr},
                    .sparse_size = std::min(layout.block, 4096U),
                    .clock = &target,
                    .workers = 1,
                    .piece_size = piece};
  Progress progress;
  const Stop stop;
  if (auto done = copy(job, progress, stop); !done) return {.wrong = done.error().operation};
  Outcome outcome{.seconds = target.seconds()};
  if (progress.position() != layout.size) outcome.wrong += "progress does not end at the size; ";
  if (target.touched_twice() > 0) outcome.wrong += fmt::format("{} blocks twice; ", target.touched_twice());
  if (target.most_commands_in_flight() > 2) outcome.wrong += "more than two commands in flight; ";
  if (target.most_command_seconds() > 0.11) outcome.wrong += "more than 100 ms of commands in flight; ";
  for (uint64_t at = 0; at < layout.size; at += layout.block) {
    const auto block = target.block_at(at);
    const bool zero = block == PricedDevice::Block::zeroed || block == PricedDevice::Block::wrote_zeroes ||
                      (block == PricedDevice::Block::untouched && target.was_zero(at));
    const bool right = pattern.is_data(at) ? block == PricedDevice::Block::data : zero;
    if (!right) outcome.wrong += fmt::format("wrong at {}; ", at);
    if (!right) break;
  }
  return outcome;
}

Costs costs(double times, bool fixed) {
  return {.write_fixed = fixed ? 20e-6 : 0,
          .write_per_byte = 1 / write_rate,
          .zero_fixed = fixed ? 100e-6 : 0,
          .zero_per_byte = 1 / (times * write_rate),
          .read_per_byte = 1 / write_rate};
}

Layout layout(uint64_t hole, double share, bool zeroes_stored) {
  const uint32_t block = hole == uint64_t{4096} && share < 0.5 ? 512 : 4096;
  const double data = static_cast<double>(hole) * share / (1 - share);
  return {.block = block,
          .data = std::max<uint64_t>(round_up(static_cast<uint64_t>(data), block), block),
          .hole = hole,
          .zeroes_stored = zeroes_stored};
}

}  // namespace disklathe::test
