// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "app/cli/exit_codes.h"
#include "app/cli/map_entry.h"
#include "app/cli/open_files.h"
#include "app/cli/sentences.h"
#include "app/cli/verbs.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view help =
    R"(disklathe map [-f FORMAT] [--output human|json] [-s OFFSET] [-l LENGTH] FILE

Shows where the bytes of the guest's disk are: which file of the backing chain
holds them, at which offset, and what reads as zeroes.

  -f, --format FORMAT        what FILE is; otherwise its content is looked at
      --output human|json    the data only, for people (default); or everything,
                             as qemu-img map prints JSON
  -s, --start-offset OFFSET  begin there (default 0); 64k, 1G, ...
  -l, --max-length LENGTH    and look at so much (default: to the end)
      --backing POLICY       allow, deny or ask: open backing files that are not
                             regular files beside the image
      --data-file allow|deny open the external data file that FILE names (deny)
  -U, --force-share          also when another program writes to the image
)";

void print_json(const MapEntry& entry, bool last) {
  fmt::print(R"({{ "start": {}, "length": {}, "depth": {}, "present": {}, "zero": {}, "data": {}, "compressed": {})",
             entry.start, entry.length, entry.depth, entry.present, entry.zero, entry.data, entry.compressed);
  if (entry.offset) fmt::print(R"(, "offset": {})", *entry.offset);
  fmt::print("{}\n", last ? "}]" : "},");
}

// As C's %#x writes it: zero has no prefix.
std::string hex(uint64_t value) { return value ? fmt::format("{:#x}", value) : "0"; }

// One line of the table for people; false when it cannot be told in one.
bool print_text(const Image& image, const MapEntry& entry) {
  if (!entry.data) return true;
  if (!entry.offset) return false;
  fmt::print("{:<16}{:<16}{:<16}{}\n", hex(entry.start), hex(entry.length), hex(*entry.offset),
             printable(image.file(entry.file).name()));
  return true;
}

}  // namespace

int run_map(Arguments arguments) {
  std::string format, output = "human", backing, data_file;
  std::optional<uint64_t> start, length;
  std::vector<std::string> files;
  OpenPolicy policy;
  CommandLine line("map", help);
  line.text("-f,--format", format);
  line.choice("--output", output, {"human", "json"});
  line.size("-s,--start-offset", start);
  line.size("-l,--max-length", length);
  line.choice("--backing", backing, {"allow", "deny", "ask"});
  line.choice("--data-file", data_file, {"allow", "deny"});
  line.flag("-U,--force-share", policy.share);
  line.words(files, 1, 1, "one image file");
  if (const auto code = line.parse(arguments)) return *code;
  policy.backing = backing_policy_of(backing).value_or(BackingPolicy::beside);
  policy.data_file = data_file == "allow";
  policy.named = files;

  auto image = open_image({.path = files[0], .format = format}, policy);
  if (!image) return report(image.error());

  const bool json = output == "json";
  const uint64_t from = std::min(start.value_or(0), (*image)->size());
  Range rest = Range::between(from, from + std::min(length.value_or(UINT64_MAX - from), (*image)->size() - from));
  if (json)
    fmt::print("[");
  else
    fmt::print("{:<16}{:<16}{:<16}{}\n", "Offset", "Length", "Mapped to", "File");

  bool told = true;
  MapEntry current{.start = start.value_or(0)};
  std::vector<Extent> extents;
  while (!rest.empty()) {
    extents.clear();
    if (auto mapped = (*image)->map(rest, extents); !mapped) {
      if (json) fmt::print("\n");
      return report(mapped.error());
    }
    for (const Extent& extent : extents) {
      const MapEntry next = entry_of(**image, extent);
      if (current.length && current.continued_by(next)) {
        current.length += next.length;
        continue;
      }
      if (current.length) {
        if (json)
          print_json(current, false);
        else
          told = print_text(**image, current) && told;
      }
      current = next;
    }
    rest = Range::between(extents.back().guest.end(), rest.end());
  }
  // As qemu-img does: the list is never empty.
  if (json)
    print_json(current, true);
  else
    told = (!current.length || print_text(**image, current)) && told;
  if (told) return exit_ok;
  print_message(
      "the image holds compressed or encrypted clusters, which have no place in this table; "
      "--output=json shows them");
  return exit_other;
}

}  // namespace disklathe::cli
