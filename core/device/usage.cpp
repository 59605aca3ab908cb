// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/usage.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/device/system_files.h"

namespace disklathe {
namespace {

bool is_at_or_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// Where the running system lives. /home and /var by themselves only: below them people mount disks of their own.
bool is_system_place(std::string_view target) {
  constexpr std::array exactly = {"/", "/home", "/var", "/etc", "/opt", "/srv", "/root", "/nix", "/sysroot", "/cdrom"};
  constexpr std::array also_below = {"/boot",     "/efi",           "/usr",           "/nix/store",
                                     "/run/live", "/run/initramfs", "/lib/live/mount"};
  return std::ranges::find(exactly, target) != exactly.end() ||
         std::ranges::any_of(also_below, [&](std::string_view folder) { return is_at_or_below(target, folder); });
}

// File systems that are on no block device of this machine.
bool is_deviceless(std::string_view type) {
  constexpr std::array types = {
      "tmpfs",    "ramfs", "rootfs",   "devtmpfs", "autofs",         "nfs",        "nfs4",
      "cifs",     "smb3",  "9p",       "ceph",     "virtiofs",       "afs",        "lustre",
      "orangefs", "sysfs", "efivarfs", "proc",     "fuse.glusterfs", "fuse.sshfs", "fuse.cephfs"};
  return std::ranges::find(types, type) != types.end();
}

HoldKind kind_of(const StorageGraph::Node& node) {
  switch (node.bus) {
    case Bus::md: return HoldKind::md;
    case Bus::bcache: return HoldKind::bcache;
    case Bus::loop: return HoldKind::loop;
    case Bus::zram: return HoldKind::zram;
    case Bus::device_mapper:
      if (node.dm_uuid.starts_with("CRYPT-")) return HoldKind::crypt;
      if (node.dm_uuid.starts_with("LVM-")) return HoldKind::lvm;
      if (node.dm_uuid.starts_with("mpath-")) return HoldKind::multipath;
      return HoldKind::device_mapper;
    default: return HoldKind::other;
  }
}

std::string detail_of(const StorageGraph::Node& node) {
  if (!node.dm_name.empty()) return node.dm_name;
  return node.md_level.empty() ? node.backing : node.md_level;
}

// Signatures of a part of something larger: to write there breaks what others hold.
bool is_member_type(std::string_view type) {
  return type.ends_with("_member") || type == "bcache" || type == "drbd" || type == "ceph_bluestore" ||
         type == "VMFS_volume_member";
}

}  // namespace

std::string_view name_of(HoldKind kind) {
  switch (kind) {
    case HoldKind::mount: return "mount";
    case HoldKind::swap: return "swap";
    case HoldKind::hibernation: return "hibernation";
    case HoldKind::crypt: return "crypt";
    case HoldKind::lvm: return "lvm";
    case HoldKind::multipath: return "multipath";
    case HoldKind::device_mapper: return "device-mapper";
    case HoldKind::md: return "md";
    case HoldKind::bcache: return "bcache";
    case HoldKind::loop: return "loop";
    case HoldKind::zram: return "zram";
    case HoldKind::zfs: return "zfs";
    case HoldKind::other: return "other";
    case HoldKind::member: return "member";
  }
  return "other";
}

UsageMap::UsageMap(const std::vector<Disk>& disks, const std::string& root) : graph_(disks, root) {
  find_mounts();
  find_swaps(root);
  find_assembled();
  find_pools();
}

void UsageMap::find_mounts() {
  for (const Mount& mount : graph_.mounts()) {
    const bool system = is_system_place(mount.target);
    // A container's overlay lies on what is mounted itself; of thousands of them each layer would be looked for.
    if (mount.type == "overlay" && !system) continue;
    Use use{.kind = HoldKind::mount,
            .by = mount.target,
            .detail = mount.type,
            .on = graph_.devices_of(mount),
            .system = system};
    if (!use.on.empty()) {
      const bool known =
          std::ranges::any_of(uses_, [&](const Use& other) { return other.by == use.by && other.on == use.on; });
      if (!known) uses_.push_back(std::move(use));
    } else if (use.system && !is_deviceless(mount.type)) {
      untraced_.push_back(mount.target);
      untraced_zfs_ = untraced_zfs_ || mount.type == "zfs";
    }
  }
}

void UsageMap::find_swaps(const std::string& root) {
  for (const Swap& swap : read_swaps(root)) {
    Use use{.kind = HoldKind::swap, .by = swap.path, .on = graph_.devices_of_path(swap.path), .system = true};
    if (use.on.empty()) untraced_.push_back(swap.path);
    uses_.push_back(std::move(use));
  }
  // "0:0" where none is configured.
  const auto resume = parse_device_number(read_attribute(root + "/sys/power/resume").value_or(""));
  if (const std::string device = resume ? graph_.device_of_number(*resume) : std::string(); !device.empty()) {
    uses_.push_back({.kind = HoldKind::hibernation, .by = device, .on = {device}, .system = true});
  }
}

void UsageMap::find_assembled() {
  for (const auto& [name, node] : graph_.nodes()) {
    if (node.disk.empty() && !node.below.empty()) {
      uses_.push_back({.kind = kind_of(node), .by = name, .detail = detail_of(node), .on = node.below});
    }
    bool cached = false;
    for (const std::string& holder : node.block.holders) {
      const auto* above = graph_.find(holder);
      cached = cached || (above && above->bus == Bus::bcache);
      if (!above) uses_.push_back({.kind = HoldKind::other, .by = holder, .on = {name}});
    }
    if (node.block.bcache && !cached) uses_.push_back({.kind = HoldKind::bcache, .on = {name}});
  }
}

void UsageMap::find_pools() {
  for (const std::string& pool : graph_.imported_pools()) {
    uses_.push_back({.kind = HoldKind::zfs, .by = pool, .on = graph_.members_of_pool(pool)});
  }
}

// Breadth first from what is used down to `name`: the shortest way, or nothing.
std::vector<std::string> UsageMap::chain_down(const Use& use, std::string_view name) const {
  std::map<std::string, std::string, std::less<>> came_from;
  std::vector<std::string> queue;
  for (const std::string& device : use.on) {
    if (came_from.emplace(device, "").second) queue.push_back(device);
  }
  for (size_t i = 0; i < queue.size() && !came_from.contains(name); ++i) {
    const auto* node = graph_.find(queue[i]);
    if (!node) continue;
    for (const std::string& below : node->below) {
      if (came_from.emplace(below, queue[i]).second) queue.push_back(below);
    }
  }
  std::vector<std::string> chain;
  auto at = came_from.find(name);
  for (; at != came_from.end() && !at->second.empty(); at = came_from.find(at->second)) chain.push_back(at->first);
  if (at != came_from.end()) chain.push_back(at->first);
  std::ranges::reverse(chain);
  return chain;
}

std::vector<Hold> UsageMap::members(std::string_view name) const {
  std::vector<Hold> holds;
  for (const auto& [own, node] : graph_.nodes()) {
    if (own != name && node.disk != name) continue;
    const Content& content = node.block.content;
    const bool several = content.type == "btrfs" && std::ranges::any_of(graph_.nodes(), [&](const auto& other) {
                           const Content& theirs = other.second.block.content;
                           return other.first != own && theirs.type == "btrfs" && theirs.uuid == content.uuid;
                         });
    if (!several && !is_member_type(content.type)) continue;
    Hold hold{.kind = HoldKind::member,
              .by = content.label.empty() ? content.uuid : content.label,
              .detail = content.type,
              .chain = {own}};
    if (own != name) hold.chain.emplace_back(name);
    holds.push_back(std::move(hold));
  }
  return holds;
}

Usage UsageMap::of(std::string_view name) const {
  Usage usage;
  const auto* node = graph_.find(name);
  if (!node) return usage;
  std::vector<std::string> held_parts;
  for (const Use& use : uses_) {
    std::vector<std::string> chain = chain_down(use, name);
    if (chain.empty() && !node->disk.empty()) {
      // The whole disk may be held, and this partition with it; or another partition of it is the system's.
      chain = chain_down(use, node->disk);
      const bool whole = chain.size() == 1 || (chain.size() > 1 && graph_.find(chain[chain.size() - 2])->disk.empty());
      if (!whole) {
        usage.shares_system_disk = usage.shares_system_disk || (use.system && !chain.empty());
        continue;
      }
      chain.emplace_back(name);
    }
    if (chain.empty()) continue;
    held_parts.insert(held_parts.end(), chain.begin(), chain.end());
    Hold hold{.kind = use.kind, .by = use.by, .detail = use.detail, .chain = std::move(chain), .system = use.system};
    usage.holds.push_back(std::move(hold));
  }
  // What stands highest is released first; a mount before the device that it is on.
  std::ranges::stable_sort(usage.holds, [](const Hold& a, const Hold& b) { return a.chain.size() > b.chain.size(); });
  usage.in_use = !usage.holds.empty();
  usage.system = std::ranges::any_of(usage.holds, &Hold::system);
  if (!system_traced()) {
    const Content& content = node->block.content;
    const bool may_be_pool = content.source == ContentSource::unknown || content.type == "zfs_member";
    usage.system = usage.system || usage.in_use || (untraced_zfs_ && may_be_pool);
  }
  for (Hold& hold : members(name)) {
    if (std::ranges::find(held_parts, hold.chain.front()) == held_parts.end()) usage.holds.push_back(std::move(hold));
  }
  return usage;
}

}  // namespace disklathe
