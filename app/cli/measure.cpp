// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command_line.h"
#include "app/cli/exit_codes.h"
#include "app/cli/open_files.h"
#include "app/cli/sentences.h"
#include "app/cli/target_options.h"
#include "app/cli/verbs.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view help =
    R"(disklathe measure [-O FORMAT] [-o OPTIONS] [--output human|json] (--size SIZE | FILE)

Tells how large an image file will be: for what FILE holds, or for SIZE bytes.

  -O, --target-format FORMAT  of the image to be made (default raw)
  -o OPTIONS                  its options, as for convert; -o help lists them
  -s, --size SIZE             of an empty disk; 10G, 1.5T, ...
  -f, --format FORMAT         what FILE is; otherwise its content is looked at
  -l, --snapshot SNAPSHOT     this internal snapshot of FILE (its id or name)
      --output human|json     for people (default), or as qemu-img prints JSON
      --backing POLICY        allow, deny or ask: open backing files that are not
                              regular files beside the image
      --data-file allow|deny  open the external data file that FILE names (deny)
  -U, --force-share           also when another program writes to the image
)";

}  // namespace

int run_measure(Arguments arguments) {
  std::string format, target_format = "raw", output = "human", snapshot, backing, data_file;
  std::optional<uint64_t> size;
  std::vector<std::string> files, option_lists;
  OpenPolicy policy;
  CommandLine line("measure", help);
  line.text("-O,--target-format", target_format);
  line.texts("-o", option_lists);
  line.size("-s,--size", size);
  line.text("-f,--format", format);
  line.text("-l,--snapshot", snapshot);
  line.choice("--output", output, {"human", "json"});
  line.choice("--backing", backing, {"allow", "deny", "ask"});
  line.choice("--data-file", data_file, {"allow", "deny"});
  line.flag("-U,--force-share", policy.share);
  line.words(files, 0, 1, "one image file");
  if (const auto code = line.parse(arguments)) return *code;
  policy.backing = backing_policy_of(backing).value_or(BackingPolicy::beside);
  policy.data_file = data_file == "allow";
  policy.named = files;

  const auto target = format_named(target_format);
  if (!target) return report(target.error());
  auto options = parse_target_options(option_lists, **target);
  if (!options) return report(options.error());
  if (options->help) {
    fmt::print("{}", list_options(**target));
    return exit_ok;
  }
  if (options->size) size = options->size;
  if (size.has_value() == !files.empty()) {
    print_message("either --size or one image file says what to measure (see disklathe measure --help)");
    return exit_usage;
  }
  if (!(*target)->measure) {
    print_message(fmt::format("the size of {} images cannot be told beforehand", target_format));
    return exit_unsupported;
  }

  std::unique_ptr<Image> image;
  MeasureRequest request{.size = size.value_or(0), .options = std::move(options->format)};
  if (!files.empty()) {
    auto opened = open_image({.path = files[0], .format = format, .snapshot = snapshot_of(snapshot)}, policy);
    if (!opened) return report(opened.error());
    image = std::move(*opened);
    request.size = image->size();
    request.source = image.get();
  }
  const auto measured = (*target)->measure(request);
  if (!measured) return report(measured.error());
  if (output == "json") {
    const nlohmann::ordered_json json = {{"required", measured->required},
                                         {"fully-allocated", measured->fully_allocated}};
    fmt::print("{}\n", json.dump(4));
  } else {
    fmt::print("required size: {}\nfully allocated size: {}\n", measured->required, measured->fully_allocated);
  }
  return exit_ok;
}

}  // namespace disklathe::cli
