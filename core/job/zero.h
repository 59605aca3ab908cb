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

// Zeroes or discards, flushes, and reads back: samples, or all of it. again: the target to be read, from the medium
// where that can be had. That it does not read as zeroes is no error. Blocks.
Result<Zeroed> zero(const Zero& asked, FileDevice& target,
                    const std::function<Result<std::unique_ptr<FileDevice>>()>& again, Progress& progress,
                    const Stop& stop);

}  // namespace disklathe::job
