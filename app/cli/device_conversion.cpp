// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/device_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "app/cli/device_target.h"
#include "app/cli/device_words.h"
#include "app/cli/erase_consent.h"
#include "app/cli/helper_worker.h"
#include "app/cli/sentences.h"
#include "app/cli/target.h"
#include "core/device/identity_words.h"
#include "core/device/system_files.h"

namespace disklathe::cli {
namespace {

std::unexpected<Error> no(ErrorKind kind, const std::string& path, std::string cause) {
  return failure(Error{.kind = kind, .operation = "write", .subject = path, .cause = std::move(cause)});
}

std::string_view name_of(PartitionTable::Kind kind) { return kind == PartitionTable::Kind::gpt ? "GPT" : "MBR"; }

Result<void> not_read_from(const ChosenDevice& chosen, const DeviceSource& source) {
  const auto is_source = [&](dev_t number) { return std::ranges::contains(source.devices, number); };
  if (is_source(chosen.identity.number))
    return no(ErrorKind::invalid, chosen.path, "it is the source as well; write to another device");
  if (is_source(chosen.disk.number))
    return no(ErrorKind::invalid, chosen.path, "it is a part of the source; writing to it would destroy that");
  if (chosen.whole() && std::ranges::any_of(chosen.disk.partitions, is_source, &Partition::number))
    return no(ErrorKind::invalid, chosen.path, "the source is a part of it; writing to it would destroy that");
  return {};
}

Result<void> has_fitting_sectors(const ChosenDevice& chosen, const PartitionTable& table) {
  // Nobody looks for a table inside a partition.
  if (!chosen.whole() || !table.sector_size || *table.sector_size == chosen.disk.logical_block) return {};
  return no(ErrorKind::refused, chosen.path,
            fmt::format("the image's {} is made for sectors of {} bytes, the device's have {}: no partition would be "
                        "found on it, and it would not boot. --allow-sector-mismatch writes it all the same",
                        name_of(table.kind), *table.sector_size, chosen.disk.logical_block));
}

// Of a GPT whose second header will not be where it belongs: what that means, and the way out.
std::string gpt_note(const DeviceTarget& target, uint64_t image_size) {
  const PartitionTable& table = target.table;
  if (!target.chosen.whole() || table.kind != PartitionTable::Kind::gpt || !table.backup_at || !table.sector_size)
    return {};
  if (*table.backup_at + *table.sector_size == target.chosen.identity.size) return {};
  if (*table.backup_at >= image_size)
    return fmt::format(
        "the backup of the image's partition table is missing: the image is cut off. sgdisk -e {} "
        "makes a new one",
        target.chosen.node().node);
  return fmt::format(
      "the backup of the partition table is not at the end of this larger device, where it belongs; "
      "sgdisk -e {} moves it there",
      target.chosen.node().node);
}

std::string table_note(const DeviceTarget& target, TableReread reread) {
  const std::string& node = target.chosen.node().node;
  switch (reread) {
    case TableReread::done: return {};
    case TableReread::none:
      if (target.chosen.disk.partitions.empty()) return {};
      return fmt::format("the kernel still sees the old partitions, as somebody made them by hand: partx -u {}", node);
    case TableReread::not_permitted:
      if (target.chosen.disk.partitions.empty() && target.table.kind == PartitionTable::Kind::none) return {};
      return fmt::format(
          "the kernel may still see the old partitions, and to make it look again needs root: plug the "
          "device in anew, or blockdev --rereadpt {}",
          node);
    case TableReread::busy:
    case TableReread::failed:
      return fmt::format(
          "the kernel still sees the old partitions, because {}: plug the device in anew, or blockdev "
          "--rereadpt {}",
          reread == TableReread::busy ? "a program has one of them open" : "it could not look again", node);
  }
  return {};
}

std::string_view words_of(CacheLeft cache) {
  switch (cache) {
    case CacheLeft::backing_file: return "the page cache of the file behind it";
    case CacheLeft::memory: return "memory, which is all that this device is";
    case CacheLeft::server: return "the memory of the server behind it";
    case CacheLeft::device: return "a cache inside the device";
  }
  return {};
}

std::string_view key_of(DeviceGrade grade) {
  switch (grade) {
    case DeviceGrade::handed_over: return "handed-over";
    case DeviceGrade::flushed: return "written";
    case DeviceGrade::read_back: return "read-back";
  }
  return {};
}

std::string_view key_of(TableReread table) {
  switch (table) {
    case TableReread::done: return "done";
    case TableReread::none: return "none";
    case TableReread::not_permitted: return "not-permitted";
    case TableReread::busy: return "busy";
    case TableReread::failed: return "failed";
  }
  return {};
}

// While a person thinks, no progress is drawn over the question.
class Asking {
 public:
  explicit Asking(Job& job) : job_(job) { job_.asking = true; }
  ~Asking() { job_.asking = false; }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

 private:
  Job& job_;
};

bool is_written(const Mount& mount) { return mount.options == "rw" || mount.options.starts_with("rw,"); }

}  // namespace

Result<DeviceTarget> choose_for_conversion(const std::string& path, const DeviceSource& source,
                                           const DeviceOptions& options, Job& job) {
  auto chosen = choose_target_device(path);
  if (!chosen) return failure(chosen);
  DeviceTarget target{.chosen = std::move(*chosen), .table = source.table};
  if (auto other = not_read_from(target.chosen, source); !other) return failure(other);
  if (source.size) {
    if (auto room = has_room(path, target.chosen.identity.size, *source.size); !room) return failure(room);
  }
  if (!options.allow_sector_mismatch) {
    if (auto fits = has_fitting_sectors(target.chosen, target.table); !fits) return failure(fits);
  }
  const Range written{0, source.size.value_or(target.chosen.identity.size)};
  if (auto may = takes_any_order(target.chosen, written); !may) return failure(may);
  const Asking asking(job);
  EraseRequest request{.ranges = {}, .yes_erase = options.yes_erase};
  if (source.size) request.ranges.push_back({0, *source.size});
  if (auto consent = confirm_erase(target.chosen, request); !consent) return failure(consent);
  return target;
}

namespace {

// The kernel's view of the partitions after a worker that the helper started, which may not ask for it. udev does, when
// a device is closed that was written; where there is none the helper is asked, if it needs no second password.
TableReread reread_by_helper(const ChosenDevice& chosen, Job& job) {
  if (path_exists("/run/udev/control")) return TableReread::not_permitted;
  const auto done =
      done_by_helper({.action = "flush", .path = chosen.path, .device = chosen.identity, .unasked = true}, job);
  if (done) return TableReread::done;
  return done.error().kind == ErrorKind::busy ? TableReread::busy : TableReread::not_permitted;
}

bool still_chosen(const ChosenDevice& chosen, const FileDevice* device) {
  if (device) return disklathe::still_chosen(chosen, device->descriptor()).has_value();
  const auto now = identity_of(chosen.path);
  return now && differences(chosen.identity, *now).empty();
}

}  // namespace

Result<DeviceReport> finish_device(const DeviceTarget& target, const FileDevice* device, DeviceGrade grade,
                                   uint64_t image_size, Job& job) {
  if (!still_chosen(target.chosen, device))
    return failure(Error{.kind = ErrorKind::vanished,
                         .operation = "write",
                         .subject = target.chosen.path,
                         .cause = "it, or the medium in it, is not the one that was chosen any more"});
  DeviceReport report{.path = target.chosen.path, .grade = grade, .cache = {}, .notes = {}};
  if (grade == DeviceGrade::read_back) report.cache = cache_left(target.chosen.disk);
  if (target.chosen.whole())
    report.table = device ? reread_partition_table(device->descriptor()) : reread_by_helper(target.chosen, job);
  for (std::string note : {table_note(target, report.table), gpt_note(target, image_size)})
    if (!note.empty()) report.notes.push_back(std::move(note));
  return report;
}

std::string note_beforehand(const DeviceTarget& target, uint64_t image_size) { return gpt_note(target, image_size); }

Result<DeviceTarget> device_written_by(const job::GivenFile& file) {
  const auto gone = [&] { return failure(os_failure(ENODEV, "write", file.name)); };
  const auto identity = identity_of_words(file.device);
  if (!identity) return gone();
  auto disks = disks_around(identity->number);
  if (!disks) return failure(disks);
  const Disk* disk = disk_of_number(*disks, identity->number);
  if (!disk) return gone();
  return DeviceTarget{.chosen = {.path = file.name, .identity = *identity, .disk = *disk}, .table = {}};
}

DeviceGrade grade_of(const job::Convert& work) {
  if (!work.durable) return DeviceGrade::handed_over;
  return work.verify ? DeviceGrade::read_back : DeviceGrade::flushed;
}

void say(const DeviceReport& report, bool quiet) {
  for (const std::string& note : report.notes) print_warning(note);
  if (!quiet) fmt::print("{}\n", printable(words_of(report)));
}

std::string words_of(const DeviceReport& report) {
  switch (report.grade) {
    case DeviceGrade::handed_over:
      return fmt::format("'{}': written, but not flushed: it may not be on the medium yet", report.path);
    case DeviceGrade::flushed: return fmt::format("'{}': written and flushed, not read back", report.path);
    case DeviceGrade::read_back: break;
  }
  return fmt::format("'{}': written, flushed, read back and found the same{}{}", report.path,
                     report.cache ? "; what may have answered in the medium's place: " : "",
                     report.cache ? words_of(*report.cache) : "");
}

nlohmann::ordered_json json_of(const DeviceReport& report) {
  nlohmann::ordered_json json = {{"device", report.path}, {"grade", key_of(report.grade)}};
  if (report.cache) json["cache-left"] = disklathe::name_of(*report.cache);
  json["partitions-read-anew"] = key_of(report.table);
  json["notes"] = report.notes;
  return json;
}

std::string writer_of_source(dev_t device) {
  const auto disks = disks_around(device);
  if (!disks) return {};
  const UsageMap map(*disks);
  const std::string name = map.graph().device_of_number(device);
  const StorageGraph::Node* node = map.graph().find(name);
  if (!node) return {};
  for (const Hold& hold : map.of(name).holds) {
    if (hold.kind == HoldKind::member) continue;
    const auto& mounts = map.graph().mounts();
    const auto mount = std::ranges::find(mounts, hold.by, &Mount::target);
    if (hold.kind == HoldKind::mount && mount != mounts.end() && !is_written(*mount)) continue;
    const std::string where = hold.chain.size() < 2 ? "it is" : fmt::format("{} on it is", hold.chain.front());
    return fmt::format("'{}' may change while it is read, and the image be of no single moment: {} {}",
                       node->block.node, where, words_of(hold));
  }
  return {};
}

}  // namespace disklathe::cli
