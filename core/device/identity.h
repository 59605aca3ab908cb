// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace disklathe {

// What makes a block device this one and no other. Taken when a person chooses it, and compared with the descriptor
// that will be written: names and even device numbers are given to the next device when this one is pulled out.
struct Identity {
  std::string name;  // the kernel's: "sdb"
  dev_t number = 0;
  std::optional<uint64_t> diskseq;  // its disk's, since Linux 5.15
  std::string serial, wwn;          // its disk's
  uint64_t size = 0;                // bytes, of the device itself
  uint64_t start = 0;               // bytes, where a partition begins on its disk
};

// Of the node at `path`, without opening it. Errors: not_found; invalid (no block device); vanished.
Result<Identity> identity_of(const std::string& path);
// Of an open descriptor: what the kernel says of exactly this device, also when its name meanwhile means another.
// Errors: invalid (no block device); vanished (the device has gone, whether or not another has its number).
Result<Identity> identity_of_descriptor(int fd);

enum class IdentityPart : uint8_t { number, diskseq, serial, wwn, size, start };
std::string_view name_of(IdentityPart part);

// In what two differ; empty: the same device with the same medium. A diskseq that only one of them has is not compared.
std::vector<IdentityPart> differences(const Identity& chosen, const Identity& now);

// From sysfs under a root: for what identity_of() adds the number and tests bring a machine.
Result<Identity> identity_of_number(dev_t number, const std::string& root = {});

}  // namespace disklathe
