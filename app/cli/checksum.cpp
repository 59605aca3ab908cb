// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/checksum.h"

#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "app/cli/exit_codes.h"
#include "app/cli/job.h"
#include "app/cli/notes.h"
#include "app/cli/open_files.h"
#include "app/cli/sentences.h"
#include "app/cli/stream_file.h"
#include "app/cli/verbs.h"
#include "core/job/convert.h"

namespace disklathe::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view help =
    R"(disklathe checksum [-f FORMAT] [-l SNAPSHOT] [-p] [-U] IMAGE...

Digests of what images hold: the same for the same content in any format, and those
of a raw file that holds it. What an image says is zero is not read.

  -f, --format FORMAT         what each IMAGE is; otherwise its content is looked at
                              (gz, bz2, xz, zst: a compressed raw disk; IMAGE - is
                              standard input)
  -l, --snapshot SNAPSHOT     of that internal snapshot
      --digest sha256|xxh128  only that one: as sha256sum prints it, or as xxh128sum,
                              which is much faster and no proof against intent
      --output human|json     for people (default), or a list of objects
  -p, --progress[=json]       show how far it is; json: one object a line, the last of
                              each image with its digests
  -T, --cache CACHE           none, writeback, directsync, unsafe or auto (default)
      --backing POLICY        allow, deny or ask: open backing files that are not
                              regular files beside their image
      --data-file allow|deny  open the external data files images name (deny)
      --max-window N          memory for decoding a zst stream (128M)
  -U, --force-share           also when another program writes to an image
)";

struct Words {
  std::string format, snapshot, digest, output = "human", progress, cache, backing, data_file;
  std::optional<uint64_t> most_window;
  std::vector<std::string> files;

  bool sha256() const { return digest != "xxh128"; }
  bool xxh128() const { return digest != "sha256"; }
};

Result<Checksums> of_stream(const Words& words, const StreamRequest& asked, StreamFile& stream, Job& job) {
  if (!words.snapshot.empty()) return failure(ErrorKind::invalid, "checksum", "-l names a snapshot; a stream has none");
  if (auto raw = must_hold_raw(asked, stream); !raw) return failure(raw);
  auto sums = checksum({.stream = stream.source.get(), .sha256 = words.sha256(), .xxh128 = words.xxh128()},
                       job.progress, job.stop);
  if (!sums) return sums;
  if (stream.file)
    if (auto same = stream.file->unchanged_since_open(); !same) return failure(same);
  if (const auto note = job::garbage_note(stream.source.get())) print_note(*note);
  return sums;
}

Result<Checksums> of_image(const Words& words, const std::string& path, const OpenPolicy& policy, Job& job) {
  auto image = open_image(
      {.path = path, .format = words.format, .snapshot = snapshot_of(words.snapshot), .file_holes = true}, policy);
  if (!image) return failure(image);
  auto sums =
      checksum({.source = image->get(), .sha256 = words.sha256(), .xxh128 = words.xxh128()}, job.progress, job.stop);
  if (!sums) return sums;
  // What changed while it was read had two contents.
  if (auto same = unchanged_since_open(**image); !same) return failure(same);
  return sums;
}

Result<Checksums> work(const Words& words, const std::string& path, const OpenPolicy& policy, Job& job) {
  StreamRequest asked{.path = path, .format = words.format};
  if (words.most_window) asked.most_window = *words.most_window;
  auto stream = open_stream(asked, policy, [&job] {
    job.progress.waits_for_input = true;
    return job.stop.requested();
  });
  if (!stream) return failure(stream);
  job.progress.waits_for_input = false;
  auto sums = *stream ? of_stream(words, asked, **stream, job) : of_image(words, path, policy, job);
  if (sums) job.progress.phase = Phase::done;
  return sums;
}

ordered_json json_of(const std::string& path, const Checksums& sums) {
  ordered_json json{{"filename", path}, {"virtual-size", sums.size}};
  if (!sums.sha256.empty()) json["sha256"] = sums.sha256;
  if (!sums.xxh128.empty()) json["xxh128"] = sums.xxh128;
  return json;
}

void print(const std::string& path, const Checksums& sums) {
  if (!sums.sha256.empty()) fmt::print("sha256 {}  {}\n", sums.sha256, printable(path));
  if (!sums.xxh128.empty()) fmt::print("xxh128 {}  {}\n", sums.xxh128, printable(path));
  std::fflush(stdout);
}

}  // namespace

int run_checksum(Arguments arguments) {
  Words words;
  OpenPolicy policy;
  CommandLine line("checksum", help);
  line.text("-f,--format", words.format);
  line.text("-l,--snapshot", words.snapshot);
  line.choice("--digest", words.digest, {"sha256", "xxh128"});
  line.choice("--output", words.output, {"human", "json"});
  line.optional_choice("-p,--progress", words.progress, {"line", "json"});
  line.choice("-T,--cache", words.cache, {"none", "writeback", "directsync", "unsafe", "auto"});
  line.choice("--backing", words.backing, {"allow", "deny", "ask"});
  line.choice("--data-file", words.data_file, {"allow", "deny"});
  line.size("--max-window", words.most_window);
  line.flag("-U,--force-share", policy.share);
  line.words(words.files, 1, SIZE_MAX, "one image or more");
  if (const auto code = line.parse(arguments)) return *code;
  policy.backing = backing_policy_of(words.backing).value_or(BackingPolicy::beside);
  policy.data_file = words.data_file == "allow";
  policy.cache = cache_mode_of(words.cache).value_or(CacheMode::automatic);
  policy.named = words.files;

  const ProgressStyle style = progress_style_of(words.progress, false);
  const bool json = words.output == "json";
  ordered_json list = ordered_json::array();
  int code = exit_ok;
  for (const std::string& path : words.files) {
    Checksums sums;
    const JobView view{
        .style = style, .verify_word = "reading", .summary = false, .result = [&] { return json_of(path, sums); }};
    Job job;
    const JobOutcome outcome = run_job(view, job, [&](Job& running) -> Result<void> {
      auto found = work(words, path, policy, running);
      if (!found) return failure(found);
      sums = std::move(*found);
      return {};
    });
    if (!outcome.result) {
      // The others are gone through all the same, unless a signal ended it.
      const int wrong = report(view, outcome, exit_code_of(outcome.result.error().kind));
      code = code ? code : wrong;
      if (outcome.signal) return wrong;
    } else if (json) {
      list.push_back(json_of(path, sums));
    } else if (style != ProgressStyle::json) {
      print(path, sums);
    }
  }
  if (json && style != ProgressStyle::json)
    fmt::print("{}\n", list.dump(4, ' ', false, nlohmann::json::error_handler_t::replace));
  return code;
}

}  // namespace disklathe::cli
