// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sweep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/command_line.h"
#include "app/cli/exit_codes.h"
#include "app/cli/helper_worker.h"
#include "app/cli/job.h"
#include "app/cli/sentences.h"
#include "app/cli/size_text.h"
#include "app/cli/sweep_report.h"
#include "app/cli/sweep_target.h"
#include "app/cli/verbs.h"
#include "core/base/arithmetic.h"
#include "core/device/max_sectors.h"
#include "core/engine/alignment_probe.h"

namespace disklathe::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view help =
    R"(disklathe sweep [OPTIONS] DEVICE|FILE
disklathe sweep --compare A.json B.json

Measures direct sequential requests of each size from 4 KiB to 16 MiB, and finds
the knee: the size beyond which larger requests gain nothing.

  -w, --write        write: FILE is then a scratch file of a new name, gone afterwards;
                     what is on DEVICE is lost, after its ID was typed
      --yes-erase ID (instead of typing it)
      --size SIZE    work on as much, from the start (all; of a scratch file 256M)
      --sizes LIST   of requests: 4k,64k,1M
      --depth N      requests in flight, 1 to 32 (1)
      --seconds S    for each size (1)
      --max-sectors KIB  have the kernel split there; set back even after kill -9
      --passthrough  DEVICE is a SCSI generic node, /dev/sgN: by commands, not split
      --preset 2015  1M, 2M and 4M written one at a time, 1 GiB with each
      --alignment    4 KiB writes from memory at 512 and at 4096 instead, writing as -w
      --count N      of them, with each (100000)
      --output human|json|csv
  -o, --output-file FILE  save there, as JSON or as --output says; the table is shown
      --compare      two saved sweeps, size by size
)";

constexpr uint64_t least_size = 4096, largest_size = 64 << 20;
constexpr uint64_t preset_bytes = 1 << 30;

struct Words {
  std::vector<std::string> files;
  std::optional<uint64_t> size;
  std::string sizes, seconds, preset, yes_erase, output = "human", output_file;
  unsigned depth = 1, max_sectors = 0, count = 100000;
  bool write = false, alignment = false, compare = false, passthrough = false;
};

std::unexpected<Error> invalid(std::string cause) { return failure(ErrorKind::invalid, "sweep", std::move(cause)); }

// "4k,64k,1M", ascending.
Result<std::vector<uint64_t>> parse_sizes(std::string_view list) {
  std::vector<uint64_t> sizes;
  while (true) {
    const size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    const auto size = parse_size(word);
    if (!size || *size < least_size || *size > largest_size || !is_multiple(*size, least_size))
      return invalid(fmt::format("--sizes takes multiples of 4k up to 64M, not '{}'", word));
    sizes.push_back(*size);
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  std::ranges::sort(sizes);
  const auto [again, end] = std::ranges::unique(sizes);
  sizes.erase(again, end);
  return sizes;
}

// What the words mean together. Nothing is opened here.
Result<SweepRequest> understand(Words& words) {
  if (words.passthrough && (words.alignment || words.max_sectors || words.depth > 1))
    return invalid("--passthrough sends whole commands one by one: without --alignment, --max-sectors and --depth");
  SweepRequest request{.sizes = {}, .write = words.write, .depth = words.depth};
  for (uint64_t size = least_size; size <= 16 << 20; size *= 2) request.sizes.push_back(size);
  if (words.preset == "2015") {
    if (!words.sizes.empty() || words.depth != 1) return invalid("--preset says itself which sizes and depth");
    request.sizes = {1 << 20, 2 << 20, 4 << 20};
    request.write = words.write = true;
    if (!words.size) words.size = preset_bytes;
    request.bytes_per_size = *words.size;
    request.time_per_size = std::chrono::minutes(10);
  }
  if (!words.sizes.empty()) {
    auto sizes = parse_sizes(words.sizes);
    if (!sizes) return failure(sizes);
    request.sizes = std::move(*sizes);
  }
  if (!words.seconds.empty()) {
    double seconds = 0;
    const char* end = words.seconds.data() + words.seconds.size();
    const auto [after, error] = std::from_chars(words.seconds.data(), end, seconds);
    const bool fits = seconds >= 0.01 && seconds <= 3600;
    if (error != std::errc() || after != end || !fits)
      return invalid(fmt::format("--seconds takes a number from 0.01 to 3600, not '{}'", words.seconds));
    request.time_per_size = std::chrono::nanoseconds(std::llround(seconds * 1e9));
  }
  return request;
}

// A line that is drawn over, on a terminal; nothing elsewhere.
class StatusLine {
 public:
  ~StatusLine() { show({}); }
  void show(const std::string& text) const {
    if (terminal_) fmt::print(stderr, "\r\033[K{}", text);
  }

 private:
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
};

// What was going to happen is said before it does.
void announce(const Words& words, const std::string& text) {
  if (words.output == "human")
    fmt::print("{}\n", printable(text));
  else
    print_message(text);
  std::fflush(stdout);
}

// What is read or written and where, in words: "the first 64 MiB of 'disk.raw'".
std::string place_of(const Words& words, SweepTarget& target) {
  if (target.scratch)
    return fmt::format("a scratch file of {} in place of '{}'", human_size(target.area), words.files[0]);
  const bool all = target.area == target.size();
  return fmt::format("{} {} of '{}'", all ? "all" : "the first", exact_size(target.area), words.files[0]);
}

std::string plan_of(const Words& words, const SweepRequest& request, SweepTarget& target) {
  std::string text = fmt::format("{} {}, {} sizes", request.write ? "writing" : "reading", place_of(words, target),
                                 request.sizes.size());
  const double each = std::chrono::duration<double>(request.time_per_size).count();
  if (request.bytes_per_size < UINT64_MAX)
    text += fmt::format(", {} with each, for at most {:g} s each", human_size(request.bytes_per_size), each);
  else
    text +=
        fmt::format(", {:g} s each: {:.3g} s, round and round", each, each * static_cast<double>(request.sizes.size()));
  if (target.scratch) text += "; before that it is filled once";
  if (!request.write) text += "; nothing is written";
  return text;
}

void say_what_is_doubtful(SweepTarget& target) {
  if (target.passthrough || target.granted) return;
  FileDevice& device = target.file();
  if (device.limits().offset_align == 1)
    print_warning("it is in memory: what is measured is copying from and to the page cache");
  const auto allocated = device.allocated_bytes();
  if (!target.scratch && allocated && *allocated < device.size() / 100 * 95)
    print_warning(fmt::format("{} of it are holes, which no device is asked for; what is measured is not its speed",
                              human_size(device.size() - *allocated)));
}

// Sizes that the device takes and that fit. Those that were not asked for by name are left out without a word.
Result<void> fit_sizes(const Words& words, SweepRequest& request, SweepTarget& target) {
  const uint64_t unit = target.block();
  const auto unfit = [&](uint64_t size) { return size > target.area || !is_multiple(size, unit); };
  const auto first = std::ranges::find_if(request.sizes, unfit);
  if (first == request.sizes.end()) return {};
  if (!words.sizes.empty() || !words.preset.empty())
    return invalid(fmt::format("requests of {} do not fit: it has {}, in blocks of {} bytes", human_size(*first),
                               human_size(target.area), unit));
  std::erase_if(request.sizes, unfit);
  if (request.sizes.empty()) return invalid("no request fits");
  return {};
}

Result<void> save(const std::string& path, const std::string& text) {
  auto file = TargetFile::create(path, CacheMode::writeback);
  if (!file) return failure(file);
  FileDevice& device = (*file)->device();
  if (auto sized = device.resize(text.size()); !sized) return sized;
  if (auto written = device.write_now(0, std::as_bytes(std::span(text))); !written) return written;
  return (*file)->commit(true);
}

// To standard output or, with -o, into the file.
Result<void> hand_out(const Words& words, const std::string& table, const std::string& json, const std::string& csv) {
  const std::string& machine = words.output == "csv" ? csv : json;
  if (words.output_file.empty()) {
    fmt::print("{}", words.output == "human" ? table : machine);
    return {};
  }
  fmt::print("{}", table);
  return save(words.output_file, machine);
}

std::string text_of(const ordered_json& object) {
  return object.dump(4, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Runs the work so that a signal stops it. Nothing: it went well.
std::optional<int> run_stoppable(SweepTarget& target, const std::function<Result<void>(Job&)>& work) {
  Job job;
  job.targets[0] = target.scratch.get();
  const JobView view{.style = ProgressStyle::none, .summary = false};
  const JobOutcome outcome = run_job(view, job, work);
  if (outcome.result) return std::nullopt;
  return report(view, outcome, exit_code_of(outcome.result.error().kind));
}

int run_alignment(const Words& words, SweepTarget& target) {
  announce(words, fmt::format("writing {} times 4 KiB over {}, from memory at 512 and as often at 4096", words.count,
                              place_of(words, target)));
  std::array<AlignmentRun, 2> runs{};
  const auto failed = run_stoppable(target, [&](Job& job) -> Result<void> {
    if (target.scratch)
      if (auto filled = lay_out(target.device(), target.area, job.stop); !filled) return filled;
    auto probed = probe_alignment(target.file(), target.area, words.count, job.stop);
    if (!probed) return failure(probed);
    runs = *probed;
    return {};
  });
  if (failed) return *failed;

  const double ratio = runs[1].seconds > 0 ? runs[0].seconds / runs[1].seconds : 0;
  std::string table =
      fmt::format("{:<9} {:>8} {:>9} {:>9} {:>8}\n", "MEMORY AT", "WRITES", "SECONDS", "WRITES/S", "BOUNCES");
  std::string csv = "alignment,writes,seconds,bounces\n";
  ordered_json object{{"kind", "disklathe-alignment"}, {"target", words.files[0]}, {"runs", ordered_json::array()}};
  for (const AlignmentRun& run : runs) {
    table += fmt::format("{:<9} {:>8} {:>9.3f} {:>9.0f} {:>8}\n", run.alignment, run.writes, run.seconds,
                         run.seconds > 0 ? static_cast<double>(run.writes) / run.seconds : 0, run.bounces);
    csv += fmt::format("{},{},{:.6f},{}\n", run.alignment, run.writes, run.seconds, run.bounces);
    object["runs"].push_back(
        {{"alignment", run.alignment}, {"writes", run.writes}, {"seconds", run.seconds}, {"bounces", run.bounces}});
  }
  table += fmt::format("\nfrom 512 it takes {:.3f} of the time from 4096\n", ratio);
  object["ratio"] = ratio;
  const auto handed = hand_out(words, table, text_of(object), csv);
  return handed ? exit_ok : report(handed.error());
}

Result<std::vector<SweepPoint>> sweep_by_helper(const std::string& path, const Identity& device,
                                                const SweepRequest& request, uint64_t max_sectors_kib, Job& job) {
  const job::Role role = request.write ? job::Role::target : job::Role::source;
  const job::Spec spec{.files = {granted_file(role, path, device, CacheMode::none)},
                       .work = job::Sweep{.sizes = request.sizes,
                                          .write = request.write,
                                          .depth = request.depth,
                                          .area = request.area,
                                          .nanoseconds_per_size = static_cast<uint64_t>(request.time_per_size.count()),
                                          .bytes_per_size = request.bytes_per_size,
                                          .rounds = request.rounds}};
  std::optional<HelperClient> tuned;
  if (max_sectors_kib > 0) {
    auto set =
        done_by_helper({.action = "tune", .path = path, .device = device, .max_sectors_kib = max_sectors_kib}, job);
    if (!set) return failure(set);
    tuned.emplace(std::move(*set));
  }
  auto outcome = run_by_helper({.action = request.write ? "sweep.write" : "sweep.read", .path = path, .device = device},
                               spec, {}, {}, job);
  if (tuned) undo_by_helper(std::move(*tuned));
  if (!outcome) return failure(outcome);
  return std::get<job::Swept>(std::move(*outcome)).points;
}

int run_sizes(const Words& words, SweepRequest request, SweepTarget& target) {
  if (auto fits = fit_sizes(words, request, target); !fits) return report(fits.error());
  request.area = target.area;
  announce(words, plan_of(words, request, target));
  say_what_is_doubtful(target);
  if (request.depth == 1 && !target.passthrough && !target.granted) target.file().answer_at_once();

  // Before there are threads: it forks.
  std::optional<MaxSectorsOverride> splitting;
  if (words.max_sectors && target.granted) {
    announce(words, fmt::format("requests are split at {} KiB for this run, then as before", words.max_sectors));
  } else if (words.max_sectors) {
    auto set = MaxSectorsOverride::set(target.file().descriptor(), words.max_sectors);
    if (!set) return report(set.error());
    splitting.emplace(std::move(*set));
    announce(words, fmt::format("'{}' is {} for this run, then {} again", splitting->path(), words.max_sectors,
                                splitting->original()));
  }
  SweepReport result{.target = words.files[0],
                     .write = request.write,
                     .direct = target.block() != 1,
                     .depth = request.depth,
                     .area = request.area,
                     .max_sectors_kb = words.max_sectors ? std::optional<uint64_t>(words.max_sectors) : std::nullopt};
  const auto failed = run_stoppable(target, [&](Job& job) -> Result<void> {
    if (target.granted) {
      auto points = sweep_by_helper(words.files[0], *target.granted, request, words.max_sectors, job);
      if (!points) return failure(points);
      result.points = std::move(*points);
      return {};
    }
    const StatusLine status;
    if (target.scratch) {
      status.show("filling the scratch file");
      if (auto filled = lay_out(target.device(), target.area, job.stop); !filled) return filled;
    }
    auto points = sweep(target.device(), request, job.stop, [&](uint64_t size, unsigned round, unsigned rounds) {
      status.show(fmt::format("round {} of {}: {}", round, rounds, human_size(size)));
    });
    if (!points) {
      if (points.error().subject.empty()) points.error().subject = words.files[0];
      return failure(points);
    }
    result.points = std::move(*points);
    return {};
  });
  if (splitting) {
    if (auto back = splitting->restore(); !back) {
      report(back.error());
      return failed.value_or(exit_io);
    }
  }
  if (failed) return *failed;
  const auto handed = hand_out(words, table_of(result), text_of(json_of(result)), csv_of(result));
  return handed ? exit_ok : report(handed.error());
}

int run_compare_sweeps(const Words& words) {
  const auto first = read_sweep(words.files[0]);
  if (!first) return report(first.error());
  const auto second = read_sweep(words.files[1]);
  if (!second) return report(second.error());
  fmt::print("{}", comparison_of(*first, *second));
  return exit_ok;
}

}  // namespace

int run_sweep(Arguments arguments) {
  Words words;
  CommandLine line("sweep", help);
  line.flag("-w,--write", words.write);
  line.text("--yes-erase", words.yes_erase);
  line.size("--size", words.size);
  line.text("--sizes", words.sizes);
  line.number("--depth", words.depth, 1, 32);
  line.text("--seconds", words.seconds);
  line.number("--max-sectors", words.max_sectors, 4, 1 << 21);
  line.flag("--passthrough", words.passthrough);
  line.choice("--preset", words.preset, {"2015"});
  line.flag("--alignment", words.alignment);
  line.number("--count", words.count, 1, 100'000'000);
  line.choice("--output", words.output, {"human", "json", "csv"});
  line.text("-o,--output-file", words.output_file);
  line.flag("--compare", words.compare);
  line.words(words.files, 1, 2, "one device or file (two saved sweeps with --compare)");
  if (const auto code = line.parse(arguments)) return *code;
  if (words.files.size() != (words.compare ? 2 : 1)) {
    print_message(words.compare ? "--compare takes two saved sweeps" : "one device or file is measured at a time");
    return exit_usage;
  }
  if (words.compare) return run_compare_sweeps(words);

  auto request = understand(words);
  if (!request) return report(request.error());
  auto target = open_sweep_target({.path = words.files[0],
                                   .write = words.write || words.alignment,
                                   .passthrough = words.passthrough,
                                   .size = words.size,
                                   .yes_erase = words.yes_erase});
  if (!target) return report(target.error());
  if (target->granted && words.alignment) {
    print_message("--alignment is for who may open the device: run this as root");
    return exit_permission;
  }
  return words.alignment ? run_alignment(words, *target) : run_sizes(words, std::move(*request), *target);
}

}  // namespace disklathe::cli
