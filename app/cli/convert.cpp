// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "app/cli/command_line.h"
#include "app/cli/conversion.h"
#include "app/cli/exit_codes.h"
#include "app/cli/helper_worker.h"
#include "app/cli/passthrough.h"
#include "app/cli/sentences.h"
#include "app/cli/size_text.h"
#include "app/cli/stream_file.h"
#include "app/cli/verbs.h"
#include "core/base/arithmetic.h"
#include "core/http/head.h"
#include "core/job/launch.h"
#include "core/nbd/remote_device.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view help =
    R"(disklathe convert [OPTIONS] SOURCE TARGET    (which appears only when it is complete)

  -f FORMAT  what SOURCE is; otherwise its content is looked at   -l SNAPSHOT  of it
             (gz, bz2, xz, zst: a compressed raw disk; SOURCE - is standard input)
  --size N   of a stream's disk, known only at its end    --max-window N  to decode (128M)
  -O FORMAT  what TARGET becomes; otherwise its extension decides, else it is raw
  -o name=value,...  options of that format; -o help lists them
  -c, --level N      compress; how hard, 1 to 12 (default: the format's own)
  -B FILE -F FORMAT  the target stands on FILE, which holds what SOURCE stands on
  -n                 into the existing file TARGET, as raw (a block device always is);
                     --target-is-zero: which reads as zeroes wherever it is not written
  --yes-erase ID     overwrite the device TARGET, whose ID (see disklathe devices) is
                     this; otherwise it is asked for   --allow-sector-mismatch
  -S SIZE            zeroes are left out in runs from this size on (4k; 0: written)
  -t, -T CACHE       of target and source: auto, none, writeback, directsync, unsafe
                     (unsafe alone is not on the medium when it ends)
  --verify           read the target back and compare it (devices: unless --no-verify)
  --backing POLICY   allow, deny or ask: open backing files that are not regular
                     files beside the image      --data-file allow|deny   (deny)
  -p, --progress[=json]  show how far it is; json: one object a line
  -q  say less    -U  also while another program writes to SOURCE    --worker  locked in
  --keep-running     so, and by itself; see disklathe jobs
  --passthrough      SOURCE or TARGET is /dev/sgN, moved by SCSI commands, not split
  -m N, -W, -C       taken and ignored; long forms are qemu-img convert's
)";

struct Words {
  std::string source_format, snapshot, source_cache, target_format, target_cache, backing, backing_format;
  std::string backing_policy, data_file, progress;
  std::vector<std::string> option_lists, files;
  std::optional<uint64_t> sparse, most_window;
  unsigned level = 0, parallel = 0;
  bool quiet = false, out_of_order = false, copy_range = false, verify = false, no_verify = false;
  bool passthrough = false;
};

bool is_block_device(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISBLK(status.st_mode);
}

bool is_sg_node(const std::string& path) { return sg_node_of(path).has_value(); }

std::unexpected<Error> invalid(std::string cause) { return failure(ErrorKind::invalid, "convert", std::move(cause)); }

// --passthrough: which of the two is a node that is spoken to by commands. A target is chosen, confirmed and held by
// its block device.
Result<void> understand_passthrough(Conversion& conversion) {
  if (is_sg_node(conversion.source.path)) conversion.policy.passthrough = conversion.source.path;
  if (is_sg_node(conversion.target_path)) {
    auto disk = disk_of_passthrough(conversion.target_path);
    if (!disk) return failure(disk);
    conversion.target_passthrough = std::exchange(conversion.target_path, std::move(*disk));
  }
  if (conversion.policy.passthrough.empty() && conversion.target_passthrough.empty())
    return invalid("--passthrough is for SCSI generic nodes, /dev/sgN; neither source nor target is one");
  return {};
}

// What the words mean together. Nothing is opened here.
Result<void> understand(const Words& words, Conversion& conversion) {
  conversion.source.path = words.files[0];
  conversion.source.format = words.source_format;
  conversion.source.snapshot = snapshot_of(words.snapshot);
  conversion.target_path = words.files[1];
  if (conversion.target_path == "-")
    return invalid("images are not written to standard output; ./- is a file of that name");
  conversion.policy.backing = backing_policy_of(words.backing_policy).value_or(BackingPolicy::beside);
  conversion.policy.data_file = words.data_file == "allow";
  conversion.policy.cache = cache_mode_of(words.source_cache).value_or(CacheMode::automatic);
  conversion.policy.named = {words.files[0]};
  conversion.target_cache = cache_mode_of(words.target_cache).value_or(CacheMode::automatic);
  conversion.level = static_cast<int>(words.level);

  conversion.worker = conversion.worker || conversion.keep_running;
  if (conversion.keep_running) {
    // Whoever takes the result may stand in another folder.
    std::error_code error;
    for (std::string* path : {&conversion.source.path, &conversion.target_path})
      if (!names_pipe(*path) && !is_address(*path)) *path = std::filesystem::absolute(*path, error);
  }
  if (words.passthrough && conversion.worker)
    return invalid("--passthrough sends commands that a worker may not send: without --worker");
  if (words.passthrough)
    if (auto understood = understand_passthrough(conversion); !understood) return understood;
  const bool source_by_helper = !words.passthrough && needs_helper(conversion.source.path, false);
  const bool target_by_helper = !words.passthrough && needs_helper(conversion.target_path, true);
  conversion.device = is_block_device(conversion.target_path);
  conversion.remote = nbd::is_uri(conversion.target_path);
  conversion.existing = conversion.existing || conversion.device || conversion.remote;
  const bool pipe = names_pipe(conversion.source.path);
  if (target_by_helper && pipe)
    return invalid(
        "what is to be on a device is looked at first, and a pipe gives it once: save it, or run this as root");
  if (conversion.worker && conversion.device && pipe)
    return invalid("what is to be on a device is looked at first, and a pipe gives it once: without --worker");
  if (http::is_url(conversion.target_path)) return invalid("web servers are read from, not written to");
  const bool remote = conversion.remote || is_address(conversion.source.path);
  if (conversion.worker && remote) return invalid("a worker speaks to no server: without --worker");
  if (remote && (source_by_helper || target_by_helper))
    return invalid("a worker speaks to no server, and only a worker gets that device: run this as root");
  conversion.worker = conversion.worker || source_by_helper || target_by_helper;
  // Root needs no rights any more once the device is open.
  if (conversion.device && !pipe && !remote && !words.passthrough && geteuid() == 0 &&
      access(job::worker_program().c_str(), X_OK) == 0)
    conversion.worker = true;

  // The name of an export says nothing of what is on it.
  const std::string named = conversion.remote ? std::string() : conversion.target_path;
  const auto format = choose_target_format(words.target_format, named, words.quiet, "-O");
  if (!format) return failure(Error(format.error()));
  conversion.format = *format;
  if (!conversion.format->create)
    return failure(ErrorKind::unsupported, "convert", fmt::format("{} images can only be read", (*format)->name));
  auto options = parse_target_options(words.option_lists, *conversion.format);
  if (!options) return failure(options);
  conversion.options = std::move(*options);
  if (conversion.options.size) return invalid("-o size: a conversion keeps the size");
  if (!words.backing.empty()) conversion.options.backing_file = words.backing;
  if (!words.backing_format.empty()) conversion.options.backing_format = words.backing_format;

  if (words.sparse) {
    if (*words.sparse > 16 << 20 || !is_multiple(*words.sparse, 512))
      return invalid("-S takes a multiple of 512 up to 16M, or 0");
    conversion.sparse_size = static_cast<uint32_t>(*words.sparse);
  }
  if (words.most_window) conversion.most_window = *words.most_window;
  if (conversion.size && conversion.existing) return invalid("--size is for a new target; with -n it keeps its own");
  if (words.level && !conversion.compress) return invalid("--level says how hard -c compresses; -c is missing");
  if (conversion.target_is_zero && !conversion.existing) return invalid("--target-is-zero goes with -n");
  const bool raw = conversion.format->name == "raw" && words.option_lists.empty();
  if (conversion.device && !raw) return invalid("onto a block device images are written raw, without options");
  if (conversion.existing && !raw)
    return invalid("-n writes raw, without options, into what is there; leave -n out for a new image");
  if (!conversion.device && !conversion.device_options.yes_erase.empty())
    return invalid(fmt::format("--yes-erase is for block devices, and '{}' is none", conversion.target_path));
  if (words.verify && words.no_verify) return invalid("--verify and --no-verify exclude each other");
  // What was not flushed is not on the medium to be read back from.
  const bool by_itself = conversion.device && conversion.target_cache != CacheMode::unsafe;
  conversion.verify = words.verify || (by_itself && !words.no_verify);
  return {};
}

void tell(const ConversionReport& report, const std::string& target, bool quiet) {
  if (report.unflushed)
    print_warning(
        fmt::format("'{}': not flushed: {}; what was written may not be on its medium yet", target, *report.unflushed));
  if (report.device) say(*report.device, quiet);
}

nlohmann::ordered_json json_of(const ConversionReport& report, bool remote) {
  if (report.device) return json_of(*report.device);
  nlohmann::ordered_json json;
  if (!remote) return json;
  json["flushed"] = !report.unflushed;
  if (report.unflushed) json["not-flushed"] = *report.unflushed;
  return json;
}

}  // namespace

int run_convert(Arguments arguments) {
  Words words;
  Conversion conversion;
  CommandLine line("convert", help);
  line.text("-f,--source-format", words.source_format);
  line.text("-l,--source-snapshot", words.snapshot);
  line.text("-O,--target-format", words.target_format);
  line.texts("-o,--target-options", words.option_lists);
  line.flag("-c,--compress", conversion.compress);
  line.number("--level", words.level, 1, 12);
  line.text("-B,--backing-file", words.backing);
  line.text("-F,--backing-format", words.backing_format);
  line.flag("-n,--no-create", conversion.existing);
  line.flag("--target-is-zero", conversion.target_is_zero);
  line.size("-S,--sparse-size", words.sparse);
  line.size("--size", conversion.size);
  line.size("--max-window", words.most_window);
  line.choice("-t,--target-cache", words.target_cache, {"auto", "none", "writeback", "directsync", "unsafe"});
  line.choice("-T,--source-cache", words.source_cache, {"auto", "none", "writeback", "directsync", "unsafe"});
  line.text("--yes-erase", conversion.device_options.yes_erase);
  line.flag("--allow-sector-mismatch", conversion.device_options.allow_sector_mismatch);
  line.flag("--verify", words.verify);
  line.flag("--no-verify", words.no_verify);
  line.choice("--backing", words.backing_policy, {"allow", "deny", "ask"});
  line.choice("--data-file", words.data_file, {"allow", "deny"});
  line.optional_choice("-p,--progress", words.progress, {"line", "json"});
  line.flag("--passthrough", words.passthrough);
  line.flag("--worker", conversion.worker);
  line.flag("--keep-running", conversion.keep_running);
  line.flag("-q,--quiet", words.quiet);
  line.flag("-U,--force-share", conversion.policy.share);
  line.number("-m,--parallel", words.parallel, 1, 16);
  line.flag("-W,--oob-writes", words.out_of_order);
  line.flag("-C,--copy-range-offloading", words.copy_range);
  line.words(words.files, 0, 2, "one source and one target (several sources are not joined)");
  if (const auto code = line.parse(arguments)) return *code;

  // -o help needs no files.
  for (const std::string& list : words.option_lists) {
    if (list != "help" && list != "?") continue;
    const auto format = format_named(words.target_format.empty() ? "raw" : words.target_format);
    if (!format) return report(format.error());
    fmt::print("{}", list_options(**format));
    return exit_ok;
  }
  if (words.files.size() != 2) {
    print_message("a source and a target are needed (see disklathe convert --help)");
    return exit_usage;
  }
  if (auto understood = understand(words, conversion); !understood) return report(understood.error());

  ConversionReport written;
  const JobView view{.style = progress_style_of(words.progress, words.quiet),
                     .verifies = conversion.verify,
                     .summary = !conversion.keep_running,
                     .result = [&] { return json_of(written, conversion.remote); }};
  Job job;
  const JobOutcome outcome =
      run_job(view, job, [&](Job& running) { return run_conversion(conversion, running, written); });
  if (!outcome.result) return report(view, outcome, exit_code_of(outcome.result.error().kind));
  tell(written, conversion.target_path, words.quiet || view.style == ProgressStyle::json);
  return exit_ok;
}

}  // namespace disklathe::cli
