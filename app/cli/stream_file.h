// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/cli/open_files.h"
#include "core/device/descriptor.h"
#include "core/stream/source.h"

namespace disklathe::cli {

// What can only be read forward: a compressed file, a pipe, standard input.
struct StreamFile {
  std::unique_ptr<FileDevice> file;  // null: a pipe
  Descriptor pipe;                   // of a name that leads to one
  std::unique_ptr<stream::Source> source;
};

struct StreamRequest {
  std::string path;    // "-": standard input
  std::string format;  // -f; empty: the first bytes tell
  uint64_t most_window = stream::DecoderLimits{}.most_window;
};

// Whether the name is one that only a stream can be read from.
bool names_pipe(const std::string& path);

// Nothing: it is a file that is not compressed, to be opened as an image. `halted` is asked while a pipe gives nothing,
// and true ends the waiting.
Result<std::optional<StreamFile>> open_stream(const StreamRequest& request, const OpenPolicy& policy,
                                              std::function<bool()> halted = {});

// Refuses streams whose content would be no disk if it were written as it is.
Result<void> must_hold_raw(const StreamRequest& request, StreamFile& stream);

// The command that makes a file of it which can be read anywhere: "gzip -dk 'x.gz'".
std::string unpacking_command(std::string_view format, const std::string& path);

}  // namespace disklathe::cli
