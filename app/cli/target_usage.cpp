// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/target_usage.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "core/device/enumerate.h"
#include "core/device/system_files.h"

namespace disklathe::cli {
namespace fs = std::filesystem;
namespace {

std::string with_release(const std::string& words, const std::string& commands) {
  return commands.empty() ? words : fmt::format("{}; it is free after: {}", words, commands);
}

}  // namespace

std::string usage_of(const std::string& path) {
  std::error_code error;
  for (const BackedDisk& disk : backed_disks())
    if (fs::equivalent(disk.backing, path, error))
      return with_release("under the loop device " + disk.name, "losetup -d " + disk.node);
  std::ifstream swaps("/proc/swaps");
  for (std::string line; std::getline(swaps, line);) {
    const std::string name = unescape_octal(line.substr(0, line.find_first_of(" \t")));
    if (name.starts_with('/') && fs::equivalent(name, path, error))
      return with_release("used as swap", "swapoff " + path);
  }
  return {};
}

}  // namespace disklathe::cli
