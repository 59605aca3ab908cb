// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace disklathe {

// Who looked at the device's first and last blocks. `unknown`: nobody who may read it has said; that is not "empty".
// `worker`: one that had it opened by the helper; it knows tables and images, not file systems.
enum class ContentSource : uint8_t { unknown, udev, blkid, worker };

// What is written on a disk or a partition, in libblkid's words. Texts are fit to be shown (device_text).
struct Content {
  ContentSource source = ContentSource::unknown;
  std::string type;   // "ext4", "crypto_LUKS", "LVM2_member", "linux_raid_member", "zfs_member", "swap"; empty: nothing
  std::string usage;  // "filesystem", "raid", "crypto", "other"
  std::string version, label, uuid;
  bool ambiguous = false;  // signatures of several kinds: none is believed

  std::string table_type, table_uuid;  // of the partition table on it: "gpt", "dos"

  // The entry that describes this partition in its disk's table.
  std::string entry_name, entry_type, entry_uuid;
};

// What udev's database says, if that is something. Needs no rights, and nothing of the device.
std::optional<Content> known_content(const std::string& root, dev_t number);

// As known_content(), or from the device itself where reading it is allowed.
// `node` is the path of the device's node, without the root.
Content read_content(const std::string& root, dev_t number, const std::string& node);

// One property of udev's record of a block device; empty when there is none.
std::string udev_property(const std::string& root, dev_t number, std::string_view key);

}  // namespace disklathe
