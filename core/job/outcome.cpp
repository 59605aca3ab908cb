// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/outcome.h"

#include <array>

#include "core/job/describe.h"

namespace disklathe::job {
namespace {

constexpr size_t most_layers = 256, most_snapshots = 1024, most_properties = 64, most_references = 16;
constexpr size_t most_warnings = 32, most_word = 256;

constexpr std::array<std::pair<std::string_view, Reference::Kind>, 3> reference_kinds{
    {{"backing", Reference::Kind::backing},
     {"data-file", Reference::Kind::data_file},
     {"extent", Reference::Kind::extent}}};
constexpr std::array<std::pair<std::string_view, PartitionTable::Kind>, 3> table_kinds{
    {{"none", PartitionTable::Kind::none}, {"mbr", PartitionTable::Kind::mbr}, {"gpt", PartitionTable::Kind::gpt}}};
constexpr std::array<std::pair<std::string_view, Identified::Protocol>, 3> protocols{
    {{"scsi", Identified::Protocol::scsi}, {"ata", Identified::Protocol::ata}, {"nvme", Identified::Protocol::nvme}}};
constexpr std::array<std::pair<std::string_view, Extent::Kind>, 5> extent_kinds{
    {{"zero", Extent::Kind::zero},
     {"hole", Extent::Kind::hole},
     {"data", Extent::Kind::data},
     {"compressed", Extent::Kind::compressed},
     {"encrypted", Extent::Kind::encrypted}}};
constexpr std::array<std::pair<std::string_view, Note::Kind>, 5> note_kinds{
    {{"format-probed", Note::Kind::format_probed},
     {"image-warning", Note::Kind::image_warning},
     {"trailing-garbage", Note::Kind::trailing_garbage},
     {"target-mixed", Note::Kind::target_mixed},
     {"serving", Note::Kind::serving}}};

template <size_t... I>
void make_alternative(Outcome& outcome, size_t index, std::index_sequence<I...>) {
  (void)((I == index ? (outcome.emplace<I>(), true) : false) || ...);
}

}  // namespace

// Static, not in the nameless namespace: Archive has to find them.
static void describe(Archive& archive, Snapshot& snapshot) {
  archive.text("id", snapshot.id, most_word);
  archive.text("name", snapshot.name, most_word);
  archive.number("disk_size", snapshot.disk_size, 0, UINT64_MAX);
  archive.number("vm_state_size", snapshot.vm_state_size, 0, UINT64_MAX);
  archive.number("date_seconds", snapshot.date_seconds, 0, UINT64_MAX);
  archive.number("date_nanoseconds", snapshot.date_nanoseconds, 0, UINT64_MAX);
  archive.number("vm_clock_nanoseconds", snapshot.vm_clock_nanoseconds, 0, UINT64_MAX);
  archive.number("icount", snapshot.icount, 0, UINT64_MAX);
}

static void describe(Archive& archive, Property& property) {
  archive.text("key", property.key, most_word);
  bool flag = false;
  uint64_t number = 0;
  std::string text;
  std::vector<Property> members;
  const size_t which = property.value.index();
  if (archive.reading() ? archive.has("flag") : which == 0) {
    if (!archive.reading()) flag = std::get<0>(property.value);
    archive.flag("flag", flag);
    property.value = flag;
  } else if (archive.reading() ? archive.has("number") : which == 1) {
    if (!archive.reading()) number = std::get<1>(property.value);
    archive.number("number", number, 0, UINT64_MAX);
    property.value = number;
  } else if (archive.reading() ? archive.has("text") : which == 2) {
    if (!archive.reading()) text = std::get<2>(property.value);
    archive.text("text", text, most_text);
    property.value = text;
  } else {
    if (!archive.reading()) members = std::get<3>(property.value);
    archive.list("members", members, most_properties);
    property.value = members;
  }
}

static void describe(Archive& archive, ImageFacts& facts) {
  archive.number("cluster_size", facts.cluster_size, 0, UINT64_MAX);
  archive.flag("encrypted", facts.encrypted);
  archive.flag("compressed", facts.compressed);
  archive.flag("dirty", facts.dirty);
  archive.flag("corrupt", facts.corrupt);
  archive.list("snapshots", facts.snapshots, most_snapshots);
  archive.list("specific", facts.specific, most_properties);
  archive.texts("warnings", facts.warnings, most_warnings);
  archive.text("identity", facts.identity, most_word);
}

static void describe(Archive& archive, LayerFacts& layer) {
  archive.text("name", layer.name, most_text);
  archive.text("format", layer.format, most_word);
  archive.flag("probed", layer.probed);
  archive.number("virtual_size", layer.virtual_size, 0, UINT64_MAX);
  archive.number("file_size", layer.file_size, 0, UINT64_MAX);
  archive.number("allocated", layer.allocated, 0, UINT64_MAX);
  archive.flag("block_device", layer.block_device);
  archive.object("facts", layer.facts);
  archive.list("references", layer.references, most_references);
}

static void describe(Archive& archive, StreamFacts& stream) {
  archive.text("format", stream.format, most_word);
  archive.text("description", stream.description, most_word);
  archive.number("virtual_size", stream.virtual_size, 0, UINT64_MAX);
  archive.number("file_size", stream.file_size, 0, UINT64_MAX);
  archive.number("allocated", stream.allocated, 0, UINT64_MAX);
  archive.text("content", stream.content, most_word);
}

static void describe(Archive& archive, PartitionTable& table) {
  archive.choice("kind", table.kind, table_kinds);
  archive.number("sector_size", table.sector_size, 0, UINT32_MAX);
  archive.number("backup_at", table.backup_at, 0, INT64_MAX);
}

static void describe(Archive& archive, DiskPart& part) {
  archive.number("number", part.entry.number, 0, most_partitions);
  archive.object("range", part.entry.range);
  archive.text("type", part.entry.type, most_word);
  archive.text("name", part.entry.name, most_word);
  archive.text("content", part.content.type, most_word);
  archive.text("label", part.content.label, most_word);
}

static void describe(Archive& archive, Identified& device) {
  archive.choice("protocol", device.protocol, protocols);
  archive.text("vendor", device.vendor, most_word);
  archive.text("model", device.model, most_word);
  archive.text("firmware", device.firmware, most_word);
  archive.text("serial", device.serial, most_word);
  archive.text("wwn", device.wwn, most_word);
  const auto number = [&](std::string_view key, std::optional<uint64_t>& value) {
    archive.number(key, value, 0, UINT64_MAX);
  };
  number("logical_block", device.logical_block);
  number("max_transfer", device.max_transfer);
  number("optimal_transfer", device.optimal_transfer);
  number("transfer_granularity", device.transfer_granularity);
  number("boundary", device.boundary);
  number("max_write_zeroes", device.max_write_zeroes);
  archive.flag("unmaps", device.unmaps);
  number("max_unmap", device.max_unmap);
  number("max_unmap_ranges", device.max_unmap_ranges);
  number("unmap_granularity", device.unmap_granularity);
  number("unmap_offset", device.unmap_offset);
  archive.flag("unmapped_reads_zero", device.unmapped_reads_zero);
  archive.flag("thin", device.thin);
  number("rotation_rate", device.rotation_rate);
}

static void describe(Archive& archive, Inspection& outcome) {
  archive.list("layers", outcome.layers, most_layers);
  archive.object("stream", outcome.stream);
  archive.object("partitions", outcome.partitions);
  archive.list("parts", outcome.parts, most_partitions);
  archive.object("identified", outcome.identified);
  if (archive.reading() && outcome.layers.empty() != outcome.stream.has_value())
    archive.refuse("layers", "and \"stream\" exclude each other");
}

static void describe(Archive& archive, MapDone& outcome) {
  archive.number("virtual_size", outcome.virtual_size, 0, UINT64_MAX);
}

static void describe(Archive& archive, Converted& outcome) {
  archive.number("disk_size", outcome.disk_size, 0, INT64_MAX);
  archive.flag("verified", outcome.verified);
  archive.number("garbage_at", outcome.garbage_at, 0, UINT64_MAX);
}

static void describe(Archive& archive, Zeroed& outcome) {
  archive.number("commanded", outcome.done.commanded, 0, UINT64_MAX);
  archive.number("written", outcome.done.written, 0, UINT64_MAX);
  archive.number("found", outcome.done.found, 0, UINT64_MAX);
  archive.choice("command", outcome.done.command, zero_method_names());
  archive.number("discarded", outcome.discarded, 0, UINT64_MAX);
  archive.flag("all_read", outcome.all_read);
  archive.number("nonzero_at", outcome.nonzero_at, 0, UINT64_MAX);
}

static void describe(Archive& archive, Compared& outcome) {
  archive.number("source_size", outcome.source_size, 0, UINT64_MAX);
  archive.number("other_size", outcome.other_size, 0, UINT64_MAX);
  archive.number("differs_at", outcome.differs_at, 0, UINT64_MAX);
}

static void describe(Archive& archive, SweepPoint& point) {
  const auto time = [&](std::string_view key, std::chrono::nanoseconds& value) {
    auto count = static_cast<uint64_t>(value.count());
    archive.number(key, count, 0, INT64_MAX);
    value = std::chrono::nanoseconds(static_cast<int64_t>(count));
  };
  archive.number("size", point.size, 1, INT64_MAX);
  archive.number("requests", point.requests, 0, UINT64_MAX);
  archive.real("seconds", point.seconds);
  archive.real("rate", point.rate);
  archive.real("least_rate", point.least_rate);
  archive.real("most_rate", point.most_rate);
  time("p50", point.p50);
  time("p99", point.p99);
  archive.real("user_seconds", point.user_seconds);
  archive.real("system_seconds", point.system_seconds);
}

static void describe(Archive&, Exported&) {}

static void describe(Archive& archive, Swept& outcome) { archive.list("points", outcome.points, 64); }

static void describe(Archive& archive, Checksums& outcome) {
  const auto digest = [&](std::string_view key, std::string& value, size_t digits) {
    archive.text(key, value, digits);
    const bool whole = value.empty() || value.size() == digits;
    if (archive.reading() && (!whole || value.find_first_not_of("0123456789abcdef") != value.npos))
      archive.refuse(key, "is no digest");
  };
  archive.number("size", outcome.size, 0, UINT64_MAX);
  digest("sha256", outcome.sha256, 64);
  digest("xxh128", outcome.xxh128, 32);
}

void describe(Archive& archive, Reference& reference) {
  archive.choice("kind", reference.kind, reference_kinds);
  archive.text("name", reference.name, most_text);
  archive.text("format", reference.format, most_word);
  archive.flag("by_guess", reference.by_guess);
  archive.texts("identities", reference.identities, most_references);
}

void describe(Archive& archive, Note& note) {
  archive.choice("kind", note.kind, note_kinds);
  archive.text("subject", note.subject, most_text);
  archive.text("text", note.text, most_text);
  archive.number("offset", note.offset, 0, UINT64_MAX);
}

void describe(Archive& archive, MapEntry& entry) {
  archive.choice("kind", entry.extent.kind, extent_kinds);
  archive.object("guest", entry.extent.guest);
  archive.number("file", entry.extent.file, 0, UINT16_MAX);
  archive.object("host", entry.extent.host);
  archive.number("layer", entry.layer, 0, most_layers);
}

void describe(Archive& archive, Outcome& outcome) {
  auto kind = static_cast<Kind>(outcome.index());
  archive.choice("kind", kind, kind_names());
  if (archive.reading())
    make_alternative(outcome, static_cast<size_t>(kind), std::make_index_sequence<std::variant_size_v<Outcome>>());
  std::visit([&](auto& result) { archive.object("result", result); }, outcome);
}

}  // namespace disklathe::job
