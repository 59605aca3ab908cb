// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iterator>

#include "app/cli/info.h"
#include "app/cli/sentences.h"
#include "app/cli/size_text.h"

namespace disklathe::cli {
namespace {

using nlohmann::ordered_json;

constexpr uint64_t nanoseconds = 1'000'000'000;

ordered_json json_of(const std::vector<Property>& properties);

struct PropertyToJson {
  ordered_json operator()(bool value) const { return value; }
  ordered_json operator()(uint64_t value) const { return value; }
  ordered_json operator()(const std::string& value) const { return value; }
  ordered_json operator()(const std::vector<Property>& value) const { return json_of(value); }
};

// As Property says: without keys a list, with keys an object.
ordered_json json_of(const std::vector<Property>& properties) {
  const bool list = properties.empty() || properties[0].key.empty();
  ordered_json out = list ? ordered_json::array() : ordered_json::object();
  for (const Property& property : properties) {
    ordered_json value = std::visit(PropertyToJson{}, property.value);
    if (list)
      out.push_back(std::move(value));
    else
      out[property.key] = std::move(value);
  }
  return out;
}

ordered_json json_of(const Snapshot& snapshot) {
  ordered_json out;
  if (snapshot.icount) out["icount"] = *snapshot.icount;
  out["vm-clock-nsec"] = snapshot.vm_clock_nanoseconds % nanoseconds;
  out["name"] = snapshot.name;
  out["date-sec"] = snapshot.date_seconds;
  out["date-nsec"] = snapshot.date_nanoseconds;
  out["vm-clock-sec"] = snapshot.vm_clock_nanoseconds / nanoseconds;
  out["id"] = snapshot.id;
  out["vm-state-size"] = snapshot.vm_state_size;
  return out;
}

using Output = std::back_insert_iterator<std::string>;

void write_properties(Output out, const std::vector<Property>& properties, int indent);

struct PropertyToText {
  Output out;
  int indent;
  void operator()(bool value) const { fmt::format_to(out, " {}\n", value); }
  void operator()(uint64_t value) const { fmt::format_to(out, " {}\n", value); }
  void operator()(const std::string& value) const { fmt::format_to(out, " {}\n", printable(value)); }
  void operator()(const std::vector<Property>& value) const {
    fmt::format_to(out, "\n");
    write_properties(out, value, indent + 4);
  }
};

void write_properties(Output out, const std::vector<Property>& properties, int indent) {
  size_t index = 0;
  for (const Property& property : properties) {
    std::string key = property.key.empty() ? fmt::format("[{}]", index++) : property.key;
    std::ranges::replace(key, '-', ' ');
    fmt::format_to(out, "{:{}}{}:", "", indent, key);
    std::visit(PropertyToText{out, indent}, property.value);
  }
}

void write_snapshots(Output out, const std::vector<Snapshot>& snapshots) {
  fmt::format_to(out, "Snapshot list:\n{:<7} {:<16} {:>8} {:>19} {:>15} {:>10}\n", "ID", "TAG", "VM_SIZE", "DATE",
                 "VM_CLOCK", "ICOUNT");
  for (const Snapshot& snapshot : snapshots) {
    char date[32] = "";
    const auto seconds = static_cast<std::time_t>(snapshot.date_seconds);
    std::tm local{};
    if (localtime_r(&seconds, &local)) std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local);
    const uint64_t clock = snapshot.vm_clock_nanoseconds / nanoseconds;
    const std::string clock_text = fmt::format("{:04}:{:02}:{:02}.{:03}", clock / 3600, clock / 60 % 60, clock % 60,
                                               snapshot.vm_clock_nanoseconds % nanoseconds / 1'000'000);
    fmt::format_to(out, "{:<7} {:<16} {:>8} {:>19} {:>15} {:>10}\n", printable(snapshot.id), printable(snapshot.name),
                   human_size(snapshot.vm_state_size), date, clock_text,
                   snapshot.icount ? fmt::to_string(*snapshot.icount) : "");
  }
}

std::string_view protocol_of(const ImageFile& file) { return file.block_device ? "host_device" : "file"; }

// A child node, as qemu-img shows it.
ordered_json child(std::string_view name, const ImageFile& file) {
  ordered_json info;
  info["children"] = ordered_json::array();
  info["virtual-size"] = file.size;
  info["filename"] = file.path;
  info["format"] = protocol_of(file);
  info["actual-size"] = file.allocated.value_or(0);
  info["format-specific"] = {{"type", "file"}, {"data", ordered_json::object()}};
  info["dirty-flag"] = false;
  return {{"name", name}, {"info", std::move(info)}};
}

void write_child(Output out, std::string_view name, const ImageFile& file) {
  fmt::format_to(out, "Child node '/{}':\n    filename: {}\n    protocol type: {}\n    file length: {}\n", name,
                 printable(file.path), protocol_of(file), exact_size(file.size));
  fmt::format_to(out, "    disk size: {}\n", file.allocated ? human_size(*file.allocated) : "unavailable");
}

// Of all its files.
std::optional<uint64_t> allocated_by(const ImageInfo& info) {
  std::optional<uint64_t> total = info.file.allocated;
  for (const ImageFile& extent : info.extents) {
    if (total) *total += extent.allocated.value_or(0);
  }
  return total;
}

}  // namespace

ordered_json json_of(const ImageInfo& info) {
  const ImageFacts& facts = *info.facts;
  ordered_json out;
  out["children"] = ordered_json::array();
  for (size_t i = 0; i < info.extents.size(); ++i) {
    out["children"].push_back(child(fmt::format("extents.{}", i), info.extents[i]));
  }
  out["children"].push_back(child("file", info.file));
  if (info.backing && !info.backing->format.empty()) out["backing-filename-format"] = info.backing->format;
  if (!facts.snapshots.empty()) {
    for (const Snapshot& snapshot : facts.snapshots) out["snapshots"].push_back(json_of(snapshot));
  }
  out["virtual-size"] = info.virtual_size;
  out["filename"] = info.file.path;
  if (facts.cluster_size) out["cluster-size"] = *facts.cluster_size;
  if (facts.encrypted.value_or(false)) out["encrypted"] = true;
  out["format"] = info.format;
  out["actual-size"] = allocated_by(info).value_or(0);
  if (!facts.specific.empty()) out["format-specific"] = {{"type", info.format}, {"data", json_of(facts.specific)}};
  if (info.backing) {
    out["full-backing-filename"] = info.backing_path;
    out["backing-filename"] = info.backing->name;
  }
  out["dirty-flag"] = facts.dirty.value_or(false);
  return out;
}

std::string text_of(const ImageInfo& info) {
  std::string text;
  const Output out(text);
  const ImageFacts& facts = *info.facts;
  fmt::format_to(out, "image: {}\nfile format: {}\nvirtual size: {}\n", printable(info.file.path), info.format,
                 exact_size(info.virtual_size));
  const auto allocated = allocated_by(info);
  fmt::format_to(out, "disk size: {}\n", allocated ? human_size(*allocated) : "unavailable");
  if (facts.encrypted.value_or(false)) fmt::format_to(out, "encrypted: yes\n");
  if (facts.cluster_size) fmt::format_to(out, "cluster_size: {}\n", *facts.cluster_size);
  if (facts.dirty.value_or(false)) fmt::format_to(out, "cleanly shut down: no\n");
  if (info.backing) {
    fmt::format_to(out, "backing file: {}", printable(info.backing->name));
    if (info.backing_path != info.backing->name)
      fmt::format_to(out, " (actual path: {})", printable(info.backing_path));
    fmt::format_to(out, "\n");
    if (!info.backing->format.empty())
      fmt::format_to(out, "backing file format: {}\n", printable(info.backing->format));
  }
  if (!facts.snapshots.empty()) write_snapshots(out, facts.snapshots);
  if (!facts.specific.empty()) {
    fmt::format_to(out, "Format specific information:\n");
    write_properties(out, facts.specific, 4);
  }
  for (size_t i = 0; i < info.extents.size(); ++i) write_child(out, fmt::format("extents.{}", i), info.extents[i]);
  write_child(out, "file", info.file);
  return text;
}

ordered_json json_of(const StreamInfo& info) {
  ordered_json out;
  if (info.virtual_size) out["virtual-size"] = *info.virtual_size;
  out["filename"] = info.path;
  out["compressed"] = info.format != "raw";
  out["format"] = info.format;
  if (info.file_size) out["file-size"] = *info.file_size;
  if (info.allocated) out["actual-size"] = *info.allocated;
  if (!info.content.empty()) out["content"] = info.content;
  return out;
}

std::string text_of(const StreamInfo& info) {
  std::string text;
  const Output out(text);
  fmt::format_to(out, "image: {}\nfile format: {} ({})\n", printable(info.path), info.format, info.description);
  fmt::format_to(out, "virtual size: {}\n",
                 info.virtual_size ? exact_size(*info.virtual_size) : "not known before all of it is decoded");
  if (info.file_size) fmt::format_to(out, "file length: {}\n", exact_size(*info.file_size));
  if (info.allocated) fmt::format_to(out, "disk size: {}\n", human_size(*info.allocated));
  fmt::format_to(out, "holds: {}\n",
                 info.content.empty() ? "a raw disk, as far as its first bytes tell" : info.content);
  return text;
}

}  // namespace disklathe::cli
