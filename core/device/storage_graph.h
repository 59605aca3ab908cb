// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/enumerate.h"
#include "core/device/mount_table.h"

namespace disklathe {

// What stands on what: partitions on disks, dm, md and bcache on their members, loop devices on the file system that
// holds their file. Names are the kernel's. A snapshot: it keeps what it needs of the disks it was made from.
class StorageGraph {
 public:
  explicit StorageGraph(const std::vector<Disk>& disks, const std::string& root = {});

  struct Node {
    BlockNode block;
    std::string disk;                // partition: its disk; empty for a disk
    std::vector<std::string> below;  // what it stands on
    // What the kernel calls the maker of an assembled device.
    Bus bus = Bus::unknown;
    std::string backing, dm_name, dm_uuid, md_level;
  };
  const std::map<std::string, Node, std::less<>>& nodes() const { return nodes_; }
  const Node* find(std::string_view name) const;
  const std::vector<Mount>& mounts() const { return mounts_; }

  // The devices a mounted file system is on: several for btrfs, bcachefs, ZFS, XFS with its log elsewhere, and for an
  // overlay those of its layers. Empty when it is on none, or none that can be told.
  std::vector<std::string> devices_of(const Mount& mount) const;
  // The device at /dev/..., or those of the file system that a file lies in.
  std::vector<std::string> devices_of_path(std::string_view path) const;
  std::string device_of_number(dev_t number) const;
  // The members of a ZFS pool, known by their labels.
  std::vector<std::string> members_of_pool(std::string_view pool) const;
  // Pools that are imported. (Empty as well where ZFS is not loaded.)
  std::vector<std::string> imported_pools() const;

 private:
  std::string device_at(std::string_view path) const;
  std::vector<std::string> devices_of_btrfs(const Mount& mount) const;
  std::vector<std::string> devices_of_mount(const Mount& mount, int depth) const;
  std::vector<std::string> devices_of_file(std::string_view path, const Mount* skip, int depth) const;
  void add_edges();

  std::string root_;
  std::map<std::string, Node, std::less<>> nodes_;
  std::vector<Mount> mounts_;
};

}  // namespace disklathe
