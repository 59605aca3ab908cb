// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/target_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/open_files.h"
#include "app/cli/sentences.h"
#include "app/cli/size_text.h"
#include "core/format/reference_path.h"

namespace disklathe::cli {
namespace {

std::unexpected<Error> invalid(std::string cause) { return failure(ErrorKind::invalid, "create", std::move(cause)); }

// "a=1,b=x,,y" -> {"a=1", "b=x,y"}
std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> parts(1);
  for (size_t at = 0; at < list.size(); ++at) {
    if (list[at] != ',')
      parts.back() += list[at];
    else if (at + 1 < list.size() && list[at + 1] == ',')
      parts.back() += list[++at];
    else
      parts.emplace_back();
  }
  std::erase(parts, "");
  return parts;
}

Result<void> take(TargetOptions& options, const Format& format, const std::string& name, const std::string& value) {
  if (name == "size") {
    options.size = parse_size(value);
    if (!options.size) return invalid(fmt::format("-o size takes a size such as 10G, not '{}'", value));
    return {};
  }
  if (name == "backing_file") {
    options.backing_file = value;
    return {};
  }
  if (name == "backing_fmt") {
    options.backing_format = value;
    return {};
  }
  const auto known = std::ranges::find(format.options, name, &OptionInfo::name);
  if (known == format.options.end()) {
    std::string names = "size";
    for (const OptionInfo& option : format.options) names += fmt::format(", {}", option.name);
    return invalid(fmt::format("{} has no option '{}'; it has {}", format.name, name, names));
  }
  if (!known->values.empty() && std::ranges::find(known->values, value) == known->values.end())
    return invalid(fmt::format("-o {} takes {}, not '{}'", name, fmt::join(known->values, ", "), value));
  options.format[name] = value;
  return {};
}

}  // namespace

Result<TargetOptions> parse_target_options(const std::vector<std::string>& lists, const Format& format) {
  TargetOptions options;
  for (const std::string& list : lists) {
    for (const std::string& part : split_list(list)) {
      if (part == "help" || part == "?") {
        options.help = true;
        continue;
      }
      const size_t equals = part.find('=');
      const std::string value = equals == std::string::npos ? "on" : part.substr(equals + 1);
      if (auto taken = take(options, format, part.substr(0, equals), value); !taken) return failure(taken);
    }
  }
  return options;
}

Result<std::optional<uint64_t>> check_backing(const TargetOptions& options, const std::string& path, bool unseen) {
  if (options.backing_file.empty()) {
    if (options.backing_format.empty()) return std::nullopt;
    return invalid("-F says what the backing file is, but there is none");
  }
  if (options.backing_format.empty())
    return invalid("a backing file needs -F: were its format guessed, what a guest wrote there could decide it");
  if (auto known = format_named(options.backing_format); !known) return failure(known);
  std::error_code error;
  if (std::filesystem::equivalent(resolve_reference(path, options.backing_file), path, error) && !error)
    return invalid("an image cannot stand on itself: the new one would take the place of its backing file");
  if (unseen) return std::nullopt;
  const OpenPolicy policy{.share = true, .named = {}};
  auto image = open_image({.path = resolve_reference(path, options.backing_file),
                           .format = options.backing_format,
                           .backing = false,
                           .data_file = false},
                          policy);
  if (!image) return failure(image);
  return (*image)->size();
}

std::string list_options(const Format& format) {
  std::string text = fmt::format("Options of {}:\n  {:<22} - Size of the guest's disk\n", format.name, "size=<size>");
  for (const OptionInfo& option : format.options) {
    const std::string values = option.values.empty() ? "" : fmt::format(" ({})", fmt::join(option.values, ", "));
    const std::string otherwise = option.default_value.empty() ? "" : fmt::format(" [{}]", option.default_value);
    text += fmt::format("  {:<22} - {}{}{}\n", option.name, option.help, values, otherwise);
  }
  return text;
}

Result<const Format*> choose_target_format(const std::string& asked, const std::string& path, bool quiet,
                                           const char* option) {
  const Format* called = format_by_extension(path);
  if (asked.empty()) {
    if (!called || called->name == "raw") return format_named("raw");
    if (!quiet)
      print_message(fmt::format("'{}' will be {}, as its name says; {} raw makes it raw", path, called->name, option));
    return called;
  }
  auto format = format_named(asked);
  if (format && called && called != *format)
    print_warning(fmt::format("'{}' will be {}, as {} says; its name says {}", path, asked, option, called->name));
  return format;
}

}  // namespace disklathe::cli
