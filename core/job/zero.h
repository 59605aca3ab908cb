// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>

#include "core/device/file_device.h"
#include "core/engine/progress.h"
#include "core/io/stop.h"
#include "core/job/outcome.h"
#include "core/job/spec.h"

namespace disklathe::job {

struct ZeroTarget {
  BlockDevice& device;
  std::function<Result<void>(Range)> discard;  // what is read there afterwards may be anything
  // The same to be read, from the medium where that can be had. Afterwards `device` is not used.
  std::function<Result<std::unique_ptr<BlockDevice>>()> again;
};
// A file or a device of this machine, which outlives it.
ZeroTarget zero_target(FileDevice& file, std::function<Result<std::unique_ptr<FileDevice>>()> again);

// Zeroes or discards, flushes, and reads back: samples, or all of it. That it does not read as zeroes is no error.
// Blocks.
Result<Zeroed> zero(const Zero& asked, const ZeroTarget& target, Progress& progress, const Stop& stop);

}  // namespace disklathe::job
