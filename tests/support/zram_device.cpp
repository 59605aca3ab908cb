// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/zram_device.h"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace disklathe::test {
namespace {

// Waits for a node that the kernel makes by itself.
bool appears(const std::string& node) {
  for (int i = 0; i < 200; ++i) {
    if (access(node.c_str(), F_OK) == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

std::unique_ptr<ZramDevice> ZramDevice::create(uint64_t bytes, std::string& why_not) {
  int index = -1;
  if (!(std::ifstream("/sys/class/zram-control/hot_add") >> index)) {
    why_not = "/sys/class/zram-control/hot_add cannot be read";
    return nullptr;
  }
  std::unique_ptr<ZramDevice> zram(new ZramDevice);
  zram->index_ = index;
  std::ofstream size("/sys/block/" + zram->name() + "/disksize");
  size << bytes << std::flush;
  if (size && appears(zram->node())) return zram;
  why_not = zram->node() + " could not be set up";
  return nullptr;
}

ZramDevice::~ZramDevice() {
  std::ofstream("/sys/block/" + name() + "/reset") << 1 << std::flush;
  std::ofstream("/sys/class/zram-control/hot_remove") << index_ << std::flush;
}

}  // namespace disklathe::test
