// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/device/enumerate.h"

namespace disklathe {

// What has become of the kernel's view of a disk's partitions after its table was overwritten.
enum class TableReread : uint8_t {
  done,
  none,           // this device has no partitions
  not_permitted,  // needs CAP_SYS_ADMIN; udev does it when the device is closed
  busy,           // a partition is open
  failed,
};

// BLKRRPART on the open disk. Waits up to half a second for whoever looks at a partition just now.
TableReread reread_partition_table(int fd);

// What may have answered a read-back in the medium's place, though the data was flushed before and read by direct I/O.
enum class CacheLeft : uint8_t {
  backing_file,  // a loop device that goes through the page cache of its file
  memory,        // there is no medium: the device is memory
  server,        // a network block device: what is behind it cannot be told
  device,        // the device's own, which no command of the kernel goes around
};
std::string_view name_of(CacheLeft cache);

// root: as for enumerate_disks().
CacheLeft cache_left(const Disk& disk, const std::string& root = {});

}  // namespace disklathe
