// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/loop_device.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace disklathe::test {
namespace {

int configure(int fd, int backing, uint32_t sector_size, bool read_only) {
  loop_config config{};
  config.fd = static_cast<unsigned>(backing);
  config.block_size = sector_size;
  // Also when the test ends in the middle nothing is left attached.
  config.info.lo_flags = LO_FLAGS_PARTSCAN | LO_FLAGS_AUTOCLEAR;
  if (read_only) config.info.lo_flags |= LO_FLAGS_READ_ONLY;
  return ioctl(fd, LOOP_CONFIGURE, &config) == 0 ? 0 : errno;
}

}  // namespace

std::unique_ptr<LoopDevice> LoopDevice::attach(const std::string& file, uint32_t sector_size, bool read_only) {
  const int access = read_only ? O_RDONLY : O_RDWR;
  const int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  if (control < 0) return nullptr;
  const int backing = open(file.c_str(), access | O_CLOEXEC);
  std::unique_ptr<LoopDevice> attached;
  // The number is only free until somebody else takes it.
  for (int attempt = 0; backing >= 0 && !attached && attempt < 20; ++attempt) {
    const int number = ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) break;
    const std::string path = "/dev/loop" + std::to_string(number);
    const int fd = open(path.c_str(), access | O_CLOEXEC);
    if (fd < 0) break;
    const int error = configure(fd, backing, sector_size, read_only);
    if (error == 0) {
      attached.reset(new LoopDevice(path, fd));
    } else {
      close(fd);
      if (error != EBUSY) break;
    }
  }
  if (backing >= 0) close(backing);
  close(control);
  return attached;
}

bool LoopDevice::replace(const std::string& file, uint32_t sector_size) {
  ioctl(fd_, LOOP_CLR_FD);
  close(fd_);  // what it was behind goes only when nobody has it open
  fd_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  const int backing = open(file.c_str(), O_RDWR | O_CLOEXEC);
  const int error = configure(fd_, backing, sector_size, false);
  close(backing);
  if (error == 0) return true;
  close(std::exchange(fd_, -1));  // it is somebody else's now
  return false;
}

void LoopDevice::follow_size() { ioctl(fd_, LOOP_SET_CAPACITY); }

LoopDevice::~LoopDevice() {
  if (fd_ < 0) return;
  ioctl(fd_, LOOP_CLR_FD);
  close(fd_);
}

}  // namespace disklathe::test
