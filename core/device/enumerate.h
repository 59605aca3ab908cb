// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/device/content.h"

namespace disklathe {

// How a disk is attached, read off its place in sysfs. `unknown` when sysfs does not show it.
// clang-format off
enum class Bus : uint8_t {
  unknown, ata, usb, nvme, nvme_fabrics, scsi, sas, fibre_channel, iscsi, virtio, mmc, firewire, xen, nvdimm,  // hardware
  loop, zram, ram, nbd, device_mapper, md, bcache, other_virtual                                               // kernel-made
};
// clang-format on
std::string_view name_of(Bus bus);
bool is_virtual(Bus bus);

// A disk or a partition as the kernel knows it. Texts that come from the device are fit to be shown (device_text).
struct BlockNode {
  std::string name;  // the kernel's: "sda1"
  std::string node;  // "/dev/sda1"
  dev_t number = 0;
  uint64_t size = 0;  // bytes; 0: no medium, or not set up
  bool read_only = false;
  Content content;
  std::vector<std::string> slaves;   // kernel names of the devices it is made of (dm, md, bcache, multipath)
  std::vector<std::string> holders;  // kernel names of the devices made of it
  bool bcache = false;               // registered with bcache, as cache or as what is cached
};

struct Partition : BlockNode {
  unsigned index = 0;
  uint64_t start = 0;  // bytes from the start of its disk
};

struct Disk : BlockNode {
  Bus bus = Bus::unknown;
  std::string vendor, model, serial, wwn;
  // What a person types to confirm: the serial where it has one that no other disk shares, else "NAME:BYTES".
  std::string id;
  std::optional<uint64_t> diskseq;  // another number for each medium that was ever attached (since Linux 5.15)
  bool removable = false;           // the medium can be taken out
  std::optional<bool> rotational;
  uint64_t logical_block = 512;
  std::vector<Partition> partitions;

  std::string backing;  // loop: the file behind it; zram: the device it writes back to. A path, not for showing
  std::string dm_name, dm_uuid;  // device mapper; the start of the UUID names its maker: "LVM-", "CRYPT-", "mpath-"
  std::string md_level;          // "raid1"
};

// Whose content is found out: of all that may be read, or only what udev has on record. A disk that sleeps wakes up
// when it is read.
enum class Contents : uint8_t { of_all, on_record };

// All disks with their partitions, in the order a person counts. `root` is put in front of /sys, /run and /dev.
// Errors: /sys/class/block cannot be read.
Result<std::vector<Disk>> enumerate_disks(const std::string& root = {}, Contents contents = Contents::of_all);

// All disks, for who asks about one device (a disk's number or a partition's). Of the other disks only what is on
// record, unless the one's own content or holders may have to do with what is written on them.
Result<std::vector<Disk>> disks_around(dev_t number, const std::string& root = {});

// The disk that has this number, or a partition with it; null: none.
const Disk* disk_of_number(const std::vector<Disk>& disks, dev_t number);

struct BackedDisk {
  std::string name, node;  // "loop0", "/dev/loop0"
  std::string backing;     // the file or device that its bytes are kept in
};

// The loop and zram devices that stand on something else: all that is read of them, so that a file can be asked about
// on every conversion.
std::vector<BackedDisk> backed_disks(const std::string& root = {});

// "NAME:BYTES", the ID of what has no serial.
std::string id_by_size(std::string_view name, uint64_t size);

// The serial number and the world wide name of the disk whose folder in sysfs, all links followed, is `folder`.
struct DeviceNames {
  std::string vendor, model, serial, wwn;
};
DeviceNames read_device_names(const std::string& root, const std::string& folder, dev_t number, Bus bus);
Bus bus_of_path(const std::string& root, const std::string& sysfs_path);

}  // namespace disklathe
