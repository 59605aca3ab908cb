// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/info.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/command_line.h"
#include "app/cli/exit_codes.h"
#include "app/cli/helper_worker.h"
#include "app/cli/job.h"
#include "app/cli/open_files.h"
#include "app/cli/sentences.h"
#include "app/cli/stream_file.h"
#include "app/cli/verbs.h"
#include "core/format/reference_path.h"
#include "core/job/convert.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view help =
    R"(disklathe info [-f FORMAT] [--output human|json] [-b] [-U] FILE

Shows what an image is: its format, its sizes, what it stands on, its snapshots.

  -f, --format FORMAT       what FILE is; otherwise its content is looked at
      --output human|json   for people (default), or as qemu-img info prints JSON
  -b, --backing-chain       the image, its backing file, that one's backing file, ...
      --backing POLICY      allow, deny or ask: open backing files that are not
                            regular files beside the image (with -b)
  -U, --force-share         also when another program writes to the image
)";

struct Opened {
  std::unique_ptr<BlockDevice> file;
  std::vector<std::unique_ptr<FileDevice>> extents;

  const FileDevice* on_disk() const { return dynamic_cast<const FileDevice*>(file.get()); }
  std::unique_ptr<ImageReader> reader;
  const Format* format = nullptr;
};

// One layer by itself: what it stands on is told, not opened.
Result<Opened> open_layer(const std::string& path, const std::string& format_name, const OpenPolicy& policy) {
  Opened layer;
  auto file = make_opener(policy).open(path);
  if (!file) return failure(file);
  layer.file = std::move(*file);
  if (format_name.empty()) {
    const auto probed = probe_format(*layer.file);
    if (!probed) return failure(Error(probed.error()));
    layer.format = probed->format;
    if (const std::string doubt = format_doubt(path, *layer.format); !doubt.empty()) print_warning(doubt);
  } else {
    const auto named = format_named(format_name);
    if (!named) return failure(Error(named.error()));
    layer.format = *named;
  }
  OpenSource source{.file = layer.file.get()};
  auto reader = layer.format->open(source);
  if (reader) layer.reader = std::move(*reader);
  if (reader) {
    // Some are not there, or may not be opened: that is said, and all stay closed.
    if (auto opened = open_extents(path, *layer.reader, policy)) {
      layer.extents = std::move(*opened);
    } else {
      print_warning(sentence(opened.error()));
    }
    for (const auto& extent : layer.extents) source.extents.push_back(extent.get());
    if (!layer.extents.empty()) reader = layer.format->open(source);
    if (reader && !layer.extents.empty()) layer.reader = std::move(*reader);
  }
  if (!reader) {
    if (reader.error().subject.empty()) reader.error().subject = path;
    return failure(reader);
  }
  for (const std::string& warning : layer.reader->facts().warnings)
    print_warning(fmt::format("'{}': {}", path, warning));
  return layer;
}

std::vector<ImageFile> files_of(const std::vector<std::unique_ptr<FileDevice>>& files) {
  std::vector<ImageFile> out;
  out.reserve(files.size());
  for (const auto& file : files) {
    out.push_back({.path = std::string(file->name()),
                   .size = file->size(),
                   .allocated = file->allocated_bytes(),
                   .block_device = file->is_block_device()});
  }
  return out;
}

const Reference* backing_of(const ImageReader& reader) {
  const auto& references = reader.references();
  const auto found = std::ranges::find(references, Reference::Kind::backing, &Reference::kind);
  return found == references.end() ? nullptr : &*found;
}

// Nothing: it is no stream.
Result<std::optional<StreamInfo>> look_at_stream(const std::string& path, const std::string& format,
                                                 const OpenPolicy& policy) {
  auto opened = open_stream({.path = path, .format = format}, policy);
  if (!opened) return failure(opened);
  if (!*opened) return std::nullopt;
  const StreamFile& stream = **opened;
  auto content = job::content_of(*stream.source);
  if (!content) return failure(content);
  const stream::Encoding* encoding = stream.source->encoding();
  return StreamInfo{.path = path,
                    .format = std::string(stream.source->format()),
                    .description = std::string(encoding ? encoding->description : "as it is"),
                    .virtual_size = stream.source->size(),
                    .file_size = stream.source->stored_size(),
                    .allocated = stream.file ? stream.file->allocated_bytes() : std::nullopt,
                    .content = *content};
}

// A device that only the helper may open: a worker looks at what is on it.
int info_by_helper(const std::string& path, const std::string& format, bool chain, bool json,
                   const OpenPolicy& policy) {
  const auto open = [&policy](const job::Question& question) -> Result<std::unique_ptr<FileDevice>> {
    if (auto may = may_open(policy, question.image, question.reference, question.path); !may) return failure(may);
    return open_for_reading(question.path, policy);
  };
  job::Inspection found;
  Job job;
  const JobView view{.style = ProgressStyle::none, .summary = false};
  const JobOutcome outcome = run_job(view, job, [&](Job& running) -> Result<void> {
    auto inspection = inspect_by_helper(path, {.format = format, .chain = chain}, open, running);
    if (!inspection) return failure(inspection);
    found = std::move(*inspection);
    return {};
  });
  if (!outcome.result) return report(view, outcome, exit_code_of(outcome.result.error().kind));
  auto shown = nlohmann::ordered_json::array();
  for (const job::LayerFacts& layer : found.layers) {
    const auto backing = std::ranges::find(layer.references, Reference::Kind::backing, &Reference::kind);
    const bool stands = backing != layer.references.end();
    const ImageInfo info{.file = {.path = layer.name,
                                  .size = layer.file_size,
                                  .allocated = layer.allocated,
                                  .block_device = layer.block_device},
                         .format = layer.format,
                         .virtual_size = layer.virtual_size,
                         .facts = &layer.facts,
                         .backing = stands ? &*backing : nullptr,
                         .backing_path = stands ? resolve_reference(layer.name, backing->name) : "",
                         .extents = {}};
    if (json)
      shown.push_back(json_of(info));
    else
      fmt::print("{}{}", &layer == &found.layers.front() ? "" : "\n", text_of(info));
  }
  if (json)
    fmt::print("{}\n", (chain ? shown : shown[0]).dump(4, ' ', false, nlohmann::json::error_handler_t::replace));
  return exit_ok;
}

}  // namespace

int run_info(Arguments arguments) {
  std::string format, output = "human", backing;
  bool chain = false;
  std::vector<std::string> files;
  OpenPolicy policy;
  CommandLine line("info", help);
  line.text("-f,--format", format);
  line.choice("--output", output, {"human", "json"});
  line.flag("-b,--backing-chain", chain);
  line.choice("--backing", backing, {"allow", "deny", "ask"});
  line.flag("-U,--force-share", policy.share);
  line.words(files, 1, 1, "one image file");
  if (const auto code = line.parse(arguments)) return *code;
  policy.backing = backing_policy_of(backing).value_or(BackingPolicy::beside);
  policy.named = files;

  const bool json = output == "json";
  if (needs_helper(files[0], false)) return info_by_helper(files[0], format, chain, json, policy);
  const auto stream = look_at_stream(files[0], format, policy);
  if (!stream) return report(stream.error());
  if (*stream) {
    fmt::print("{}", json ? json_of(**stream).dump(4, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"
                          : text_of(**stream));
    return exit_ok;
  }
  auto shown = nlohmann::ordered_json::array();
  std::string path = files[0];
  std::vector<Opened> layers;  // kept open, so that a chain that bites its tail is noticed
  while (true) {
    auto opened = open_layer(path, format, policy);
    if (!opened) return report(opened.error());
    for (const Opened& above : layers) {
      if (above.on_disk() && opened->on_disk() && above.on_disk()->same_file_as(*opened->on_disk()))
        return report({.kind = ErrorKind::corrupt, .subject = path, .cause = "the backing chain is a circle"});
    }
    const Opened& layer = layers.emplace_back(std::move(*opened));
    const Reference* reference = backing_of(*layer.reader);
    const ImageInfo info{.file = {.path = path,
                                  .size = layer.file->size(),
                                  .allocated = layer.on_disk() ? layer.on_disk()->allocated_bytes() : std::nullopt,
                                  .block_device = layer.on_disk() && layer.on_disk()->is_block_device()},
                         .format = std::string(layer.format->name),
                         .virtual_size = layer.reader->size(),
                         .facts = &layer.reader->facts(),
                         .backing = reference,
                         .backing_path = reference ? resolve_reference(path, reference->name) : "",
                         .extents = files_of(layer.extents)};
    if (json)
      shown.push_back(json_of(info));
    else
      fmt::print("{}{}", layers.size() > 1 ? "\n" : "", text_of(info));
    if (!chain || !reference) break;
    if (layers.size() == max_chain_depth)
      return report({.kind = ErrorKind::unsupported,
                     .operation = "open",
                     .subject = path,
                     .cause = fmt::format("the backing chain is longer than {} images", max_chain_depth)});
    if (auto allowed = may_open(policy, path, *reference, info.backing_path); !allowed) return report(allowed.error());
    format = reference->format;
    path = info.backing_path;
  }
  if (json)
    fmt::print("{}\n", (chain ? shown : shown[0]).dump(4, ' ', false, nlohmann::json::error_handler_t::replace));
  return exit_ok;
}

}  // namespace disklathe::cli
