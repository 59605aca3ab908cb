// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/target_usage.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "app/cli/device_words.h"
#include "core/device/enumerate.h"
#include "core/device/system_files.h"
#include "core/device/usage.h"

namespace disklathe::cli {
namespace fs = std::filesystem;
namespace {

std::string with_release(const std::string& words, const std::string& commands) {
  return commands.empty() ? words : fmt::format("{}; it is free after: {}", words, commands);
}

std::string usage_of_device(const std::vector<Disk>& disks, dev_t number) {
  const BlockNode* node = nullptr;
  for (const Disk& disk : disks) {
    if (disk.number == number) node = &disk;
    for (const Partition& partition : disk.partitions)
      if (partition.number == number) node = &partition;
  }
  if (!node) return {};
  const Usage usage = UsageMap(disks).of(node->name);
  for (const Hold& hold : usage.holds)
    if (hold.kind != HoldKind::member) return with_release(words_of(hold), release_commands(usage));
  return {};
}

std::string usage_of_file(const std::vector<Disk>& disks, const std::string& path) {
  std::error_code error;
  for (const Disk& disk : disks)
    if (!disk.backing.empty() && fs::equivalent(disk.backing, path, error))
      return with_release("under the loop device " + disk.name, "losetup -d " + disk.node);
  std::ifstream swaps("/proc/swaps");
  for (std::string line; std::getline(swaps, line);) {
    const std::string name = unescape_octal(line.substr(0, line.find_first_of(" \t")));
    if (name.starts_with('/') && fs::equivalent(name, path, error))
      return with_release("used as swap", "swapoff " + path);
  }
  return {};
}

}  // namespace

std::string usage_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return {};
  // Where sysfs cannot be read, O_EXCL still keeps a device that is in use from being written.
  const auto disks = enumerate_disks();
  if (!disks) return {};
  return S_ISBLK(status.st_mode) ? usage_of_device(*disks, status.st_rdev) : usage_of_file(*disks, path);
}

}  // namespace disklathe::cli
