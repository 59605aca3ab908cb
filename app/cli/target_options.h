// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/format/registry.h"

namespace disklathe::cli {

// What -o, -b and -F say about an image that is to be made. Those of -o that are the same for every format (size,
// backing_file, backing_fmt) are taken out of the format's own.
struct TargetOptions {
  FormatOptions format;
  std::optional<uint64_t> size;
  std::string backing_file, backing_format;
  bool help = false;  // -o help or -o ?: only list what there is
};

// lists: each -o of the command line, "name=value,name=value"; a comma in a value is written twice, a name alone means
// "on". Names that `format` does not know are refused with those it does.
Result<TargetOptions> parse_target_options(const std::vector<std::string>& lists, const Format& format);

// Whether the backing file that is asked for makes sense for an image at `path`; nothing without one. Unless `unseen`,
// it is opened: then the answer is its size.
Result<std::optional<uint64_t>> check_backing(const TargetOptions& options, const std::string& path, bool unseen);

// For -o help: one option a line.
std::string list_options(const Format& format);

// -O, else what the target's name says, else raw (qemu-img's default): says on stderr (unless quiet) when the name
// decided, or says otherwise than -O.
Result<const Format*> choose_target_format(const std::string& asked, const std::string& path, bool quiet,
                                           const char* option);

}  // namespace disklathe::cli
