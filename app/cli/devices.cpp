// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "app/cli/command_line.h"
#include "app/cli/device_words.h"
#include "app/cli/exit_codes.h"
#include "app/cli/helper_worker.h"
#include "app/cli/job.h"
#include "app/cli/sentences.h"
#include "app/cli/verbs.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view help =
    R"(disklathe devices [-a] [--ask] [--output human|json] [DEVICE...]

Lists the disks of this machine, or those named: how each is attached, what it
is, its exact size, its partitions and what is on them, and who uses it. ID is
what confirms a device before it is erased: its serial, or NAME:BYTES.

  -a, --all                also what nobody has set up: loop devices without a
                           file, network devices without a server, RAM disks
      --ask                of the devices that are named: have the helper look at
                           what only root may read (it may ask for a password)
      --output human|json  for people (default) or for machines

A device marked "system" is never written. Without root some things are not to
be seen ("content unknown"). "Nothing known on it": no file system and no partition
table that is known; it may hold data all the same.
)";

constexpr size_t column_count = 7;
using Row = std::array<std::string, column_count>;
constexpr size_t size_column = 2, bytes_column = 3;  // numbers stand to the right

Row row_of(std::string name, std::string_view id, const BlockNode& node, std::string_view bus, std::string_view what,
           std::string_view state) {
  return {std::move(name),  printable(id),   gigabytes(node.size), std::to_string(node.size),
          std::string(bus), printable(what), printable(state)};
}

// Characters, not bytes: of UTF-8 the continuations do not count.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string text_of(const std::vector<Row>& rows) {
  std::array<size_t, column_count> widths{};
  for (const Row& row : rows) {
    for (size_t i = 0; i < column_count; ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < column_count; ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      const bool number = i == size_column || i == bytes_column;
      line += (number ? padding + row[i] : row[i] + padding) + "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): there is one thread yet
    if (!value || !*value) continue;
    const std::string_view locale = value;
    return locale.contains("UTF-8") || locale.contains("utf8");
  }
  return false;
}

// "sda" and "/dev/sda" name the same; so does a partition its disk.
bool is_named(const Disk& disk, const std::string& word) {
  const auto matches = [&](const BlockNode& node) { return word == node.name || word == node.node; };
  return matches(disk) || std::ranges::any_of(disk.partitions, matches) ||
         (!disk.dm_name.empty() && word == "/dev/mapper/" + disk.dm_name);
}

// What a worker of the helper sees on a disk of unknown content: a partition table, an image. Of others it tells
// nothing.
Result<void> look_by_helper(Disk& disk, Job& job) {
  if (disk.content.source != ContentSource::unknown || !needs_helper(disk.node, false)) return {};
  const auto found = inspect_by_helper(disk.node, {}, {}, job);
  if (!found) return std::unexpected(found.error());
  const bool image = !found->layers.empty() && found->layers[0].format != "raw";
  if (image) disk.content.type = found->layers[0].format;
  if (!image && found->partitions && found->partitions->kind != PartitionTable::Kind::none)
    disk.content.table_type = found->partitions->kind == PartitionTable::Kind::gpt ? "gpt" : "dos";
  if (!disk.content.type.empty() || !disk.content.table_type.empty()) disk.content.source = ContentSource::worker;
  return {};
}

}  // namespace

bool is_idle_kernel_device(const Disk& disk, const UsageMap& usage) {
  return is_virtual(disk.bus) && (disk.size == 0 || (disk.bus == Bus::ram && !usage.of(disk.name).in_use));
}

std::string device_table(const std::vector<Disk>& disks, const UsageMap& usage, bool glyphs) {
  std::vector<Row> rows{{"DEVICE", "ID", "SIZE", "BYTES", "BUS", "WHAT", "STATE"}};
  for (const Disk& disk : disks) {
    rows.push_back(
        row_of(disk.name, disk.id, disk, name_of(disk.bus), words_of(disk), state_words(disk, usage.of(disk.name))));
    for (const Partition& partition : disk.partitions) {
      const bool last = &partition == &disk.partitions.back();
      const std::string_view branch = glyphs ? (last ? "└─" : "├─") : (last ? "`-" : "|-");
      rows.push_back(row_of(std::string(branch) + partition.name, id_by_size(partition.name, partition.size), partition,
                            "", words_of(partition.content), state_words(partition, usage.of(partition.name))));
    }
  }
  return text_of(rows);
}

int run_devices(Arguments arguments) {
  std::string output = "human";
  bool all = false, ask = false;
  std::vector<std::string> named;
  CommandLine line("devices", help);
  line.flag("-a,--all", all);
  line.flag("--ask", ask);
  line.choice("--output", output, {"human", "json"});
  line.words(named, 0, 1000, "devices");
  if (const auto code = line.parse(arguments)) return *code;

  auto disks = enumerate_disks();
  if (!disks) return report(disks.error());
  const UsageMap usage(*disks);
  for (const std::string& word : named) {
    if (std::ranges::none_of(*disks, [&](const Disk& disk) { return is_named(disk, word); }))
      return report({.kind = ErrorKind::not_found,
                     .operation = "find",
                     .subject = word,
                     .cause = "this machine has no disk of that name; disklathe devices --all lists what it has"});
  }
  std::erase_if(*disks, [&](const Disk& disk) {
    if (named.empty()) return !all && is_idle_kernel_device(disk, usage);
    return std::ranges::none_of(named, [&](const std::string& word) { return is_named(disk, word); });
  });

  if (ask && named.empty()) {
    print_message("--ask is for devices that are named");
    return exit_usage;
  }
  if (ask) {
    Job job;
    const JobView view{.style = ProgressStyle::none, .summary = false};
    const JobOutcome looked = run_job(view, job, [&](Job& running) -> Result<void> {
      for (Disk& disk : *disks)
        if (auto seen = look_by_helper(disk, running); !seen) return seen;
      return {};
    });
    if (!looked.result) return report(view, looked, exit_code_of(looked.result.error().kind));
  }

  if (output == "json") {
    nlohmann::ordered_json object;
    object["devices"] = nlohmann::ordered_json::array();
    for (const Disk& disk : *disks) object["devices"].push_back(json_of(disk, usage));
    object["system-traced"] = usage.system_traced();
    fmt::print("{}\n", object.dump(4, ' ', false, nlohmann::json::error_handler_t::replace));
    return exit_ok;
  }
  fmt::print("{}", device_table(*disks, usage, speaks_utf8()));
  if (!usage.system_traced()) {
    print_warning(fmt::format("which disks {} stands on cannot be told here: all that is in use counts as the system's",
                              fmt::join(usage.untraced(), ", ")));
  }
  return exit_ok;
}

}  // namespace disklathe::cli
