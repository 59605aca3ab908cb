// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/device/file_device.h"
#include "core/device/sg_device.h"
#include "core/device/target_file.h"
#include "core/device/target_guard.h"

namespace disklathe::cli {

// Where a conversion writes: a file that appears under its name when it is complete, or with -n what is there already.
struct Target {
  std::string path;
  std::unique_ptr<TargetFile> fresh;
  std::unique_ptr<FileDevice> existing;
  std::unique_ptr<BlockDevice> remote;    // an NBD export, instead of all these
  std::optional<Identity> granted;        // or a device that only the helper may open, for a worker
  std::unique_ptr<SgDevice> passthrough;  // --passthrough: writes to the disk whose block device `existing` holds
  std::string data_path;
  std::unique_ptr<TargetFile> data;  // -o data_file

  // Nothing for an export and what is granted.
  FileDevice* file() { return remote || granted ? nullptr : &device(); }
  FileDevice& device() { return fresh ? fresh->device() : *existing; }
  // What the bytes go to.
  BlockDevice& medium() {
    if (remote) return *remote;
    return passthrough ? static_cast<BlockDevice&>(*passthrough) : device();
  }
  // What is there already, and keeps its size.
  BlockDevice* present() { return remote ? remote.get() : existing.get(); }
};

struct TargetRequest {
  std::string path;
  bool existing = false;                 // -n, or a block device
  const ChosenDevice* device = nullptr;  // the block device that the user agreed to erase
  bool remote = false;                   // it is the address of an NBD export
  std::string passthrough;               // its SCSI generic node, to write through that; empty: not
  CacheMode cache = CacheMode::automatic;
  std::string data_file;  // as the image will name it; empty: none
  uint64_t size = 0;      // of the guest's disk, where it is known: what an existing target must have room for
};

// A file that the source is read from.
struct SourceFile {
  const FileDevice* file = nullptr;
  bool backing = false;  // it is in the backing chain
};

// Refuses, before a byte is written: what is part of the source, a folder, what is no file or device, a device or file
// that somebody uses or that is too small.
Result<Target> open_target(const TargetRequest& request, std::span<const SourceFile> source);

// An error of kind `no_space` that tells the bytes that are missing.
Result<void> has_room(const std::string& path, uint64_t room, uint64_t needed);

// Whether a new image, and with it a data file (empty: none), may take the place of what has their names. `busy` when
// somebody writes to a file there: what is written later would be lost with it.
Result<void> may_replace(const std::string& path, const std::string& data_path);

}  // namespace disklathe::cli
