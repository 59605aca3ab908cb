// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/openers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/device/system_files.h"

namespace disklathe {
namespace {

std::optional<pid_t> process_of(const std::string& name) {
  pid_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(process) : std::nullopt;
}

// What an open descriptor leads to, if it is a block device. A server that does not answer must not hold this up.
std::optional<dev_t> block_device_at(const std::string& path) {
  struct statx status{};
  if (statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC, STATX_TYPE, &status) != 0) return std::nullopt;
  if (!S_ISBLK(status.stx_mode)) return std::nullopt;
  return makedev(status.stx_rdev_major, status.stx_rdev_minor);
}

// "flags:\t0100002", octal (proc(5)).
bool is_open_for_writing(const std::string& info) {
  constexpr std::string_view key = "flags:\t";
  const size_t at = info.find(key);
  unsigned flags = 0;
  if (at != std::string::npos) std::from_chars(info.data() + at + key.size(), info.data() + info.size(), flags, 8);
  return (flags & O_ACCMODE) != O_RDONLY;
}

bool serves(pid_t process, std::span<const dev_t> devices) {
  return std::ranges::any_of(devices, [process](dev_t device) {
    const auto server = read_number("/sys/dev/block/" + device_number_text(device) + "/pid");
    return server == static_cast<uint64_t>(process);
  });
}

}  // namespace

std::vector<Opener> programs_with_open(std::span<const dev_t> devices) {
  std::vector<Opener> openers;
  for (const std::string& name : list_folder("/proc")) {
    const auto process = process_of(name);
    if (!process || *process == getpid()) continue;
    const std::string folder = "/proc/" + name;
    bool found = false, writes = false;
    for (const std::string& descriptor : list_folder(folder + "/fd")) {
      const auto device = block_device_at(folder + "/fd/" + descriptor);
      if (!device || !std::ranges::contains(devices, *device)) continue;
      found = true;
      writes |= is_open_for_writing(read_small_file(folder + "/fdinfo/" + descriptor).value_or(""));
    }
    if (!found || serves(*process, devices)) continue;
    openers.push_back(
        {.process = *process, .program = device_text(read_attribute(folder + "/comm").value_or("")), .writes = writes});
  }
  return openers;
}

}  // namespace disklathe
