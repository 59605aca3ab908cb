// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/device_usage.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "app/cli/device_words.h"
#include "core/device/mount_table.h"
#include "core/device/usage.h"

namespace disklathe::cli {
namespace {

bool is_same_file(const std::string& path, const struct stat& file) {
  struct stat other{};
  return stat(path.c_str(), &other) == 0 && other.st_dev == file.st_dev && other.st_ino == file.st_ino;
}

std::string usage_of_file(const struct stat& file) {
  for (const Swap& swap : read_swaps()) {
    if (is_same_file(swap.path, file)) return "used as swap";
  }
  const auto disks = enumerate_disks();
  if (!disks) return {};
  const auto loop = std::ranges::find_if(
      *disks, [&](const Disk& disk) { return disk.bus == Bus::loop && is_same_file(disk.backing, file); });
  return loop == disks->end() ? std::string() : fmt::format("attached as {}", loop->name);
}

std::string usage_of_device(dev_t number) {
  const auto disks = enumerate_disks();
  if (!disks) return {};
  const UsageMap map(*disks);
  const Usage usage = map.of(map.graph().device_of_number(number));
  if (!usage.in_use) return {};
  const std::string release = release_commands(usage);
  const std::string who = words_of(usage.holds.front());
  if (usage.system) return fmt::format("{}: this system runs on it", who);
  return release.empty() ? who : fmt::format("{}; to release it: {}", who, release);
}

}  // namespace

std::string usage_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return {};
  return S_ISBLK(status.st_mode) ? usage_of_device(status.st_rdev) : usage_of_file(status);
}

}  // namespace disklathe::cli
