// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace disklathe::test {

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
