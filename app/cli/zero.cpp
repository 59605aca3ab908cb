// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <random>

#include "app/cli/command_line.h"
#include "app/cli/device_target.h"
#include "app/cli/erase_consent.h"
#include "app/cli/exit_codes.h"
#include "app/cli/helper_worker.h"
#include "app/cli/image_lock.h"
#include "app/cli/job.h"
#include "app/cli/sentences.h"
#include "app/cli/size_text.h"
#include "app/cli/target_usage.h"
#include "app/cli/verbs.h"
#include "app/cli/zero_ranges.h"
#include "core/format/registry.h"
#include "core/http/head.h"
#include "core/job/zero.h"
#include "core/nbd/remote_device.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view help =
    R"(disklathe zero [OPTIONS] DEVICE|FILE|nbd://...

Makes a device, an existing file or what a server serves read as zeroes, in the
fastest way that it takes; what is a hole already is left alone.

  -f, --format raw       zero the bytes of the file itself, although it is an image
      --range AT+LENGTH  only these bytes; may be given more than once
      --method METHOD    auto          measured on the work itself (default)
                         write-zeroes  the device's command for it
                         punch         the same, space is given back
                         buffers       zeroes are written
                         discard       space is given back; promises no zeroes
      --verify           read all of it back, not only samples
      --yes-erase ID     what is on the device may go; ID is what devices prints.
                         Otherwise it is asked for on the terminal
  -p, --progress[=json]  show how far it is; json: one object a line
  -q, --quiet            say nothing when all went well

This is no secure erase: what was there may still be in cells that the device
keeps for itself, until its own sanitize command is given. Ends with 20 when it
does not read back as zeroes.
)";

struct Zeroing {
  std::string path, format, yes_erase, method = "auto";
  std::vector<std::string> range_words;
  bool verify = false, quiet = false;

  std::unique_ptr<FileDevice> target;         // or:
  std::unique_ptr<nbd::RemoteDevice> remote;  // or:
  std::optional<Identity> granted;            // only the helper may open it, for a worker
  std::vector<Range> ranges;
};

// What is known of how the target reads afterwards.
enum class ReadsZero : uint8_t { proven, claimed, promised_by_nobody, no };

std::string_view key_of(ReadsZero reads) {
  switch (reads) {
    case ReadsZero::proven: return "proven";
    case ReadsZero::claimed: return "device claims";
    case ReadsZero::promised_by_nobody: return "no promise";
    case ReadsZero::no: return "no";
  }
  return "no";
}

struct Outcome {
  ZeroStrategy::Done done;
  uint64_t discarded = 0;
  ReadsZero reads = ReadsZero::claimed;
  uint64_t nonzero_at = 0;
};

std::optional<ZeroMethod> method_of(std::string_view name) {
  if (name == "write-zeroes") return ZeroMethod::write_zeroes;
  if (name == "punch") return ZeroMethod::punch;
  if (name == "buffers") return ZeroMethod::buffers;
  return std::nullopt;
}

std::string_view name_of(ZeroMethod method) {
  switch (method) {
    case ZeroMethod::write_zeroes: return "write-zeroes";
    case ZeroMethod::punch: return "punch";
    case ZeroMethod::buffers: return "buffers";
  }
  return "";
}

Error about(Error error, const Zeroing& zeroing) {
  if (error.subject.empty() && error.kind != ErrorKind::stopped && error.kind != ErrorKind::invalid)
    error.subject = zeroing.path;
  if (error.kind == ErrorKind::unsupported && error.cause.empty())
    error.cause = fmt::format("it does not take --method {}; auto finds one that it takes", zeroing.method);
  return error;
}

std::unexpected<Error> no(ErrorKind kind, const std::string& path, std::string cause) {
  return failure(Error{.kind = kind, .operation = "zero", .subject = path, .cause = std::move(cause)});
}

Result<void> open_device(Zeroing& zeroing) {
  auto chosen = choose_target_device(zeroing.path);
  if (!chosen) return failure(chosen);
  auto ranges = parse_ranges(zeroing.range_words, chosen->identity.size);
  if (!ranges) return failure(ranges);
  zeroing.ranges = std::move(*ranges);
  for (const Range& range : zeroing.ranges)
    if (auto may = takes_any_order(*chosen, range); !may) return may;
  if (auto agreed = confirm_erase(*chosen, {.ranges = zeroing.ranges, .yes_erase = zeroing.yes_erase}); !agreed)
    return agreed;
  if (needs_helper(zeroing.path, true)) {
    zeroing.granted = chosen->identity;
    return {};
  }
  auto device = open_target_device(*chosen, CacheMode::automatic);
  if (!device) return failure(device);
  zeroing.target = std::move(*device);
  return {};
}

// Its guest's disk is what people mean then, and the file's own bytes are all that there is of it.
Result<void> no_image(BlockDevice& file, const Zeroing& zeroing) {
  if (!zeroing.format.empty()) return {};
  auto probed = probe_format(file);
  if (!probed) return failure(probed);
  if (probed->format->name == "raw") return {};
  return no(
      ErrorKind::refused, zeroing.path,
      fmt::format("it is a {} image, which this would destroy; -f raw says that it is meant", probed->format->name));
}

Result<void> open_file(Zeroing& zeroing) {
  if (!zeroing.yes_erase.empty()) return no(ErrorKind::invalid, zeroing.path, "--yes-erase is for devices");
  if (zeroing.method == "discard")
    return no(ErrorKind::invalid, zeroing.path, "--method discard is for devices; a file is punched");
  if (const std::string usage = usage_of(zeroing.path); !usage.empty())
    return no(ErrorKind::busy, zeroing.path, fmt::format("it is {}", usage));
  auto file = FileDevice::open({.path = zeroing.path, .writable = true});
  if (!file) return failure(file);
  if (auto alone = lock_for_writing((*file)->descriptor(), zeroing.path); !alone) return failure(alone);
  if (auto plain = no_image(**file, zeroing); !plain) return plain;
  auto ranges = parse_ranges(zeroing.range_words, (*file)->size());
  if (!ranges) return failure(ranges);
  zeroing.ranges = std::move(*ranges);
  zeroing.target = std::move(*file);
  return {};
}

Result<void> open_remote(Zeroing& zeroing) {
  if (!zeroing.yes_erase.empty()) return no(ErrorKind::invalid, zeroing.path, "--yes-erase is for devices");
  auto remote = nbd::RemoteDevice::open(zeroing.path, true);
  if (!remote) return failure(remote);
  if (auto plain = no_image(**remote, zeroing); !plain) return plain;
  auto ranges = parse_ranges(zeroing.range_words, (*remote)->size());
  if (!ranges) return failure(ranges);
  zeroing.ranges = std::move(*ranges);
  zeroing.remote = std::move(*remote);
  return {};
}

Result<void> open_target(Zeroing& zeroing) {
  if (nbd::is_uri(zeroing.path)) return open_remote(zeroing);
  if (http::is_url(zeroing.path))
    return no(ErrorKind::unsupported, zeroing.path, "web servers are read from, not written to");
  struct stat status{};
  if (stat(zeroing.path.c_str(), &status) != 0) return failure(os_failure(errno, "open", zeroing.path));
  return S_ISBLK(status.st_mode) ? open_device(zeroing) : open_file(zeroing);
}

// From the medium where direct I/O is to be had, else through the page cache after it was dropped.
Result<std::unique_ptr<FileDevice>> reopen(Zeroing& zeroing) {
  const auto open_again = [&](CacheMode cache) -> Result<std::unique_ptr<FileDevice>> {
    const int fd = open(fmt::format("/proc/self/fd/{}", zeroing.target->descriptor()).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return failure(os_failure(errno, "open", zeroing.path));
    return FileDevice::adopt(fd, zeroing.path, false, cache);
  };
  auto direct = open_again(CacheMode::none);
  return direct ? std::move(direct) : open_again(CacheMode::writeback);
}

job::ZeroTarget target_of(Zeroing& zeroing) {
  if (!zeroing.remote) return job::zero_target(*zeroing.target, [&] { return reopen(zeroing); });
  return {.device = *zeroing.remote,
          .discard = [&](Range range) { return zeroing.remote->discard_now(range); },
          // Through the same connections: the server may let no others in.
          .again = [&]() -> Result<std::unique_ptr<BlockDevice>> { return std::move(zeroing.remote); }};
}

Result<job::Zeroed> zero_by_helper(const Zeroing& zeroing, const job::Zero& work, Job& job) {
  const job::Spec spec{.files = {granted_file(job::Role::target, zeroing.path, *zeroing.granted, CacheMode::automatic)},
                       .work = work};
  auto outcome = run_by_helper({.action = "zero", .path = zeroing.path, .device = *zeroing.granted}, spec, {}, {}, job);
  if (!outcome) return failure(outcome);
  return std::get<job::Zeroed>(std::move(*outcome));
}

Result<void> run(Zeroing& zeroing, Job& job, Outcome& outcome) {
  const job::Zero work{.ranges = zeroing.ranges,
                       .method = method_of(zeroing.method),
                       .discard = zeroing.method == "discard",
                       .verify = zeroing.verify,
                       .seed = std::random_device{}()};
  auto zeroed = zeroing.granted ? zero_by_helper(zeroing, work, job)
                                : job::zero(work, target_of(zeroing), job.progress, job.stop);
  if (!zeroed) return failure(about(std::move(zeroed.error()), zeroing));
  outcome = {.done = zeroed->done, .discarded = zeroed->discarded, .nonzero_at = zeroed->nonzero_at.value_or(0)};
  outcome.reads = zeroed->nonzero_at ? ReadsZero::no
                  : zeroed->all_read ? ReadsZero::proven
                  : work.discard     ? ReadsZero::promised_by_nobody
                                     : ReadsZero::claimed;
  job.progress.phase = Phase::done;
  return {};
}

std::string text_of(const Outcome& outcome) {
  std::vector<std::string> parts;
  const ZeroStrategy::Done& done = outcome.done;
  if (done.commanded > 0 || done.command)
    parts.push_back(fmt::format("{} by command ({})", human_size(done.commanded),
                                name_of(done.command.value_or(ZeroMethod::punch))));
  if (done.written > 0) parts.push_back(fmt::format("{} written", human_size(done.written)));
  if (done.found > 0) parts.push_back(fmt::format("{} were zero already", human_size(done.found)));
  if (outcome.discarded > 0) parts.push_back(fmt::format("{} discarded", human_size(outcome.discarded)));
  return parts.empty() ? "nothing to do" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string explained(const Outcome& outcome) {
  switch (outcome.reads) {
    case ReadsZero::proven: return "reads back zero: proven";
    case ReadsZero::claimed: return "reads back zero: device claims (samples are; --verify reads all of it)";
    case ReadsZero::promised_by_nobody:
      return "reads back zero: no promise (samples are, but a discard may leave anything; --verify reads all of it)";
    case ReadsZero::no: break;
  }
  return fmt::format("reads back zero: no, first at byte {}", outcome.nonzero_at);
}

void print_json(const Outcome& outcome) {
  nlohmann::ordered_json json = {{"reads-back-zero", key_of(outcome.reads)},
                                 {"commanded", outcome.done.commanded},
                                 {"written", outcome.done.written},
                                 {"found-zero", outcome.done.found},
                                 {"discarded", outcome.discarded}};
  if (outcome.done.command) json["command"] = name_of(*outcome.done.command);
  if (outcome.reads == ReadsZero::no) json["nonzero-at"] = outcome.nonzero_at;
  fmt::print("{}\n", json.dump());
}

}  // namespace

int run_zero(Arguments arguments) {
  Zeroing zeroing;
  std::string progress;
  std::vector<std::string> words;
  CommandLine line("zero", help);
  line.choice("-f,--format", zeroing.format, {"raw"});
  line.texts("--range", zeroing.range_words);
  line.choice("--method", zeroing.method, {"auto", "write-zeroes", "punch", "discard", "buffers"});
  line.flag("--verify", zeroing.verify);
  line.text("--yes-erase", zeroing.yes_erase);
  line.optional_choice("-p,--progress", progress, {"line", "json"});
  line.flag("-q,--quiet", zeroing.quiet);
  line.words(words, 1, 1, "one device, file or nbd:// address");
  if (const auto code = line.parse(arguments)) return *code;
  zeroing.path = words[0];

  if (auto opened = open_target(zeroing); !opened) return report(opened.error());
  Outcome outcome;
  Job job;
  const JobView view{.style = progress_style_of(progress, zeroing.quiet), .summary = false};
  const JobOutcome ran = run_job(view, job, [&](Job& running) { return run(zeroing, running, outcome); });
  if (!ran.result) return report(view, ran, exit_code_of(ran.result.error().kind));

  if (view.style == ProgressStyle::json) {
    print_json(outcome);
  } else if (!zeroing.quiet) {
    fmt::print("{}\n{}\n", text_of(outcome), explained(outcome));
  }
  if (outcome.reads != ReadsZero::no) return exit_ok;
  print_message(fmt::format("'{}' does not read back as zeroes: byte {} is not", zeroing.path, outcome.nonzero_at));
  return exit_verify_differs;
}

}  // namespace disklathe::cli
