// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "app/cli/exit_codes.h"
#include "app/cli/open_files.h"
#include "app/cli/sentences.h"
#include "app/cli/size_text.h"
#include "app/cli/target.h"
#include "app/cli/target_options.h"
#include "app/cli/verbs.h"
#include "core/device/target_file.h"
#include "core/format/reference_path.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view help =
    R"(disklathe create [-q] [-f FORMAT] [-o OPTIONS] [-b FILE -F FORMAT [-u]] FILE [SIZE]

Makes an empty image. An existing file of that name is replaced once the new one
is complete.

  -f, --format FORMAT          what FILE becomes; otherwise its extension decides,
                               and raw when it says nothing
  -o, --options OPTIONS        name=value,...; -o help lists them
  -b, --backing FILE           stand on this image: what is not written reads from it
  -F, --backing-format FORMAT  what that image is; it must be said
  -u, --backing-unsafe         do not look at the backing file; SIZE is needed then
  -q, --quiet                  say nothing when all went well
  SIZE                         of the guest's disk: 10G, 1.5T, ...; without it, that
                               of the backing file
)";

std::unexpected<Error> invalid(std::string cause) { return failure(ErrorKind::invalid, "create", std::move(cause)); }

struct Creation {
  std::string path;
  const Format* format = nullptr;
  TargetOptions options;
  bool unsafe = false, quiet = false;
};

Result<void> create(Creation& creation) {
  TargetOptions& options = creation.options;
  const auto size = check_backing(options, creation.path, creation.unsafe);
  if (!size) return failure(Error(size.error()));
  if (!options.size) options.size = *size;
  if (!options.size) return invalid("a SIZE is needed, such as 10G");
  if (!creation.format->create)
    return failure(ErrorKind::unsupported, "create", fmt::format("{} images can only be read", creation.format->name));

  const auto data_file = options.format.find("data_file");
  const std::string data_path =
      data_file == options.format.end() ? "" : resolve_reference(creation.path, data_file->second);
  if (auto free = may_replace(creation.path, data_path); !free) return free;
  auto target = TargetFile::create(creation.path, CacheMode::automatic);
  if (!target) return failure(target);
  std::unique_ptr<TargetFile> data;
  if (!data_path.empty()) {
    auto made = TargetFile::create(data_path, CacheMode::automatic);
    if (!made) return failure(made);
    data = std::move(*made);
  }
  const auto writer = creation.format->create({.file = &(*target)->device(),
                                               .data_file = data ? &data->device() : nullptr,
                                               .size = *options.size,
                                               .options = options.format,
                                               .backing_file = options.backing_file,
                                               .backing_format = options.backing_format,
                                               .target_is_zero = true});
  if (!writer) return failure(Error(writer.error()));
  if (auto finished = (*writer)->finish(true); !finished) return finished;
  for (TargetFile* file : {data.get(), target->get()}) {
    if (!file) continue;
    if (auto committed = file->commit(true); !committed) return committed;
  }
  if (!creation.quiet) {
    std::string line =
        fmt::format("Formatting '{}', fmt={} size={}", creation.path, creation.format->name, *options.size);
    if (!options.backing_file.empty())
      line += fmt::format(" backing_file={} backing_fmt={}", options.backing_file, options.backing_format);
    for (const OptionInfo& option : creation.format->options) {
      const auto given = options.format.find(option.name);
      const std::string_view value = given == options.format.end() ? option.default_value : given->second;
      if (!value.empty()) line += fmt::format(" {}={}", option.name, value);
    }
    fmt::print("{}\n", line);
  }
  return {};
}

}  // namespace

int run_create(Arguments arguments) {
  Creation creation;
  std::string format, backing, backing_format;
  std::vector<std::string> words, option_lists;
  CommandLine line("create", help);
  line.text("-f,--format", format);
  line.texts("-o,--options", option_lists);
  line.text("-b,--backing", backing);
  line.text("-F,--backing-format", backing_format);
  line.flag("-u,--backing-unsafe", creation.unsafe);
  line.flag("-q,--quiet", creation.quiet);
  line.words(words, 0, 2, "a file and its size");
  if (const auto code = line.parse(arguments)) return *code;

  if (!words.empty()) creation.path = words[0];
  const auto chosen = choose_target_format(format, creation.path, creation.quiet, "-f");
  if (!chosen) return report(chosen.error());
  creation.format = *chosen;
  auto options = parse_target_options(option_lists, *creation.format);
  if (!options) return report(options.error());
  if (options->help) {
    fmt::print("{}", list_options(*creation.format));
    return exit_ok;
  }
  creation.options = std::move(*options);
  if (!backing.empty()) creation.options.backing_file = backing;
  if (!backing_format.empty()) creation.options.backing_format = backing_format;
  if (words.empty()) {
    print_message("the name of the image to be made is missing (see disklathe create --help)");
    return exit_usage;
  }
  if (auto local = no_address("create", creation.path, "what a server serves is there already: convert writes to it");
      !local)
    return report(local.error());
  if (auto local = no_address("stand on", backing, "names inside images are those of files"); !local)
    return report(local.error());
  if (words.size() == 2) {
    creation.options.size = parse_size(words[1]);
    if (!creation.options.size) {
      print_message(fmt::format("'{}' is no size; write 10G, 1.5T or a number of bytes below 8E", words[1]));
      return exit_usage;
    }
  }
  auto made = create(creation);
  if (made) return exit_ok;
  if (made.error().subject.empty() && made.error().kind != ErrorKind::invalid) made.error().subject = creation.path;
  return report(made.error());
}

}  // namespace disklathe::cli
