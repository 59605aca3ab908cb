// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/device/descriptor.h"
#include "core/device/limits.h"
#include "core/device/scsi.h"

namespace disklathe {

struct ScsiCommand {
  enum class Direction : uint8_t { none, in, out };

  scsi::Cdb cdb;
  Direction direction = Direction::none;
  MutableBytes data;  // out: only read
  std::chrono::milliseconds timeout{60'000};
};

struct ScsiOutcome {
  uint8_t status = scsi::status_good;
  uint16_t host_status = 0;  // DID_*: how the computer's side fared
  uint32_t residual = 0;     // bytes of the data that were not moved
  std::array<std::byte, 96> sense{};
  uint8_t sense_length = 0;
};

// Carries one command to a device and its answer back, blocking. Any thread.
class ScsiTransport {
 public:
  virtual ~ScsiTransport() = default;
  // An error: the command did not reach the device.
  virtual Result<ScsiOutcome> execute(const ScsiCommand& command) = 0;
};

// To the device behind an open SCSI generic node, or an open SCSI disk.
std::unique_ptr<ScsiTransport> make_scsi_transport(Descriptor node);

// A SCSI generic node, /dev/sgN.
struct SgNode {
  dev_t number = 0;
  std::optional<dev_t> disk;  // the block device that the kernel has for the same device
  std::string disk_path;      // its node, "/dev/sdb"; empty without one
};
// Errors: invalid (no such node). Does not open it.
Result<SgNode> sg_node_of(const std::string& path);

struct SgOpened {
  std::unique_ptr<ScsiTransport> transport;
  std::optional<dev_t> disk;
  Limits limits;  // of the queue, and where sysfs shows none, what the node says: they bind each command
};
// writable: exclusively among those who open SCSI generic nodes. Errors: those of open().
Result<SgOpened> open_sg(const std::string& path, bool writable);

// Whether the disk behind an open block device says that it is write-protected. The kernel asks only when it looks at
// the disk anew, not when writes begin to fail. False where it is no SCSI disk or may not be asked.
bool says_write_protected(int fd);

}  // namespace disklathe
