// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/command_line.h"
#include "app/cli/exit_codes.h"
#include "app/cli/helper_worker.h"
#include "app/cli/job.h"
#include "app/cli/limit_entries.h"
#include "app/cli/notes.h"
#include "app/cli/open_files.h"
#include "app/cli/sentences.h"
#include "app/cli/size_text.h"
#include "app/cli/verbs.h"

namespace disklathe::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view help =
    R"(disklathe limits [OPTIONS] DEVICE|FILE

Shows each limit that a device sets, who says so, and what follows from it. Of a
file: what its file system asks, and the limits of the device under it.

  -r, --request SIZE[@OFFSET]  also what the kernel makes of one direct request:
                               how many commands, where it is split and why, and
                               which part of a write has to be read first
      --ask                    also what a disk says of itself by its own commands
                               (SCSI, ATA, NVMe) and, where only root may see that,
                               its table: the helper may ask for a password
      --output human|json      for people (default) or for machines

"not reported" is not 0: the device says nothing. Nothing is written, and what
the kernel shows to everybody needs no rights.
)";

// "1M@4k"
std::optional<Range> parse_request(std::string_view text) {
  const size_t sign = text.find('@');
  const auto length = parse_size(text.substr(0, sign));
  const auto at = sign == std::string_view::npos ? std::optional<uint64_t>(0) : parse_size(text.substr(sign + 1));
  if (!length || !at) return std::nullopt;
  return Range{.at = *at, .length = *length};
}

std::string value_text(const LimitEntry& entry) {
  std::string text(entry.absent);
  if (entry.value) {
    text = entry.unit == "yes/no" ? std::string(*entry.value ? "yes" : "no") : std::to_string(*entry.value);
    if (entry.unit == "bytes" && *entry.value >= 1024) text += fmt::format(" ({})", human_size(*entry.value));
  }
  if (entry.used) text += fmt::format(", {} used", *entry.used);
  return text;
}

std::string table_of(const std::vector<LimitEntry>& entries) {
  size_t title = 0, value = 0;
  for (const LimitEntry& entry : entries) {
    title = std::max(title, entry.title.size());
    value = std::max(value, value_text(entry).size());
  }
  std::string text =
      fmt::format("{:<{}}  {:<{}}  {:<7}  {}\n", "LIMIT", title, "VALUE", value, "SOURCE", "CONSEQUENCE");
  for (const LimitEntry& entry : entries) {
    const std::string_view source = entry.source == name_of(LimitSource::none) ? "-" : entry.source;
    text += fmt::format("{:<{}}  {:<{}}  {:<7}  {}\n", entry.title, title, value_text(entry), value, source,
                        entry.consequence);
  }
  return text;
}

ordered_json json_of(const LimitEntry& entry) {
  ordered_json object;
  if (!entry.value)
    object["value"] = nullptr;
  else if (entry.unit == "yes/no")
    object["value"] = *entry.value != 0;
  else
    object["value"] = *entry.value;
  object["unit"] = entry.unit;
  object["source"] = entry.source;
  if (entry.used) object["used"] = *entry.used;
  object["consequence"] = entry.consequence;
  return object;
}

ordered_json json_of(const LimitFinding& finding) {
  ordered_json object;
  object["kind"] = name_of(finding.kind);
  if (!finding.subject.empty()) object["subject"] = finding.subject;
  object["value"] = finding.value;
  if (finding.other) object["other"] = finding.other;
  object["text"] = sentence(finding);
  return object;
}

ordered_json json_of(const RequestShape::Commands& commands) {
  ordered_json object;
  object["commands"] = commands.count;
  object["splits"] = ordered_json::array();
  for (const auto& split : commands.splits)
    object["splits"].push_back({{"at", split.at}, {"cause", name_of(split.cause)}});
  return object;
}

ordered_json json_of(const RequestShape& shape, Range request) {
  ordered_json object;
  object["offset"] = request.at;
  object["length"] = request.length;
  object["contiguous"] = json_of(shape.contiguous);
  object["scattered"] = json_of(shape.scattered);
  object["read-modify-write"] = ordered_json::array();
  for (const Range& block : shape.read_modify_write) {
    object["read-modify-write"].push_back({{"start", block.at}, {"length", block.length}});
  }
  return object;
}

ordered_json json_of(const Identified& disk) {
  ordered_json object;
  object["protocol"] = name_of(disk.protocol);
  for (const auto& [key, text] : {std::pair("vendor", disk.vendor),
                                  {"model", disk.model},
                                  {"firmware", disk.firmware},
                                  {"serial", disk.serial},
                                  {"wwn", disk.wwn}})
    if (!text.empty()) object[key] = text;
  return object;
}

ordered_json json_of(const std::string& path, const LimitReport& limits, const std::vector<LimitEntry>& entries) {
  ordered_json object;
  object["filename"] = path;
  object["device"] = limits.is_device;
  object["size"] = limits.size;
  if (limits.start) object["start"] = limits.start;
  object["opened"] = limits.opened;
  object["limits"] = ordered_json::object();
  for (const LimitEntry& entry : entries) object["limits"][std::string(entry.key)] = json_of(entry);
  object["findings"] = ordered_json::array();
  for (const LimitFinding& finding : limits.findings) object["findings"].push_back(json_of(finding));
  return object;
}

// What a worker finds on a disk and hears from it; the helper opens it where this user may not.
Result<job::Inspection> inspect(const std::string& path, Job& job) {
  const job::Inspect asked{.format = "raw", .chain = true, .identify = true};
  if (needs_helper(path, false)) return inspect_by_helper(path, asked, {}, job);
  const auto device = FileDevice::open({.path = path});
  if (!device) return std::unexpected(device.error());
  job::Handover files;
  if (auto added = files.add(job::Role::source, **device, false, CacheMode::automatic); !added) return failure(added);
  auto client = job::Client::start({.files = files.files(), .work = asked}, files.descriptors());
  if (!client) return failure(client);
  auto outcome = job::run(**client, {.note = print_note}, job.progress, job.stop);
  if (!outcome) return failure(outcome);
  return std::get<job::Inspection>(std::move(*outcome));
}

// For which sectors the table on the disk was made.
void judge_table(const std::optional<PartitionTable>& table, LimitReport& limits) {
  const uint64_t logical = limits.used.logical_block.value.value_or(512);
  if (!table || table->kind != PartitionTable::Kind::gpt || !table->sector_size || *table->sector_size == logical)
    return;
  limits.findings.push_back(
      {.kind = *table->sector_size == 512 ? FindingKind::table_for_512 : FindingKind::table_for_4096,
       .subject = {},
       .value = logical});
}

// An exit code: it went wrong, which has been said. A partition is not asked: it is no disk.
std::optional<int> ask_disk(const std::string& path, LimitReport& limits, std::optional<Identified>& disk) {
  if (limits.start != 0) return std::nullopt;
  Job job;
  const JobView view{.style = ProgressStyle::none, .summary = false};
  const JobOutcome looked = run_job(view, job, [&](Job& running) -> Result<void> {
    auto found = inspect(path, running);
    if (!found) return std::unexpected(found.error());
    disk = std::move(found->identified);
    if (!limits.opened) judge_table(found->partitions, limits);
    return {};
  });
  if (looked.result) return std::nullopt;
  return report(view, looked, exit_code_of(looked.result.error().kind));
}

std::string line_of(const Identified& disk) {
  std::string text = fmt::format("{}:", name_of(disk.protocol));
  for (const std::string& part : {disk.vendor, disk.model, disk.firmware})
    if (!part.empty()) text += " " + part;
  if (!disk.serial.empty()) text += ", serial " + disk.serial;
  if (!disk.wwn.empty()) text += ", " + disk.wwn;
  return text;
}

constexpr std::string_view says_nothing =
    "It says nothing of itself: no whole SCSI, ATA or NVMe disk, or the kernel lets only root ask.";

}  // namespace

int run_limits(Arguments arguments) {
  std::string output = "human", request_text;
  bool ask = false;
  std::vector<std::string> files;
  CommandLine line("limits", help);
  line.text("-r,--request", request_text);
  line.flag("--ask", ask);
  line.choice("--output", output, {"human", "json"});
  line.words(files, 1, 1, "one device or file");
  if (const auto code = line.parse(arguments)) return *code;
  const auto request = parse_request(request_text);
  if (!request_text.empty() && !request) {
    print_message(fmt::format("--request takes SIZE or SIZE@OFFSET, such as 1M@4k, not '{}'", request_text));
    return exit_usage;
  }

  if (auto local = no_address("read the limits of", files[0],
                              "they are those of devices and files of this machine; what a server takes at once is its "
                              "own business");
      !local)
    return report(local.error());
  auto limits = report_limits(files[0]);
  if (!limits) return report(limits.error());
  const bool asks = ask && limits->is_device;
  std::optional<Identified> disk;
  if (asks)
    if (const auto code = ask_disk(files[0], *limits, disk)) return *code;
  std::optional<RequestShape> shape;
  if (request) {
    auto shaped = shape_of_request(limits->used, *request, limits->start);
    if (!shaped) {
      shaped.error().subject = files[0];
      return report(shaped.error());
    }
    shape = std::move(*shaped);
  }

  auto entries = entries_of(*limits);
  if (disk) std::ranges::move(entries_of(*disk), std::back_inserter(entries));
  if (output == "json") {
    ordered_json object = json_of(files[0], *limits, entries);
    if (asks) object["identified"] = disk ? json_of(*disk) : ordered_json();
    if (shape) object["request"] = json_of(*shape, *request);
    fmt::print("{}\n", object.dump(4, ' ', false, nlohmann::json::error_handler_t::replace));
    return exit_ok;
  }
  fmt::print("{}: {}, {}\n", printable(files[0]),
             limits->is_device ? "block device" : "file, with the limits of the device under it",
             exact_size(limits->size));
  if (asks) fmt::print("{}\n", disk ? printable(line_of(*disk)) : says_nothing);
  fmt::print("\n");
  fmt::print("{}", table_of(entries));
  for (const LimitFinding& finding : limits->findings) fmt::print("\n! {}\n", sentence(finding));
  if (shape) fmt::print("\n{}", words_of(*shape, *request, limits->is_device));
  return exit_ok;
}

}  // namespace disklathe::cli
