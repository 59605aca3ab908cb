// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/enumerate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>

#include "core/device/system_files.h"

namespace disklathe {
namespace {

constexpr uint64_t sysfs_sector = 512;  // the unit of size and start, whatever the device's own blocks are

std::string text_of(const std::string& path) { return device_text(read_attribute(path).value_or("")); }

// DEVNAME of the uevent file, which knows nodes in folders ("cciss/c0d0"), else the name with the kernel's ! as /.
std::string node_of(const std::string& folder, const std::string& name) {
  const std::string event = read_small_file(folder + "/uevent", 4096).value_or("");
  constexpr std::string_view key = "DEVNAME=";
  for (size_t at = event.find(key); at != std::string::npos; at = event.find(key, at + 1)) {
    if (at != 0 && event[at - 1] != '\n') continue;
    return "/dev/" + event.substr(at + key.size(), event.find('\n', at) - at - key.size());
  }
  std::string node = "/dev/" + name;
  std::ranges::replace(node, '!', '/');
  return node;
}

// A suspended mapping would hold up whoever reads it.
bool is_readable(const std::string& folder, const BlockNode& node) {
  return node.size != 0 && read_number(folder + "/dm/suspended").value_or(0) == 0;
}

bool read_node(const std::string& root, const std::string& folder, const std::string& name, Contents contents,
               BlockNode& node) {
  const auto number = parse_device_number(read_attribute(folder + "/dev").value_or(""));
  if (!number) return false;  // went away while we looked
  node.name = name;
  node.node = node_of(folder, name);
  node.number = *number;
  const uint64_t sectors = read_number(folder + "/size").value_or(0);
  node.size = sectors <= UINT64_MAX / sysfs_sector ? sectors * sysfs_sector : 0;
  node.read_only = read_number(folder + "/ro") == 1;
  node.slaves = list_folder(folder + "/slaves");
  node.holders = list_folder(folder + "/holders");
  node.bcache = path_exists(folder + "/bcache/state") || path_exists(folder + "/bcache/set");
  if (contents == Contents::on_record)
    node.content = known_content(root, node.number).value_or(Content{});
  else if (is_readable(folder, node))
    node.content = read_content(root, node.number, node.node);
  return true;
}

void complete(const std::string& root, BlockNode& node) {
  if (node.content.source == ContentSource::unknown && is_readable(root + "/sys/class/block/" + node.name, node))
    node.content = read_content(root, node.number, node.node);
}

void complete(const std::string& root, Disk& disk) {
  complete(root, static_cast<BlockNode&>(disk));
  for (Partition& partition : disk.partitions) complete(root, partition);
}

// What stands on it may be a member of something, and members of one thing know each other by what is written on them.
bool is_one_of_several(const BlockNode& node) {
  const Content& content = node.content;
  return !node.holders.empty() || content.source == ContentSource::unknown || content.type == "btrfs" ||
         content.type == "zfs_member";
}

std::vector<Partition> read_partitions(const std::string& root, const std::string& folder, const std::string& disk,
                                       Contents contents) {
  std::vector<Partition> partitions;
  for (const std::string& name : list_folder(folder)) {
    if (!name.starts_with(disk)) continue;  // the kernel makes their names of the disk's
    const std::string own = fmt::format("{}/{}", folder, name);
    const auto index = read_number(own + "/partition");
    Partition partition;
    if (!index || !read_node(root, own, name, contents, partition)) continue;
    partition.index = static_cast<unsigned>(*index);
    const uint64_t start = read_number(own + "/start").value_or(0);
    partition.start = start <= UINT64_MAX / sysfs_sector ? start * sysfs_sector : 0;
    partitions.push_back(std::move(partition));
  }
  return partitions;
}

// The file of a loop device, the device that a zram device writes back to; empty: none.
std::string backing_of(const std::string& folder) {
  if (auto file = read_attribute(folder + "/loop/backing_file")) return *file;
  const std::string device = read_attribute(folder + "/backing_dev").value_or("");
  return device == "none" ? std::string() : device;
}

std::optional<Disk> read_disk(const std::string& root, const std::string& name, Contents contents) {
  const std::string folder = real_path(root + "/sys/class/block/" + name);
  if (folder.empty() || path_exists(folder + "/partition")) return std::nullopt;
  if (read_number(folder + "/hidden") == 1) return std::nullopt;  // one path of a multipath NVMe disk: has no node
  Disk disk;
  if (!read_node(root, folder, name, contents, disk)) return std::nullopt;
  disk.bus = bus_of_path(root, folder);
  DeviceNames names = read_device_names(root, folder, disk.number, disk.bus);
  disk.vendor = std::move(names.vendor);
  disk.model = std::move(names.model);
  disk.serial = std::move(names.serial);
  disk.wwn = std::move(names.wwn);
  disk.diskseq = read_number(folder + "/diskseq");
  disk.removable = read_number(folder + "/removable") == 1;
  if (const auto rotates = read_number(folder + "/queue/rotational")) disk.rotational = *rotates == 1;
  disk.logical_block = read_number(folder + "/queue/logical_block_size").value_or(512);
  disk.partitions = read_partitions(root, folder, name, contents);
  if (disk.bus == Bus::loop || disk.bus == Bus::zram) disk.backing = backing_of(folder);
  if (disk.bus == Bus::device_mapper) {
    disk.dm_name = read_attribute(folder + "/dm/name").value_or("");
    disk.dm_uuid = text_of(folder + "/dm/uuid");
  }
  if (disk.bus == Bus::md) disk.md_level = text_of(folder + "/md/level");
  return disk;
}

bool has_number(const Disk& disk, dev_t number) {
  return disk.number == number || std::ranges::contains(disk.partitions, number, &Partition::number);
}

// A serial that two disks share (paths to one disk, slots of one card reader, cheap sticks) confirms nothing.
void give_ids(std::vector<Disk>& disks) {
  std::map<std::string_view, int> seen;
  for (const Disk& disk : disks) ++seen[disk.serial];
  for (Disk& disk : disks) {
    disk.id = !disk.serial.empty() && seen[disk.serial] == 1 ? disk.serial : id_by_size(disk.name, disk.size);
  }
}

}  // namespace

std::string_view name_of(Bus bus) {
  switch (bus) {
    case Bus::unknown: return "unknown";
    case Bus::ata: return "ata";
    case Bus::usb: return "usb";
    case Bus::nvme: return "nvme";
    case Bus::nvme_fabrics: return "nvme-of";
    case Bus::scsi: return "scsi";
    case Bus::sas: return "sas";
    case Bus::fibre_channel: return "fc";
    case Bus::iscsi: return "iscsi";
    case Bus::virtio: return "virtio";
    case Bus::mmc: return "mmc";
    case Bus::firewire: return "firewire";
    case Bus::xen: return "xen";
    case Bus::nvdimm: return "nvdimm";
    case Bus::loop: return "loop";
    case Bus::zram: return "zram";
    case Bus::ram: return "ram";
    case Bus::nbd: return "nbd";
    case Bus::device_mapper: return "dm";
    case Bus::md: return "md";
    case Bus::bcache: return "bcache";
    case Bus::other_virtual: return "virtual";
  }
  return "unknown";
}

bool is_virtual(Bus bus) { return bus >= Bus::loop; }

std::string id_by_size(std::string_view name, uint64_t size) { return std::string(name) + ":" + std::to_string(size); }

Result<std::vector<Disk>> enumerate_disks(const std::string& root, Contents contents) {
  const std::string folder = root + "/sys/class/block";
  if (!path_exists(folder)) return failure(os_failure(errno, "list devices of", folder));
  std::vector<Disk> disks;
  for (const std::string& name : list_folder(folder)) {
    if (auto disk = read_disk(root, name, contents)) disks.push_back(std::move(*disk));
  }
  give_ids(disks);
  return disks;
}

Result<std::vector<Disk>> disks_around(dev_t number, const std::string& root) {
  auto disks = enumerate_disks(root, Contents::on_record);
  if (!disks) return disks;
  const auto own = std::ranges::find_if(*disks, [number](const Disk& disk) { return has_number(disk, number); });
  if (own == disks->end()) return disks;
  complete(root, *own);
  if (is_one_of_several(*own) || std::ranges::any_of(own->partitions, is_one_of_several)) {
    for (Disk& disk : *disks) complete(root, disk);
  }
  return disks;
}

const Disk* disk_of_number(const std::vector<Disk>& disks, dev_t number) {
  const auto found = std::ranges::find_if(disks, [number](const Disk& disk) { return has_number(disk, number); });
  return found == disks.end() ? nullptr : &*found;
}

std::vector<BackedDisk> backed_disks(const std::string& root) {
  const std::string folder = root + "/sys/class/block/";
  std::vector<BackedDisk> backed;
  for (const std::string& name : list_folder(folder)) {
    if (std::string backing = backing_of(folder + name); !backing.empty()) {
      backed.push_back({.name = name, .node = node_of(folder + name, name), .backing = std::move(backing)});
    }
  }
  return backed;
}

}  // namespace disklathe
