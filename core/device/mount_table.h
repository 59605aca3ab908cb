// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace disklathe {

// A line of /proc/PID/mountinfo (Documentation/filesystems/proc.rst, 3.5).
struct Mount {
  dev_t number = 0;     // of the file system; no block device's where the file system has several or none
  std::string root;     // what of the file system is mounted: "/", or the folder of a bind mount
  std::string target;   // where
  std::string type;     // "ext4"
  std::string source;   // "/dev/sda1", "pool/dataset", "overlay"
  std::string options;  // the file system's own: "lowerdir=...,upperdir=..."
  bool of_first_process = false;
};

// The values of one of the options ("lowerdir"), also where each is added by itself ("lowerdir+"). "\," is a comma.
std::vector<std::string> options_of(const Mount& mount, std::string_view key);

// What this process sees and, where it may be read, what the first process sees: a private mount namespace must not
// hide what the system stands on. Each in the order of mounting; the first process's only where they differ.
std::vector<Mount> read_mounts(const std::string& root = {});

// The mounts that a path lies in, one of each table: the last one with the longest target. None for a relative path.
// `skip`: a mount that cannot be the answer (an overlay does not lie in itself).
std::vector<const Mount*> mounts_of_path(const std::vector<Mount>& mounts, std::string_view path,
                                         const Mount* skip = nullptr);

struct Swap {
  std::string path;  // a device or a file
  bool is_file = false;
};
std::vector<Swap> read_swaps(const std::string& root = {});  // /proc/swaps

}  // namespace disklathe
