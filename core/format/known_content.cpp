// SPDX-License-Identifier: GPL-3.0-or-later
//
// Places and values from the file systems' own documentation: ext4 (kernel, filesystems/ext4/super.rst), XFS (xfs_sb in
// its on-disk format), Btrfs (on-disk format), FAT (Microsoft, 1.03), NTFS and exFAT (their boot sectors), swap and
// ISO 9660 (ECMA-119, 8.4).
#include "core/format/known_content.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/base/endian.h"

namespace disklathe {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view type;
  size_t at;
  std::string_view magic;
  size_t label_at, label_length;  // 0: none at a fixed place
};

// The first that fits: those that a boot sector can be mistaken for come last.
constexpr Signature signatures[] = {
    {"crypto_LUKS", 0, "LUKS\xba\xbe"sv, 0, 0},
    {"xfs", 0, "XFSB"sv, 108, 12},
    {"squashfs", 0, "hsqs"sv, 0, 0},
    {"erofs", 1024, "\xe2\xe1\xf5\xe0"sv, 0, 0},
    {"btrfs", 0x10040, "_BHRfS_M"sv, 0x1012b, 256},
    {"swap", 4086, "SWAPSPACE2"sv, 1052, 16},
    {"LVM2_member", 536, "LVM2 001"sv, 0, 0},
    {"iso9660", 32769, "CD001"sv, 32808, 32},
    {"ntfs", 3, "NTFS    "sv, 0, 0},
    {"exfat", 3, "EXFAT   "sv, 0, 0},
    {"vfat", 82, "FAT32   "sv, 71, 11},
    {"vfat", 54, "FAT16   "sv, 43, 11},
    {"vfat", 54, "FAT12   "sv, 43, 11},
};

constexpr size_t ext_magic_at = 1080, ext_label_at = 1144, ext_label_length = 16;
constexpr size_t ext_compatible_at = 1116, ext_incompatible_at = 1120;
constexpr uint16_t ext_magic = 0xef53;
constexpr uint32_t has_journal = 0x4, uses_extents = 0x40;

std::string_view text_at(Bytes head, size_t at, size_t length) {
  if (head.size() < at + length) return {};
  return {reinterpret_cast<const char*>(head.data()) + at, length};
}

std::string label_at(Bytes head, size_t at, size_t length) {
  std::string_view text = text_at(head, at, length);
  text = text.substr(0, text.find('\0'));
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text == "NO NAME" ? std::string() : std::string(text);
}

}  // namespace

KnownContent known_content(Bytes head) {
  if (head.size() >= ext_label_at + ext_label_length && load_le<uint16_t>(head, ext_magic_at) == ext_magic) {
    const bool journal = load_le<uint32_t>(head, ext_compatible_at) & has_journal;
    const bool extents = load_le<uint32_t>(head, ext_incompatible_at) & uses_extents;
    return {extents ? "ext4" : journal ? "ext3" : "ext2", label_at(head, ext_label_at, ext_label_length)};
  }
  for (const Signature& known : signatures)
    if (text_at(head, known.at, known.magic.size()) == known.magic)
      return {std::string(known.type), label_at(head, known.label_at, known.label_length)};
  return {};
}

}  // namespace disklathe
