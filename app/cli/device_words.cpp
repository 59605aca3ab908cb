// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/device_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace disklathe::cli {
namespace {

constexpr size_t most_holds_shown = 2;

// A word of a shell command, as it has to be typed.
std::string shell_word(const std::string& word) {
  const bool plain = std::ranges::all_of(word, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("/_.,:=@%+-").contains(c);
  });
  if (plain && !word.empty()) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string member_of(const Hold& hold) {
  const std::string whose = hold.by.empty() ? std::string() : fmt::format(" '{}'", hold.by);
  if (hold.detail == "LVM2_member") return "an LVM physical volume, not active";
  if (hold.detail == "linux_raid_member") return fmt::format("part of the RAID{}, not started", whose);
  if (hold.detail == "zfs_member") return fmt::format("part of the ZFS pool{}, not imported", whose);
  if (hold.detail == "btrfs") return fmt::format("part of a btrfs on several devices{}", whose);
  return fmt::format("part of {}{}, not active", hold.detail, whose);
}

void add_flags(const BlockNode& node, std::vector<std::string>& words) {
  if (node.read_only) words.emplace_back("read-only");
}

// What holds the device itself; what holds a part of it is told on the part's line.
void add_own_holds(const Usage& usage, std::vector<std::string>& words) {
  size_t shown = 0, more = 0;
  for (const Hold& hold : usage.holds) {
    if (hold.chain.size() != 1) continue;
    if (shown++ < most_holds_shown)
      words.push_back(words_of(hold));
    else
      ++more;
  }
  if (more) words.push_back(fmt::format("and {} more", more));
}

}  // namespace

std::string words_of(const Hold& hold) {
  switch (hold.kind) {
    case HoldKind::mount: return fmt::format("mounted on {}", hold.by);
    case HoldKind::swap: return "used as swap";
    case HoldKind::hibernation: return "where this system hibernates to";
    case HoldKind::crypt: return fmt::format("opened as the LUKS mapping {} ({})", hold.detail, hold.by);
    case HoldKind::lvm: return fmt::format("under the LVM volume {} ({})", hold.detail, hold.by);
    case HoldKind::multipath: return fmt::format("a path of the multipath map {} ({})", hold.detail, hold.by);
    case HoldKind::device_mapper: return fmt::format("under the device mapping {} ({})", hold.detail, hold.by);
    case HoldKind::md: return fmt::format("part of the RAID {} ({})", hold.by, hold.detail);
    case HoldKind::bcache: return hold.by.empty() ? "registered with bcache" : fmt::format("part of {}", hold.by);
    case HoldKind::loop: return fmt::format("under the loop device {}", hold.by);
    case HoldKind::zram: return fmt::format("written back to by {}", hold.by);
    case HoldKind::zfs: return fmt::format("part of the ZFS pool {}", hold.by);
    case HoldKind::other: return fmt::format("held by {}", hold.by);
    case HoldKind::member: return member_of(hold);
  }
  return {};
}

std::string release_command(const Hold& hold) {
  switch (hold.kind) {
    case HoldKind::mount: return "umount " + shell_word(hold.by);
    case HoldKind::swap: return "swapoff " + shell_word(hold.by);
    case HoldKind::crypt: return "cryptsetup close " + shell_word(hold.detail);
    case HoldKind::lvm: return "lvchange -an " + shell_word("/dev/mapper/" + hold.detail);
    case HoldKind::multipath: return "multipath -f " + shell_word(hold.detail);
    case HoldKind::device_mapper: return "dmsetup remove " + shell_word(hold.detail);
    case HoldKind::md: return "mdadm --stop " + shell_word("/dev/" + hold.by);
    case HoldKind::bcache:
      return fmt::format("echo 1 > /sys/class/block/{}/bcache/stop", hold.by.empty() ? hold.chain.front() : hold.by);
    case HoldKind::loop: return "losetup -d " + shell_word("/dev/" + hold.by);
    case HoldKind::zram: return fmt::format("echo 1 > /sys/class/block/{}/reset", hold.by);
    case HoldKind::zfs: return "zpool export " + shell_word(hold.by);
    case HoldKind::hibernation:
    case HoldKind::other:
    case HoldKind::member: return {};
  }
  return {};
}

std::string release_commands(const Usage& usage) {
  std::vector<std::string> commands;
  for (const Hold& hold : usage.holds) {
    if (hold.kind == HoldKind::member) continue;
    std::string command = hold.system ? std::string() : release_command(hold);
    if (command.empty()) return {};
    if (std::ranges::find(commands, command) == commands.end()) commands.push_back(std::move(command));
  }
  return fmt::format("{}", fmt::join(commands, " && "));
}

std::string words_of(const Content& content) {
  if (content.source == ContentSource::unknown) return "content unknown";
  if (content.ambiguous) return "signatures of several kinds";
  std::string words = content.type;
  if (!content.label.empty()) words += fmt::format(" '{}'", content.label);
  if (!content.table_type.empty()) words += (words.empty() ? "" : ", ") + content.table_type;
  return words.empty() ? "nothing known on it" : words;
}

std::string words_of(const Disk& disk) {
  std::vector<std::string> words;
  std::string name = disk.vendor;
  if (!disk.model.empty()) name += (name.empty() ? "" : " ") + disk.model;
  if (!name.empty()) words.push_back(std::move(name));
  if (!disk.md_level.empty()) words.push_back(disk.md_level);
  if (!disk.backing.empty()) words.push_back(disk.backing);
  if (disk.size != 0) words.push_back(words_of(disk.content));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string state_words(const BlockNode& node, const Usage& usage) {
  std::vector<std::string> words;
  if (usage.system) words.emplace_back("system");
  add_own_holds(usage, words);
  add_flags(node, words);
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string state_words(const Disk& disk, const Usage& usage) {
  std::vector<std::string> words;
  if (disk.size == 0) words.emplace_back(is_virtual(disk.bus) ? "not set up" : "no medium");
  const bool by_parts = std::ranges::none_of(usage.holds, [](const Hold& hold) { return hold.chain.size() == 1; });
  if (usage.system)
    words.emplace_back("system");
  else if (usage.in_use && by_parts)
    words.emplace_back("in use");
  add_own_holds(usage, words);
  add_flags(disk, words);
  if (disk.removable) words.emplace_back("removable");
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string gigabytes(uint64_t bytes) {
  const double value = static_cast<double>(bytes) / 1e9;
  return value >= 100 ? fmt::format("{:.0f} GB", value) : fmt::format("{:.3g} GB", value);
}

}  // namespace disklathe::cli
