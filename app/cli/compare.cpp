// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/command_line.h"
#include "app/cli/exit_codes.h"
#include "app/cli/job.h"
#include "app/cli/map_entry.h"
#include "app/cli/open_files.h"
#include "app/cli/sentences.h"
#include "app/cli/verbs.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view help =
    R"(disklathe compare [-f FORMAT] [-F FORMAT] [-s] [-p] [-q] [-T CACHE] FILE1 FILE2

Whether two images hold the same. Where one is longer, its rest must read as zeroes.
Ends with 0: they do, 1: they differ, 2: one cannot be opened, 3: mapped, 4: read.

  -f, --a-format FORMAT       what FILE1 is; otherwise its content is looked at
  -F, --b-format FORMAT       what FILE2 is
  -s, --strict                their sizes must be the same, too, and where they hold
                              something at all
  -p, --progress[=json]       show how far it is; json: one object a line
  -q, --quiet                 say nothing but errors
  -T, --cache CACHE           none, writeback, directsync, unsafe or auto (default)
      --backing POLICY        allow, deny or ask: open backing files that are not
                              regular files beside their image
      --data-file allow|deny  open the external data files images name (deny)
  -U, --force-share           also when another program writes to an image
)";

struct Comparison {
  ImageRequest a, b;
  OpenPolicy policy;
  bool strict = false;
  bool opened = false;
  // What was found.
  bool sizes_differ = false;
  uint64_t common_size = 0;
  std::optional<uint64_t> other_status;  // --strict: where one image holds something that the other does not
  std::optional<Difference> difference;
};

// Answers for any offset what an image says of it.
class StatusWalk {
 public:
  explicit StatusWalk(Image& image) : image_(image) {}

  Result<MapEntry> at(uint64_t offset) {
    while (next_ < extents_.size() && extents_[next_].guest.end() <= offset) ++next_;
    if (next_ == extents_.size()) {
      extents_.clear();
      next_ = 0;
      if (auto mapped = image_.map(Range::between(offset, image_.size()), extents_); !mapped) return failure(mapped);
    }
    return entry_of(image_, extents_[next_]);
  }

 private:
  Image& image_;
  std::vector<Extent> extents_;
  size_t next_ = 0;
};

// The first offset at which one image holds something in another way than the other.
Result<std::optional<uint64_t>> first_other_status(Image& a, Image& b) {
  StatusWalk walk_a(a), walk_b(b);
  for (uint64_t at = 0; at < a.size();) {
    const auto entry_a = walk_a.at(at);
    if (!entry_a) return failure(Error(entry_a.error()));
    const auto entry_b = walk_b.at(at);
    if (!entry_b) return failure(Error(entry_b.error()));
    if (!entry_a->same_status(*entry_b)) return at;
    at = std::min(entry_a->end(), entry_b->end());
  }
  return std::nullopt;
}

Result<void> work(Comparison& comparison, Job& job) {
  comparison.a.file_holes = comparison.b.file_holes = !comparison.strict;
  auto a = open_image(comparison.a, comparison.policy);
  if (!a) return failure(a);
  auto b = open_image(comparison.b, comparison.policy);
  if (!b) return failure(b);
  comparison.opened = true;
  comparison.sizes_differ = (*a)->size() != (*b)->size();
  comparison.common_size = std::min((*a)->size(), (*b)->size());
  CompareOptions options;
  if (comparison.strict) {
    if (comparison.sizes_differ) return {};
    const auto other = first_other_status(**a, **b);
    if (!other) return failure(Error(other.error()));
    comparison.other_status = *other;
    // What lies behind it does not matter any more.
    options.limit = other->value_or(options.limit);
  }
  auto difference = compare(**a, **b, options, job.progress, job.stop);
  if (!difference) return failure(difference);
  comparison.difference = *difference;
  job.progress.phase = Phase::done;
  return {};
}

// As qemu-img words it; what was found first comes first.
int tell(const Comparison& comparison, bool quiet) {
  const auto say = [&](const std::string& text) {
    if (!quiet) fmt::print("{}\n", text);
  };
  if (comparison.strict && comparison.sizes_differ) {
    say("Strict mode: Image size mismatch!");
    return exit_compare_different;
  }
  if (comparison.sizes_differ && (!comparison.difference || comparison.difference->offset >= comparison.common_size))
    say("Warning: Image size mismatch!");
  if (comparison.difference) {
    say(fmt::format("Content mismatch at offset {}!", comparison.difference->offset));
    return exit_compare_different;
  }
  if (comparison.other_status) {
    say(fmt::format("Strict mode: Offset {} block status mismatch!", *comparison.other_status));
    return exit_compare_different;
  }
  say("Images are identical.");
  return exit_compare_identical;
}

int code_of(const Comparison& comparison, const Error& error) {
  if (!comparison.opened) return exit_compare_open;
  return error.operation == "map" || error.kind == ErrorKind::corrupt ? exit_compare_map : exit_compare_read;
}

}  // namespace

int run_compare(Arguments arguments) {
  Comparison comparison;
  std::string cache, backing, data_file, progress;
  bool quiet = false;
  JobView view{.verify_word = "comparing", .summary = false};
  std::vector<std::string> files;
  CommandLine line("compare", help);
  line.text("-f,--a-format", comparison.a.format);
  line.text("-F,--b-format", comparison.b.format);
  line.flag("-s,--strict", comparison.strict);
  line.optional_choice("-p,--progress", progress, {"line", "json"});
  line.flag("-q,--quiet", quiet);
  line.choice("-T,--cache", cache, {"none", "writeback", "directsync", "unsafe", "auto"});
  line.choice("--backing", backing, {"allow", "deny", "ask"});
  line.choice("--data-file", data_file, {"allow", "deny"});
  line.flag("-U,--force-share", comparison.policy.share);
  line.words(files, 2, 2, "two image files");
  if (const auto code = line.parse(arguments)) return *code;
  comparison.a.path = files[0];
  comparison.b.path = files[1];
  comparison.policy.backing = backing_policy_of(backing).value_or(BackingPolicy::beside);
  comparison.policy.data_file = data_file == "allow";
  comparison.policy.named = files;
  view.style = progress_style_of(progress, quiet);
  if (!cache.empty()) comparison.policy.cache = cache_mode_of(cache).value_or(CacheMode::automatic);

  Job job;
  const JobOutcome outcome = run_job(view, job, [&](Job& running) { return work(comparison, running); });
  if (!outcome.result) return report(view, outcome, code_of(comparison, outcome.result.error()));
  return tell(comparison, quiet);
}

}  // namespace disklathe::cli
