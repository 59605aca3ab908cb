// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/zones.h"

#include <linux/blkzoned.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>

#include "core/base/error.h"

namespace disklathe {
namespace {

constexpr uint64_t sector = 512;
constexpr uint32_t zones_at_once = 512;

}  // namespace

Result<std::optional<uint64_t>> first_sequential_byte(int fd, Range range) {
  uint32_t zone_sectors = 0;
  // A driver that has no such question has no zones.
  if (ioctl(fd, BLKGETZONESZ, &zone_sectors) != 0 || zone_sectors == 0) return std::nullopt;
  const auto memory = std::make_unique<std::byte[]>(sizeof(blk_zone_report) + zones_at_once * sizeof(blk_zone));
  auto* report = reinterpret_cast<blk_zone_report*>(memory.get());
  for (uint64_t at = range.at; at < range.end();) {
    report->sector = at / sector;
    report->nr_zones = zones_at_once;
    if (ioctl(fd, BLKREPORTZONE, report) != 0) return failure(os_failure(errno, "read the zones of", {}, at));
    const uint64_t before = at;
    for (uint32_t i = 0; i < std::min(report->nr_zones, zones_at_once) && at < range.end(); ++i) {
      const blk_zone& zone = report->zones[i];
      if (zone.type != BLK_ZONE_TYPE_CONVENTIONAL) return std::max<uint64_t>(zone.start * sector, range.at);
      at = (zone.start + zone.len) * sector;
    }
    if (at <= before) return std::nullopt;  // past the last zone
  }
  return std::nullopt;
}

}  // namespace disklathe
