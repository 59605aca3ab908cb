// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>

#include "core/engine/progress.h"
#include "core/format/layers.h"
#include "core/io/stop.h"
#include "core/job/outcome.h"
#include "core/job/spec.h"
#include "core/stream/source.h"

namespace disklathe::job {

// What a conversion is done with: everything open, by whoever had the right to. The target has no name yet, or is an
// existing file or device; giving it one is the caller's, after this has succeeded.
struct ConvertFiles {
  Image* image = nullptr;  // the source, or:
  stream::Source* stream = nullptr;
  BlockDevice* target = nullptr;
  BlockDevice* data = nullptr;  // the target's external data file; null: none
  // The target as somebody else would find it: opened anew, from the medium where that can be had.
  std::function<Result<std::unique_ptr<Image>>()> reopen;
  // An error of kind `changed` when the source is not what it was.
  std::function<Result<void>()> unchanged;
  std::function<void(Note)> note;
};

// One conversion, from the size of the target to the read-back. An error of kind `differs`: what was read back is not
// what was written, from `offset` on. Blocks; progress and stop are for other threads. The phase at the end is `flush`.
Result<Converted> convert(const Convert& asked, const ConvertFiles& files, Progress& progress, const Stop& stop);

// What there is to say of a stream that was read to its end; null: no stream.
std::optional<Note> garbage_note(const stream::Source* stream);

// What the decoded bytes of a stream seem to be that a raw disk is not ("a qcow2 image"); empty: nothing of the kind.
Result<std::string> content_of(stream::Source& source);

}  // namespace disklathe::job
