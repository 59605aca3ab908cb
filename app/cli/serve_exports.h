// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/cli/open_files.h"
#include "core/device/target_guard.h"
#include "core/nbd/export.h"

namespace disklathe::cli {

// One export, as the command line asks for it.
struct ServedImage {
  std::string name;  // of the export; empty: the default one
  std::string path, format, snapshot;
  std::optional<uint64_t> offset, length;  // the part of the disk that is served
  unsigned partition = 0;                  // instead of these; 0: none
  bool writable = false;
  bool layered = false;   // what clients write goes to a temporary layer; excludes `writable`
  std::string yes_erase;  // the ID of the block device that clients may write to; empty: it is asked for
};

// The device that clients are to write to, once it was looked at and somebody agreed to lose what is on it.
Result<ChosenDevice> choose_device_to_serve(const ServedImage& served);

// Opens it by the policy, which must outlive the export. What clients are to write to is opened for this program alone.
Result<std::unique_ptr<nbd::Export>> open_export(const ServedImage& served, const OpenPolicy& policy);

}  // namespace disklathe::cli
