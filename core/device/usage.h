// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/device/enumerate.h"
#include "core/device/storage_graph.h"

namespace disklathe {

// What holds a device; from it follows how to release it.
enum class HoldKind : uint8_t {
  mount,          // by: where. detail: file system. Released by unmounting
  swap,           // by: the swap device or file. Released by swapoff
  hibernation,    // the image of a suspended system is or will be written there. Not released while it is configured
  crypt,          // by: "dm-0", detail: the mapping's name. Released by closing it (cryptsetup close)
  lvm,            // by: "dm-1", detail: "vg-lv". Released by deactivating the volume (lvchange -an)
  multipath,      // by: "dm-2", detail: the map's name. Released by flushing the map (multipath -f)
  device_mapper,  // by: "dm-3", detail: the mapping's name. Released by removing it (dmsetup remove)
  md,             // by: "md127", detail: level. Released by stopping it (mdadm --stop)
  bcache,         // by: "bcache0" or nothing. Released by stopping it through sysfs
  loop,           // by: "loop0", detail: the file on it (not for showing as it is). Released by losetup -d
  zram,           // by: "zram0", which writes back to it. Released by resetting it
  zfs,            // by: the pool. Released by exporting it (zpool export)
  other,          // by: the kernel name of a holder of no kind known here
  member,         // not active. detail: the type of a member signature; by: the label or UUID of what it belongs to
};
std::string_view name_of(HoldKind kind);

struct Hold {
  HoldKind kind = HoldKind::other;
  std::string by, detail;
  // From what is held directly down to the device asked about: {"dm-1", "dm-0", "sda2", "sda"}.
  std::vector<std::string> chain;
  bool system = false;  // the running system needs it
};

struct Usage {
  // The running system stands on it: /, /boot, /usr, /var, /home, swap, hibernation, or what those stand on. Or it
  // cannot be told what the system stands on, and something holds this device.
  bool system = false;
  // It is a partition, and the system stands on another part of its disk.
  bool shares_system_disk = false;
  bool in_use = false;      // something holds it now
  std::vector<Hold> holds;  // in the order in which they can be released; the members that are not active last
};

// Who uses what on this machine, at one moment.
class UsageMap {
 public:
  explicit UsageMap(const std::vector<Disk>& disks, const std::string& root = {});

  // Of a disk: also what holds its partitions. Of a partition: also what holds its whole disk. Nothing holds a device
  // that the disks did not list.
  Usage of(std::string_view name) const;

  const StorageGraph& graph() const { return graph_; }

  // False: what the running system stands on cannot be told (an overlay whose layers are out of sight, a ZFS pool whose
  // members may not be read), so everything in use counts as the system's.
  bool system_traced() const { return untraced_.empty(); }
  const std::vector<std::string>& untraced() const { return untraced_; }  // the mount points that led nowhere

 private:
  struct Use {
    HoldKind kind;
    std::string by, detail;
    std::vector<std::string> on;
    bool system = false;
  };
  void find_mounts();
  void find_swaps(const std::string& root);
  void find_assembled();
  void find_pools();
  std::vector<std::string> chain_down(const Use& use, std::string_view name) const;
  std::vector<Hold> members(std::string_view name) const;

  StorageGraph graph_;
  std::vector<Use> uses_;
  std::vector<std::string> untraced_;
  bool untraced_zfs_ = false;
};

}  // namespace disklathe
