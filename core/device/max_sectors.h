// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace disklathe {

// Sets a queue's max_sectors_kb (the size at which the kernel splits requests) for as long as this lives. It is set
// back by a process of its own, which does so when this one ends: by return, signal, crash or kill -9. If that process
// is killed, this one sets it back. Only who kills both leaves the changed value, until it is set again or the machine
// starts anew. Needs root.
class MaxSectorsOverride {
 public:
  // Of the queue that serves the open block device, or the file system an open file is on. KiB. Errors: unsupported
  // (there is no such queue); permission; invalid (the kernel takes no such value there).
  static Result<MaxSectorsOverride> set(int fd, uint64_t kib);
  // The same of an attribute by its path.
  static Result<MaxSectorsOverride> set_attribute(const std::string& path, uint64_t kib);

  MaxSectorsOverride(MaxSectorsOverride&& other) noexcept;
  MaxSectorsOverride& operator=(MaxSectorsOverride&&) = delete;
  ~MaxSectorsOverride();

  // Now, and whether the queue has its old value again.
  Result<void> restore();

  const std::string& path() const { return path_; }
  uint64_t original() const { return original_; }  // KiB
  pid_t guard() const { return guard_; }           // the process that will set it back

 private:
  MaxSectorsOverride(std::string path, uint64_t original, pid_t guard, int lifeline)
      : path_(std::move(path)), original_(original), guard_(guard), lifeline_(lifeline) {}

  std::string path_;
  uint64_t original_;
  pid_t guard_;
  int lifeline_;  // the guard waits for its end
};

}  // namespace disklathe
