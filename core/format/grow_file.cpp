// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/grow_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/format/preallocate.h"

namespace disklathe {
namespace {

constexpr uint64_t least_step = 1 << 20, most_step = 64 << 20;

}  // namespace

Result<void> grow_file(BlockDevice& file, uint64_t size) {
  if (size <= file.size()) return {};
  if (file.resize(std::max(size, file.size() + std::clamp(size / 8, least_step, most_step)))) return {};
  // Steps may pass a limit that the image itself keeps.
  auto grown = file.resize(size);
  if (!grown && grown.error().kind == ErrorKind::unsupported)
    return failure(ErrorKind::no_space, "allocate", fmt::format("the image outgrows its {} bytes", file.size()), size);
  return grown;
}

Result<void> cut_file(BlockDevice& file, uint64_t size) {
  if (file.size() == size) return {};
  auto resized = file.resize(size);
  if (!resized && resized.error().kind != ErrorKind::unsupported) return resized;
  return {};
}

Result<void> forget_old_image(BlockDevice& file, uint64_t head, bool target_is_zero) {
  if (target_is_zero || file.size() == 0) return {};
  if (auto cleared = write_zeroes_now(file, {0, std::min(head, file.size())}); !cleared) return cleared;
  return file.flush_now();
}

}  // namespace disklathe
