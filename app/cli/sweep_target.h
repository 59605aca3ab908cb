// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/device/file_device.h"
#include "core/device/identity.h"
#include "core/device/sg_device.h"
#include "core/device/target_file.h"

namespace disklathe::cli {

struct SweepTargetRequest {
  std::string path;
  bool write = false;
  bool passthrough = false;      // path is a SCSI generic node
  std::optional<uint64_t> size;  // bytes to work on, from the start; of a scratch file otherwise scratch_size
  std::string yes_erase;         // to write to a device
};

inline constexpr uint64_t scratch_size = 256 << 20;

// What is measured: a file or device that is read; a block device that is overwritten; or a scratch file that has no
// name and is gone with this, made where a file of the name that was given would be.
struct SweepTarget {
  std::unique_ptr<FileDevice> opened;  // with passthrough: the block device of the disk, held while it is written
  std::unique_ptr<TargetFile> scratch;
  std::unique_ptr<SgDevice> passthrough;
  std::optional<Identity> granted;  // instead: a device that only the helper may open, for a worker
  uint64_t granted_block = 4096;    // of its logical blocks, bytes
  uint64_t area = 0;                // bytes from its start on

  uint64_t size() { return granted ? granted->size : device().size(); }
  uint64_t block() { return granted ? granted_block : device().limits().offset_align; }  // requests are multiples of it
  BlockDevice& device() { return passthrough ? static_cast<BlockDevice&>(*passthrough) : file(); }
  FileDevice& file() { return scratch ? scratch->device() : *opened; }  // not with passthrough
};

// A device is opened for writing only after the erase confirmation. A file that is there is never written: `refused`.
Result<SweepTarget> open_sweep_target(const SweepTargetRequest& request);

}  // namespace disklathe::cli
