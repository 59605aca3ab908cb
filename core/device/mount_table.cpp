// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/mount_table.h"

#include <algorithm>
#include <optional>

#include "core/device/system_files.h"

namespace disklathe {
namespace {

// Bounds what is read: far above what a machine with thousands of containers mounts.
constexpr size_t largest_table = 64 << 20;

template <class Visit>
void for_each_part(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end != 0) visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for_each_part(line, ' ', [&](std::string_view word) { words.push_back(word); });
  return words;
}

// 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
std::optional<Mount> parse_mount(std::string_view line) {
  const auto words = words_of(line);
  const auto dash = std::ranges::find(words, "-");
  if (dash - words.begin() < 6 || words.end() - dash < 3) return std::nullopt;
  const auto number = parse_device_number(words[2]);
  if (!number) return std::nullopt;
  // A file system without a source or without options leaves the place empty or says "none".
  const bool whole = words.end() - dash >= 4;
  return Mount{.number = *number,
               .root = unescape_octal(words[3]),
               .target = unescape_octal(words[4]),
               .type = std::string(dash[1]),
               .source = unescape_octal(dash[2]),
               .options = whole ? unescape_octal(dash[3]) : std::string()};
}

void append_mounts(std::string_view table, bool of_first_process, std::vector<Mount>& mounts) {
  for_each_part(table, '\n', [&](std::string_view line) {
    auto mount = parse_mount(line);
    if (!mount) return;
    mount->of_first_process = of_first_process;
    mounts.push_back(std::move(*mount));
  });
}

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

std::vector<std::string> options_of(const Mount& mount, std::string_view key) {
  std::vector<std::string> values;
  const std::string_view options = mount.options;
  for (size_t at = 0; at < options.size();) {
    size_t end = at;
    while (end < options.size() && options[end] != ',') end += options[end] == '\\' ? 2 : 1;
    end = std::min(end, options.size());
    const std::string_view option = options.substr(at, end - at);
    const size_t equals = option.find('=');
    if (equals != std::string_view::npos) {
      const std::string_view name = option.substr(0, equals);
      if (name == key || (name.starts_with(key) && name.substr(key.size()) == "+")) {
        values.emplace_back(option.substr(equals + 1));
      }
    }
    at = end + 1;
  }
  return values;
}

std::vector<Mount> read_mounts(const std::string& root) {
  const std::string own = read_small_file(root + "/proc/self/mountinfo", largest_table).value_or("");
  const std::string first = read_small_file(root + "/proc/1/mountinfo", largest_table).value_or("");
  std::vector<Mount> mounts;
  append_mounts(own, false, mounts);
  if (first != own) append_mounts(first, true, mounts);
  return mounts;
}

std::vector<const Mount*> mounts_of_path(const std::vector<Mount>& mounts, std::string_view path, const Mount* skip) {
  std::vector<const Mount*> found;
  for (const bool of_first_process : {false, true}) {
    const Mount* best = nullptr;
    for (const Mount& mount : mounts) {
      if (&mount == skip || mount.of_first_process != of_first_process || !is_below(path, mount.target)) continue;
      if (!best || mount.target.size() >= best->target.size()) best = &mount;
    }
    if (best) found.push_back(best);
  }
  return found;
}

// Filename  Type  Size  Used  Priority; the first line is the heading.
std::vector<Swap> read_swaps(const std::string& root) {
  std::vector<Swap> swaps;
  const auto text = read_small_file(root + "/proc/swaps");
  if (!text) return swaps;
  for_each_part(*text, '\n', [&](std::string_view line) {
    std::string spaced(line);
    std::ranges::replace(spaced, '\t', ' ');
    const auto words = words_of(spaced);
    if (words.size() < 2 || !words[0].starts_with('/')) return;
    swaps.push_back({.path = unescape_octal(words[0]), .is_file = words[1] == "file"});
  });
  return swaps;
}

}  // namespace disklathe
