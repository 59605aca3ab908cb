// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/support/temp_dir.h"

namespace disklathe::test {

struct LoopOptions {
  uint64_t bytes = 64 << 20;
  uint32_t block_size = 512;  // logical
  bool scan_partitions = false;
  bool read_only = false;
  TempDir::Where backing = TempDir::Where::memory;
  std::string file;  // an existing file instead of a new one of `bytes`
};

// A loop device of its own, detached at the end. Needs root.
class LoopDevice {
 public:
  // Null with the reason in `why_not` where none can be made: a reason to skip, printed.
  static std::unique_ptr<LoopDevice> attach(const LoopOptions& options, std::string& why_not);
  ~LoopDevice();
  LoopDevice(const LoopDevice&) = delete;
  LoopDevice& operator=(const LoopDevice&) = delete;

  std::string name() const { return "loop" + std::to_string(index_); }
  std::string node() const { return "/dev/" + name(); }
  const std::string& file() const { return file_; }
  void detach();

 private:
  LoopDevice() = default;
  std::unique_ptr<TempDir> folder_;
  std::string file_;
  int index_ = -1;
};

// A compressed RAM disk of its own (4 KiB blocks, transfers of at most 124 KiB), removed at the end. Needs root.
class ZramDevice {
 public:
  static std::unique_ptr<ZramDevice> create(uint64_t bytes, std::string& why_not);
  ~ZramDevice();
  ZramDevice(const ZramDevice&) = delete;
  ZramDevice& operator=(const ZramDevice&) = delete;

  std::string name() const { return "zram" + std::to_string(index_); }
  std::string node() const { return "/dev/" + name(); }

 private:
  ZramDevice() = default;
  int index_ = -1;
};

}  // namespace disklathe::test
