// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <vector>

#include "app/cli/conversion.h"
#include "app/cli/stream_file.h"
#include "app/cli/target.h"

namespace disklathe::cli {

// What is converted: an image that can be read anywhere, or a stream.
struct ConversionSource {
  std::unique_ptr<Image> image;  // or:
  std::optional<StreamFile> stream;

  // Of the disk, where it is known already.
  std::optional<uint64_t> size() const;
  std::vector<SourceFile> files() const;
  // The block devices among them.
  std::vector<dev_t> devices() const;
  // The first bytes of the disk, at most `most`. Of a stream, before it is copied.
  Result<std::vector<std::byte>> head(size_t most);
  // A source that changed while it was read gave an image of no moment.
  Result<void> unchanged() const;
};

Result<ConversionSource> open_source(const Conversion& conversion, Job& job);

// How large to make a fresh target; nothing: it grows as the stream comes. Decodes the stream a first time where its
// size is needed and nothing else tells it.
Result<std::optional<uint64_t>> size_for_target(const Conversion& conversion, ConversionSource& source, Job& job);

}  // namespace disklathe::cli
