// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temp_dir.h"

namespace disklathe::test {

// The parts of /sys, /proc and /run/udev that tell what disks a machine has, under a root of its own.
class FakeMachine {
 public:
  FakeMachine();
  const std::string& root() const { return folder_.path(); }

  // A disk at a place below /sys/devices ("virtual/block" for the kernel's own). Number as "8:0".
  void disk(const std::string& name, const std::string& number, const std::string& place = sata,
            uint64_t bytes = uint64_t{1} << 30);
  void partition(const std::string& disk, const std::string& name, const std::string& number, uint64_t start = 1 << 20,
                 uint64_t bytes = 1 << 28);
  void attribute(const std::string& name, const std::string& attribute, std::string_view value);
  // `upper` is made of `lowers`: its slaves, they with it as holder.
  void stack(const std::string& upper, const std::vector<std::string>& lowers);
  // A mapping on top of lowers; the UUID's start names the kind.
  void mapping(const std::string& name, const std::string& number, const std::string& dm_name, const std::string& uuid,
               const std::vector<std::string>& lowers);
  void loop(const std::string& name, const std::string& number, const std::string& backing_file);
  // Lines "KEY=value" of udev's record.
  void udev(const std::string& name, const std::vector<std::string>& properties);
  void content(const std::string& name, const std::string& type, const std::string& label = {});

  void mount(const std::string& number, const std::string& target, const std::string& type, const std::string& source,
             const std::string& options = "rw");
  void mount_of_first_process(const std::string& number, const std::string& target, const std::string& type,
                              const std::string& source);
  void swap(const std::string& path, const std::string& type = "partition");
  void btrfs(const std::string& uuid, const std::vector<std::string>& members);
  void write(const std::string& path, std::string_view content);

  static inline const std::string sata = "pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block";
  static inline const std::string usb = "pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/host6/target6:0:0/6:0:0:0/block";
  static inline const std::string nvme = "pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0";
  static inline const std::string mmc = "platform/emmc/mmc_host/mmc0/mmc0:0001/block";
  static inline const std::string virtio = "pci0000:00/0000:00:02.0/virtio1/block";
  static inline const std::string kernel = "virtual/block";

 private:
  void node(const std::string& name, const std::string& number, const std::string& folder, uint64_t bytes);

  TempDir folder_{TempDir::Where::memory};
  std::map<std::string, std::string> folders_, numbers_;
  std::string mounts_, first_mounts_, swaps_;
};

}  // namespace disklathe::test
