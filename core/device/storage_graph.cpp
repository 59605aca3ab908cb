// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/storage_graph.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>

#include "core/device/system_files.h"

namespace disklathe {
namespace {

// An overlay on an overlay on an overlay: deeper is a loop.
constexpr int deepest_overlay = 8;

void add(std::vector<std::string>& names, std::string name) {
  if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

void add_all(std::vector<std::string>& names, std::vector<std::string> more) {
  for (std::string& name : more) add(names, std::move(name));
}

// "a:b\:c" -> "a", "b:c"; what lies between two colons may be empty.
std::vector<std::string> split_layers(std::string_view text) {
  std::vector<std::string> parts(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      parts.back() += text[++i];
    } else if (text[i] == ':') {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  return parts;
}

}  // namespace

StorageGraph::StorageGraph(const std::vector<Disk>& disks, const std::string& root)
    : root_(root), mounts_(read_mounts(root)) {
  for (const Disk& disk : disks) {
    nodes_.emplace(disk.name, Node{.block = static_cast<const BlockNode&>(disk),
                                   .bus = disk.bus,
                                   .backing = disk.backing,
                                   .dm_name = disk.dm_name,
                                   .dm_uuid = disk.dm_uuid,
                                   .md_level = disk.md_level});
    for (const Partition& partition : disk.partitions) {
      nodes_.emplace(partition.name, Node{.block = static_cast<const BlockNode&>(partition), .disk = disk.name});
    }
  }
  add_edges();
}

void StorageGraph::add_edges() {
  for (auto& [name, node] : nodes_) {
    add(node.below, node.disk);
    for (const std::string& slave : node.block.slaves) add(node.below, slave);
    for (const std::string& holder : node.block.holders) {
      if (const auto above = nodes_.find(holder); above != nodes_.end()) add(above->second.below, name);
    }
    if (node.bus == Bus::loop && !node.backing.empty()) {
      constexpr std::string_view gone = " (deleted)";
      std::string_view file = node.backing;
      if (file.ends_with(gone)) file.remove_suffix(gone.size());
      add_all(node.below, devices_of_path(file));
    } else if (!node.backing.empty()) {
      add(node.below, device_at(node.backing));
    }
    // A ZFS volume shows no pool in sysfs: any that is imported may be the one.
    if (node.bus == Bus::other_virtual && name.starts_with("zd")) {
      for (const std::string& pool : imported_pools()) add_all(node.below, members_of_pool(pool));
    }
  }
}

const StorageGraph::Node* StorageGraph::find(std::string_view name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : &found->second;
}

std::string StorageGraph::device_of_number(dev_t number) const {
  const auto found =
      std::ranges::find_if(nodes_, [&](const auto& entry) { return entry.second.block.number == number; });
  return found == nodes_.end() ? std::string() : found->first;
}

std::string StorageGraph::device_at(std::string_view path) const {
  for (const auto& [name, node] : nodes_) {
    if (path == node.block.node) return name;
    if (!node.dm_name.empty() && path == "/dev/mapper/" + node.dm_name) return name;
  }
  // A symbolic link (/dev/disk/by-uuid/...), or a node of another name.
  const std::string real = real_path(root_ + std::string(path));
  struct stat status{};
  if (!real.empty() && stat(real.c_str(), &status) == 0 && S_ISBLK(status.st_mode))
    return device_of_number(status.st_rdev);
  return {};
}

std::vector<std::string> StorageGraph::devices_of(const Mount& mount) const { return devices_of_mount(mount, 0); }

std::vector<std::string> StorageGraph::devices_of_path(std::string_view path) const {
  if (path.starts_with("/dev/")) {
    if (std::string device = device_at(path); !device.empty()) return {std::move(device)};
  }
  return devices_of_file(path, nullptr, 0);
}

std::vector<std::string> StorageGraph::devices_of_file(std::string_view path, const Mount* skip, int depth) const {
  std::vector<std::string> devices;
  for (const Mount* mount : mounts_of_path(mounts_, path, skip)) add_all(devices, devices_of_mount(*mount, depth));
  return devices;
}

std::vector<std::string> StorageGraph::devices_of_mount(const Mount& mount, int depth) const {
  std::vector<std::string> devices;
  if (depth > deepest_overlay) return devices;
  if (mount.type == "overlay") {
    for (const std::string_view key : {"lowerdir", "datadir", "upperdir", "workdir"}) {
      for (const std::string& layers : options_of(mount, key)) {
        for (const std::string& layer : split_layers(layers))
          add_all(devices, devices_of_file(layer, &mount, depth + 1));
      }
    }
    return devices;
  }
  if (mount.type == "zfs") return members_of_pool(std::string_view(mount.source).substr(0, mount.source.find('/')));
  if (mount.type == "btrfs") return devices_of_btrfs(mount);
  // Major 0: no block device of its own; then the source names it (bcachefs: all of them, with colons between).
  if (major(mount.number) != 0) add(devices, device_of_number(mount.number));
  if (devices.empty() && mount.source.starts_with('/') && mount.type != "nfs" && mount.type != "nfs4") {
    for (const std::string& source : split_layers(mount.source)) {
      add_all(devices, source.starts_with("/dev/") ? std::vector{device_at(source)}
                                                   : devices_of_file(source, &mount, depth + 1));
    }
  }
  for (const std::string_view key : {"logdev", "rtdev", "journal_path"}) {
    for (const std::string& other : options_of(mount, key)) add(devices, device_at(other));
  }
  return devices;
}

// The kernel lists the members of each mounted btrfs; a mount names one of them, by its node or as "/dev/root".
std::vector<std::string> StorageGraph::devices_of_btrfs(const Mount& mount) const {
  const std::string named = device_at(mount.source);
  const std::string folder = root_ + "/sys/fs/btrfs";
  std::vector<std::string> devices, all;
  for (const std::string& uuid : list_folder(folder)) {
    const auto members = list_folder(fmt::format("{}/{}/devices", folder, uuid));
    add_all(all, members);
    if (std::ranges::find(members, named) != members.end()) add_all(devices, members);
  }
  if (!devices.empty()) return devices;
  add(devices, named);
  return devices.empty() ? all : devices;
}

std::vector<std::string> StorageGraph::members_of_pool(std::string_view pool) const {
  std::vector<std::string> members;
  for (const auto& [name, node] : nodes_) {
    if (node.block.content.type == "zfs_member" && node.block.content.label == pool) members.push_back(name);
  }
  return members;
}

std::vector<std::string> StorageGraph::imported_pools() const {
  std::vector<std::string> pools;
  const std::string folder = root_ + "/proc/spl/kstat/zfs/";
  for (const std::string& name : list_folder(folder)) {
    if (path_exists(folder + name + "/state")) pools.push_back(name);
  }
  return pools;
}

}  // namespace disklathe
