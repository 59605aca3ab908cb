// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "app/cli/device_conversion.h"
#include "app/cli/job.h"
#include "app/cli/open_files.h"
#include "app/cli/target_options.h"
#include "core/stream/decoder.h"

namespace disklathe::cli {

// What `convert` was asked to do, checked as far as that goes without opening anything.
struct Conversion {
  ImageRequest source;
  OpenPolicy policy;
  std::string target_path;
  std::string target_passthrough;  // the SCSI generic node of the block device target_path, which is written through it
  const Format* format = nullptr;  // of the target
  TargetOptions options;
  CacheMode target_cache = CacheMode::automatic;
  bool compress = false;
  int level = 0;
  bool existing = false;  // -n, a block device, or an NBD export
  bool device = false;    // the target is a block device
  bool remote = false;    // the target is an NBD export
  DeviceOptions device_options;
  bool target_is_zero = false;  // of an existing one
  bool verify = false;
  bool worker = false;        // bytes are read and written by a process that can touch nothing else
  bool keep_running = false;  // which goes on when this one ends
  uint32_t sparse_size = 4096;
  // Of streams:
  std::optional<uint64_t> size;  // of the target's disk, where the stream does not say its own
  uint64_t most_window = stream::DecoderLimits{}.most_window;
};

// What is to be told of one that was done.
struct ConversionReport {
  std::optional<DeviceReport> device;    // how well the block device was written
  std::optional<std::string> unflushed;  // why the NBD export may not be on its medium yet
};

// From opening the source to giving the target its name. Nothing is left of a target that did not get complete, except
// of an existing one. An error of kind `differs`: --verify found the target's content to be another.
Result<void> run_conversion(const Conversion& conversion, Job& job, ConversionReport& report);

}  // namespace disklathe::cli
