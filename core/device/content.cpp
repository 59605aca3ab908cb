// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/content.h"

#include <blkid/blkid.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "core/device/system_files.h"

namespace disklathe {
namespace {

using Properties = std::map<std::string, std::string, std::less<>>;

// /run/udev/data/b8:1, lines "E:KEY=value" (systemd, sd-device: the format is private but has not changed since 2012;
// a line of another shape is passed over).
Properties read_udev_record(const std::string& root, dev_t number) {
  Properties properties;
  const auto text = read_small_file(root + "/run/udev/data/b" + device_number_text(number));
  if (!text) return properties;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const size_t equals = line.find('=');
    if (!line.starts_with("E:") || equals == std::string_view::npos) continue;
    properties.emplace(line.substr(2, equals - 2), line.substr(equals + 1));
  }
  return properties;
}

std::string value_of(const Properties& properties, std::string_view key) {
  const auto found = properties.find(key);
  return found == properties.end() ? std::string() : found->second;
}

std::optional<Content> content_by_reading(const std::string& path, dev_t number) {
  // O_NONBLOCK: a drive without a medium answers at once.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  std::optional<Content> content;
  struct stat node{};
  const std::unique_ptr<blkid_struct_probe, decltype(&blkid_free_probe)> probe(blkid_new_probe(), blkid_free_probe);
  if (fstat(fd, &node) == 0 && S_ISBLK(node.st_mode) && node.st_rdev == number && probe &&
      blkid_probe_set_device(probe.get(), fd, 0, 0) == 0) {
    blkid_probe_enable_superblocks(probe.get(), 1);
    blkid_probe_set_superblocks_flags(probe.get(), BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL |
                                                       BLKID_SUBLKS_UUID | BLKID_SUBLKS_VERSION);
    blkid_probe_enable_partitions(probe.get(), 1);
    blkid_probe_set_partitions_flags(probe.get(), BLKID_PARTS_ENTRY_DETAILS);
    // 0: found; 1: nothing there; -2: several signatures that contradict each other; -1: it could not be read.
    const int found = blkid_do_safeprobe(probe.get());
    const auto text = [&](const char* key) {
      const char* value = nullptr;
      return blkid_probe_lookup_value(probe.get(), key, &value, nullptr) == 0 ? device_text(value) : std::string();
    };
    if (found != -1) {
      content = Content{.source = ContentSource::blkid,
                        .type = text("TYPE"),
                        .usage = text("USAGE"),
                        .version = text("VERSION"),
                        .label = text("LABEL"),
                        .uuid = text("UUID"),
                        .ambiguous = found == -2,
                        .table_type = text("PTTYPE"),
                        .table_uuid = text("PTUUID"),
                        .entry_name = text("PART_ENTRY_NAME"),
                        .entry_type = text("PART_ENTRY_TYPE"),
                        .entry_uuid = text("PART_ENTRY_UUID")};
    }
  }
  close(fd);
  return content;
}

}  // namespace

std::optional<Content> known_content(const std::string& root, dev_t number) {
  const Properties udev = read_udev_record(root, number);
  const auto text = [&](std::string_view key) { return device_text(value_of(udev, key)); };
  const auto encoded = [&](std::string_view key) { return device_text(unescape_hex(value_of(udev, key))); };
  Content content{.source = ContentSource::udev,
                  .type = text("ID_FS_TYPE"),
                  .usage = text("ID_FS_USAGE"),
                  .version = text("ID_FS_VERSION"),
                  .label = encoded("ID_FS_LABEL_ENC"),
                  .uuid = encoded("ID_FS_UUID_ENC"),
                  .ambiguous = udev.contains("ID_FS_AMBIVALENT"),
                  .table_type = text("ID_PART_TABLE_TYPE"),
                  .table_uuid = text("ID_PART_TABLE_UUID"),
                  .entry_name = encoded("ID_PART_ENTRY_NAME"),
                  .entry_type = text("ID_PART_ENTRY_TYPE"),
                  .entry_uuid = text("ID_PART_ENTRY_UUID")};
  if (content.label.empty()) content.label = text("ID_FS_LABEL");
  if (content.uuid.empty()) content.uuid = text("ID_FS_UUID");
  // udev's rules do not look at every kind of device: a record that says nothing proves nothing.
  const bool says = !content.type.empty() || content.ambiguous || !content.table_type.empty();
  return says ? std::optional(content) : std::nullopt;
}

Content read_content(const std::string& root, dev_t number, const std::string& node) {
  if (auto known = known_content(root, number)) return *known;
  return content_by_reading(root + node, number).value_or(Content{});
}

std::string udev_property(const std::string& root, dev_t number, std::string_view key) {
  return value_of(read_udev_record(root, number), key);
}

}  // namespace disklathe
