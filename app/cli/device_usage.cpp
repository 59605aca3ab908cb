// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/device_usage.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace disklathe::cli {
namespace fs = std::filesystem;
namespace {

// "8:1" of the device and its partitions.
std::set<std::string> numbers_of(dev_t device) {
  const std::string whole = fmt::format("{}:{}", major(device), minor(device));
  std::set<std::string> numbers = {whole};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/sys/dev/block/" + whole, error)) {
    std::ifstream file(entry.path() / "dev");
    std::string number;
    if (fs::exists(entry.path() / "partition", error) && file >> number) numbers.insert(number);
  }
  return numbers;
}

// /proc writes blanks in names as \040.
std::string unescaped(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 3 < text.size() && std::isdigit(static_cast<unsigned char>(text[at + 1]))) {
      out += static_cast<char>((text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 + (text[at + 3] - '0'));
      at += 3;
    } else {
      out += text[at];
    }
  }
  return out;
}

std::string mount_of(const std::set<std::string>& numbers) {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string id, parent, number, root, point;
    if (words >> id >> parent >> number >> root >> point && numbers.contains(number))
      return "mounted on " + unescaped(point);
  }
  return {};
}

bool is_swap(const struct stat& wanted, const std::set<std::string>& numbers) {
  std::ifstream swaps("/proc/swaps");
  std::string line;
  std::getline(swaps, line);  // its head
  while (std::getline(swaps, line)) {
    std::istringstream words(line);
    std::string name;
    struct stat swap{};
    if (!(words >> name) || stat(unescaped(name).c_str(), &swap) != 0) continue;
    const bool same_file = swap.st_dev == wanted.st_dev && swap.st_ino == wanted.st_ino;
    const bool on_device =
        S_ISBLK(swap.st_mode) && numbers.contains(fmt::format("{}:{}", major(swap.st_rdev), minor(swap.st_rdev)));
    if (same_file || on_device) return true;
  }
  return false;
}

std::string holder_of(const std::set<std::string>& numbers) {
  std::error_code error;
  for (const std::string& number : numbers)
    for (const auto& entry : fs::directory_iterator(fmt::format("/sys/dev/block/{}/holders", number), error))
      return "part of " + entry.path().filename().string();
  return {};
}

std::string loop_on(const std::string& path) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/sys/block", error)) {
    std::ifstream file(entry.path() / "loop/backing_file");
    std::string backing;
    if (std::getline(file, backing) && fs::equivalent(backing, path, error) && !error)
      return "attached as " + entry.path().filename().string();
  }
  return {};
}

}  // namespace

std::string usage_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return {};
  if (!S_ISBLK(status.st_mode)) return is_swap(status, {}) ? "used as swap" : loop_on(path);
  const auto numbers = numbers_of(status.st_rdev);
  if (std::string mount = mount_of(numbers); !mount.empty()) return mount;
  if (is_swap(status, numbers)) return "used as swap";
  return holder_of(numbers);
}

}  // namespace disklathe::cli
