// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/block_devices.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

namespace disklathe::test {
namespace {

std::string os_reason(const std::string& what) { return what + ": " + std::strerror(errno); }

// Waits for a node that the kernel makes by itself.
bool appears(const std::string& node) {
  for (int i = 0; i < 200; ++i) {
    if (access(node.c_str(), F_OK) == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

std::unique_ptr<LoopDevice> LoopDevice::attach(const LoopOptions& options, std::string& why_not) {
  const int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  if (control < 0) {
    why_not = os_reason("/dev/loop-control");
    return nullptr;
  }
  std::unique_ptr<LoopDevice> loop(new LoopDevice);
  loop->file_ = options.file;
  if (loop->file_.empty()) {
    loop->folder_ = std::make_unique<TempDir>(options.backing);
    loop->file_ = loop->folder_->file("disk.raw");
  }
  const int file = open(loop->file_.c_str(), (options.read_only ? O_RDONLY : O_RDWR) | O_CREAT | O_CLOEXEC, 0600);
  bool ready = file >= 0 && (!options.file.empty() || ftruncate(file, static_cast<off_t>(options.bytes)) == 0);
  if (!ready) why_not = os_reason(loop->file_);
  loop_config config{};
  config.fd = static_cast<uint32_t>(file);
  config.block_size = options.block_size;
  if (options.scan_partitions) config.info.lo_flags |= LO_FLAGS_PARTSCAN;
  if (options.read_only) config.info.lo_flags |= LO_FLAGS_READ_ONLY;
  // Another test may take the number that was free a moment ago.
  for (int attempt = 0; ready && attempt < 50 && loop->index_ < 0; ++attempt) {
    const int index = ioctl(control, LOOP_CTL_GET_FREE);
    const std::string node = "/dev/loop" + std::to_string(index);
    if (index < 0 || !appears(node)) {
      why_not = os_reason(node);
      ready = false;
      break;
    }
    const int device = open(node.c_str(), (options.read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC);
    if (device >= 0 && ioctl(device, LOOP_CONFIGURE, &config) == 0) {
      loop->index_ = index;
    } else if (errno != EBUSY) {
      why_not = os_reason(node);
      ready = false;
    }
    if (device >= 0) close(device);
  }
  if (file >= 0) close(file);
  close(control);
  if (loop->index_ >= 0) return loop;
  if (why_not.empty()) why_not = "no loop device is free";
  return nullptr;
}

void LoopDevice::detach() {
  if (index_ < 0) return;
  const int device = open(node().c_str(), O_RDONLY | O_CLOEXEC);
  if (device >= 0) {
    ioctl(device, LOOP_CLR_FD, 0);
    close(device);
  }
  index_ = -1;
}

LoopDevice::~LoopDevice() { detach(); }

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
