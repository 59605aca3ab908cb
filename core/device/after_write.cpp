// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/after_write.h"

#include <linux/fs.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "core/device/system_files.h"

namespace disklathe {

TableReread reread_partition_table(int fd) {
  constexpr int attempts = 6;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (attempt != 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (ioctl(fd, BLKRRPART) == 0) return TableReread::done;
    if (errno != EBUSY) break;
  }
  switch (errno) {
    case EBUSY: return TableReread::busy;
    case EINVAL:
    case ENOTTY: return TableReread::none;
    case EACCES:
    case EPERM: return TableReread::not_permitted;
    default: return TableReread::failed;
  }
}

std::string_view name_of(CacheLeft cache) {
  switch (cache) {
    case CacheLeft::backing_file: return "backing-file";
    case CacheLeft::memory: return "memory";
    case CacheLeft::server: return "server";
    case CacheLeft::device: return "device";
  }
  return "device";
}

CacheLeft cache_left(const Disk& disk, const std::string& root) {
  switch (disk.bus) {
    case Bus::loop:
      return read_number(root + "/sys/class/block/" + disk.name + "/loop/dio") == 1 ? CacheLeft::device
                                                                                    : CacheLeft::backing_file;
    case Bus::zram:
    case Bus::ram: return CacheLeft::memory;
    case Bus::nbd:
    case Bus::nvme_fabrics:
    case Bus::iscsi: return CacheLeft::server;
    default: return CacheLeft::device;
  }
}

}  // namespace disklathe
