// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/device_words.h"
#include "app/cli/devices.h"
#include "core/device/system_files.h"

namespace disklathe::cli {
namespace {

using nlohmann::ordered_json;

// What a device does not have is left out.
void put(ordered_json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

ordered_json content_json(const Content& content) {
  if (content.source == ContentSource::unknown) return nullptr;
  ordered_json object;
  object["source"] = content.source == ContentSource::udev    ? "udev"
                     : content.source == ContentSource::blkid ? "blkid"
                                                              : "worker";
  if (content.ambiguous) object["ambiguous"] = true;
  put(object, "type", content.type);
  put(object, "usage", content.usage);
  put(object, "version", content.version);
  put(object, "label", content.label);
  put(object, "uuid", content.uuid);
  put(object, "table", content.table_type);
  put(object, "table-uuid", content.table_uuid);
  put(object, "partition-name", content.entry_name);
  put(object, "partition-type", content.entry_type);
  put(object, "partition-uuid", content.entry_uuid);
  return object;
}

ordered_json node_json(const BlockNode& node, std::string_view id) {
  ordered_json object;
  object["name"] = node.name;
  object["node"] = node.node;
  object["id"] = id;
  object["number"] = device_number_text(node.number);
  object["size"] = node.size;
  object["read-only"] = node.read_only;
  return object;
}

void put_rest(ordered_json& object, const BlockNode& node, const Usage& usage) {
  object["content"] = content_json(node.content);
  if (!node.slaves.empty()) object["made-of"] = node.slaves;
  if (!node.holders.empty()) object["holders"] = node.holders;
  object["usage"] = json_of(usage);
}

ordered_json partition_json(const Partition& partition, const UsageMap& usage) {
  ordered_json object = node_json(partition, id_by_size(partition.name, partition.size));
  object["index"] = partition.index;
  object["start"] = partition.start;
  put_rest(object, partition, usage.of(partition.name));
  return object;
}

}  // namespace

ordered_json json_of(const Usage& usage) {
  ordered_json object;
  object["system"] = usage.system;
  object["in-use"] = usage.in_use;
  if (usage.shares_system_disk) object["shares-system-disk"] = true;
  object["holds"] = ordered_json::array();
  for (const Hold& hold : usage.holds) {
    ordered_json entry;
    entry["kind"] = name_of(hold.kind);
    put(entry, "by", hold.by);
    put(entry, "detail", hold.detail);
    entry["chain"] = hold.chain;
    entry["system"] = hold.system;
    entry["active"] = hold.kind != HoldKind::member;
    put(entry, "release", release_command(hold));
    object["holds"].push_back(std::move(entry));
  }
  return object;
}

ordered_json json_of(const Disk& disk, const UsageMap& usage) {
  ordered_json object = node_json(disk, disk.id);
  object["bus"] = name_of(disk.bus);
  put(object, "vendor", disk.vendor);
  put(object, "model", disk.model);
  put(object, "serial", disk.serial);
  put(object, "wwn", disk.wwn);
  if (disk.diskseq) object["diskseq"] = *disk.diskseq;
  object["removable"] = disk.removable;
  if (disk.rotational) object["rotational"] = *disk.rotational;
  object["logical-block"] = disk.logical_block;
  put(object, "backing", disk.backing);
  put(object, "dm-name", disk.dm_name);
  put(object, "dm-uuid", disk.dm_uuid);
  put(object, "md-level", disk.md_level);
  put_rest(object, disk, usage.of(disk.name));
  object["partitions"] = ordered_json::array();
  for (const Partition& partition : disk.partitions) object["partitions"].push_back(partition_json(partition, usage));
  return object;
}

}  // namespace disklathe::cli
