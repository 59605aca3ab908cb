// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/command_line.h"
#include "app/cli/exit_codes.h"
#include "app/cli/open_files.h"
#include "app/cli/sentences.h"
#include "app/cli/verbs.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view help =
    R"(disklathe check [-f FORMAT] [--output human|json] [-q] [-U] FILE

Looks at all metadata of an image and tells what is wrong with it. Changes nothing.
Ends with 0: it is whole, 1: it could not be checked, 2: it is damaged, 3: some of
its space is lost (no harm to data), 63: images of this format are not checked.

  -f, --format FORMAT      what FILE is; otherwise its content is looked at
      --output human|json  for people (default), or as qemu-img check prints JSON
      --backing POLICY     allow, deny or ask: open extents that are not regular
                           files beside the image
  -q, --quiet              say nothing but errors
  -U, --force-share        also when another program writes to the image
)";

void print_findings(const CheckReport& report) {
  for (const Finding& finding : report.findings) {
    const std::string_view kind = finding.kind == Finding::Kind::corruption ? "damage"
                                  : finding.kind == Finding::Kind::leak     ? "leak"
                                                                            : "not checked";
    print_message(fmt::format("{} at byte {}: {}", kind, finding.offset, finding.what));
  }
  const uint64_t all = report.corruptions + report.leaks + report.check_errors;
  if (all > CheckReport::max_told && report.findings.size() == CheckReport::max_told)
    print_message("and more of the same, which are counted only");
}

nlohmann::ordered_json json_of(const CheckReport& report, const std::string& path, std::string_view format) {
  nlohmann::ordered_json json;
  const auto put = [&json](const char* key, uint64_t value) {
    if (value) json[key] = value;
  };
  put("image-end-offset", report.image_end_offset.value_or(0));
  put("corruptions", report.corruptions);
  put("leaks", report.leaks);
  put("total-clusters", report.total_clusters);
  put("allocated-clusters", report.allocated_clusters);
  put("fragmented-clusters", report.fragmented_clusters);
  put("compressed-clusters", report.compressed_clusters);
  json["check-errors"] = report.check_errors;
  json["filename"] = path;
  json["format"] = format;
  return json;
}

// As qemu-img words it.
std::string text_of(const CheckReport& report) {
  std::string text;
  if (!report.corruptions && !report.leaks && !report.check_errors) text = "No errors were found on the image.\n";
  if (report.corruptions)
    text += fmt::format(
        "\n{} errors were found on the image.\n"
        "Data may be corrupted, or further writes to the image may corrupt it.\n",
        report.corruptions);
  if (report.leaks)
    text += fmt::format(
        "\n{} leaked clusters were found on the image.\nThis means waste of disk space, but no harm to data.\n",
        report.leaks);
  if (report.check_errors)
    text += fmt::format("\n{} internal errors have occurred during the check.\n", report.check_errors);
  if (report.total_clusters && report.allocated_clusters) {
    const auto percent = [](uint64_t part, uint64_t whole) {
      return static_cast<double>(part) * 100.0 / static_cast<double>(whole);
    };
    text += fmt::format("{}/{} = {:.2f}% allocated, {:.2f}% fragmented, {:.2f}% compressed clusters\n",
                        report.allocated_clusters, report.total_clusters,
                        percent(report.allocated_clusters, report.total_clusters),
                        percent(report.fragmented_clusters, report.allocated_clusters),
                        percent(report.compressed_clusters, report.allocated_clusters));
  }
  if (report.image_end_offset) text += fmt::format("Image end offset: {}\n", *report.image_end_offset);
  return text;
}

// Nothing: its format has no check.
Result<std::optional<CheckReport>> check(const std::string& path, const std::string& format_name,
                                         const OpenPolicy& policy, const Format*& format) {
  const FileOpener opener = make_opener(policy);
  auto file = opener.open(path);
  if (!file) return failure(file);
  if (format_name.empty()) {
    const auto probed = probe_format(**file);
    if (!probed) return failure(Error(probed.error()));
    format = probed->format;
    if (const std::string doubt = format_doubt(path, *format); !doubt.empty()) print_warning(doubt);
  } else {
    const auto named = format_named(format_name);
    if (!named) return failure(Error(named.error()));
    format = *named;
  }
  if (!format->check) return std::nullopt;
  CheckRequest request{.file = file->get()};
  std::vector<std::unique_ptr<FileDevice>> extents;
  if (const auto reader = format->open({.file = file->get()})) {
    auto opened = open_extents(path, **reader, policy);
    if (!opened) return failure(opened);
    extents = std::move(*opened);
    for (const auto& extent : extents) request.extents.push_back(extent.get());
  }
  auto report = format->check(request);
  if (!report) {
    if (report.error().subject.empty()) report.error().subject = path;
    return failure(report);
  }
  return std::move(*report);
}

}  // namespace

int run_check(Arguments arguments) {
  std::string format_name, output = "human";
  bool quiet = false;
  std::vector<std::string> files;
  std::string backing;
  OpenPolicy policy;
  CommandLine line("check", help);
  line.text("-f,--format", format_name);
  line.choice("--output", output, {"human", "json"});
  line.flag("-q,--quiet", quiet);
  line.choice("--backing", backing, {"allow", "deny", "ask"});
  line.flag("-U,--force-share", policy.share);
  line.words(files, 1, 1, "one image file");
  if (const auto code = line.parse(arguments)) return *code == exit_ok ? exit_ok : exit_check_failed;
  policy.backing = backing_policy_of(backing).value_or(BackingPolicy::beside);
  policy.named = files;

  const Format* format = nullptr;
  const auto checked = check(files[0], format_name, policy, format);
  if (!checked) {
    disklathe::cli::report(checked.error());
    return exit_check_failed;
  }
  if (!*checked) {
    print_message(fmt::format("check is not supported for {} images", format->name));
    return exit_check_unsupported;
  }
  const CheckReport& report = **checked;
  print_findings(report);
  if (output == "json")
    fmt::print("{}\n",
               json_of(report, files[0], format->name).dump(4, ' ', false, nlohmann::json::error_handler_t::replace));
  else if (!quiet)
    fmt::print("{}", text_of(report));
  return report.check_errors  ? exit_check_failed
         : report.corruptions ? exit_check_corrupt
         : report.leaks       ? exit_check_leaks
                              : exit_ok;
}

}  // namespace disklathe::cli
