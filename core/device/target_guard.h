// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "core/device/enumerate.h"
#include "core/device/file_device.h"
#include "core/device/identity.h"
#include "core/device/openers.h"
#include "core/device/usage.h"

namespace disklathe {

// The way of a block device from its name to the first byte written: choose_device() takes down which device it is and
// who uses it, a person confirms that one, open_chosen() opens it exclusively and gives it back only when it still is
// the device that was chosen and nobody has taken it meanwhile. Nothing here writes.

// A block device as it was when somebody chose it to be written.
struct ChosenDevice {
  std::string path;  // as it was named; by the time it is opened it may lead to another device
  Identity identity;
  Disk disk;                    // it, or what it is a partition of
  std::string id;               // what confirms it: the disk's ID; of a partition NAME:BYTES
  Usage usage;                  // nothing that holds it now; members that are not active are part of what will be lost
  std::vector<Opener> openers;  // programs that have it, a partition of it or its disk open; nothing keeps them out

  bool whole() const { return disk.number == identity.number; }
  const BlockNode& node() const;
};

// Why a device is not written.
struct Denial {
  enum class Reason : uint8_t {
    failed,     // `error`: it could not be looked at or opened
    unlisted,   // sysfs does not show it, so nobody can tell who uses it
    no_medium,  // it has no bytes
    read_only,
    system,    // the running system stands on it (`usage`); there is no way around this
    held,      // `usage` says by whom; no holds: by a program that the kernel does not name
    replaced,  // it is not the device that was chosen (`differs`), or not the medium
  };
  Reason reason = Reason::failed;
  Usage usage;
  std::vector<IdentityPart> differs;
  Error error;
};

template <class T>
using Guarded = std::expected<T, Denial>;

// Any path that leads to a block device node. Reads sysfs, udev's records and, with the right to, the device.
Guarded<ChosenDevice> choose_device(const std::string& path);
// The same from a number, under a root (as enumerate_disks()): tests bring a machine.
Guarded<ChosenDevice> choose_device_number(dev_t number, const std::string& root = {});

// For writing, O_EXCL. With it nothing can be mounted from it or its partitions, and no other exclusive user come,
// until it is closed.
Guarded<std::unique_ptr<FileDevice>> open_chosen(const ChosenDevice& chosen, CacheMode cache);

// Whether an open descriptor still is the chosen device with the chosen medium.
Guarded<void> still_chosen(const ChosenDevice& chosen, int fd);

}  // namespace disklathe
