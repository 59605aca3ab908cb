// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/conversion_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "app/cli/size_text.h"
#include "core/device/sg_device.h"
#include "core/engine/read_guest.h"
#include "core/engine/stream_pieces.h"

namespace disklathe::cli {

std::optional<uint64_t> ConversionSource::size() const { return image ? image->size() : stream->source->size(); }

std::vector<SourceFile> ConversionSource::files() const {
  std::vector<SourceFile> files;
  if (stream && stream->file) files.push_back({.file = stream->file.get()});
  for (uint16_t index = 0; image && index < image->file_count(); ++index) {
    const auto* file = dynamic_cast<const FileDevice*>(&image->file(index));
    if (file) files.push_back({.file = file, .backing = image->layer_of(index) > 0});
  }
  return files;
}

std::vector<dev_t> ConversionSource::devices() const {
  std::vector<dev_t> devices;
  for (const SourceFile& source : files()) {
    struct stat status{};
    if (source.file->is_block_device() && fstat(source.file->descriptor(), &status) == 0)
      devices.push_back(status.st_rdev);
  }
  for (uint16_t index = 0; image && index < image->file_count(); ++index) {
    const auto* commands = dynamic_cast<const SgDevice*>(&image->file(index));
    if (commands && commands->disk()) devices.push_back(*commands->disk());
  }
  return devices;
}

Result<std::vector<std::byte>> ConversionSource::head(size_t most) {
  std::vector<std::byte> head;
  if (image) {
    head.resize(std::min<uint64_t>(image->size(), most));
    if (auto read = read_guest(*image, 0, head); !read) return failure(read);
  } else {
    const auto decoded = stream->source->head(most);
    if (!decoded) return std::unexpected(decoded.error());
    head.assign(decoded->begin(), decoded->end());
  }
  return head;
}

Result<void> ConversionSource::unchanged() const {
  for (const SourceFile& source : files()) {
    if (auto same = source.file->unchanged_since_open(); !same) return same;
  }
  return {};
}

Result<ConversionSource> open_source(const Conversion& conversion, Job& job) {
  ConversionSource source;
  const StreamRequest asked{
      .path = conversion.source.path, .format = conversion.source.format, .most_window = conversion.most_window};
  auto stream = open_stream(asked, conversion.policy, [&job] {
    job.progress.waits_for_input = true;
    return job.stop.requested();
  });
  if (!stream) return failure(stream);
  if (*stream) {
    source.stream = std::move(*stream);
    if (!conversion.source.snapshot.empty())
      return failure(ErrorKind::invalid, "convert", "-l names a snapshot; a stream has none");
    if (auto raw = must_hold_raw(asked, *source.stream); !raw) return failure(raw);
    job.progress.waits_for_input = false;
    return source;
  }
  if (conversion.size)
    return failure(ErrorKind::invalid, "convert", "--size is for streams; the size of this image is known, and kept");
  ImageRequest request = conversion.source;
  request.file_holes = true;
  auto image = open_image(request, conversion.policy);
  if (!image) return failure(image);
  source.image = std::move(*image);
  return source;
}

Result<std::optional<uint64_t>> size_for_target(const Conversion& conversion, ConversionSource& source, Job& job) {
  const std::optional<uint64_t> known = source.size();
  if (conversion.size) {
    if (known && *known > *conversion.size)
      return failure(ErrorKind::invalid, "convert",
                     fmt::format("--size says {}, and '{}' holds {}", exact_size(*conversion.size),
                                 conversion.source.path, exact_size(*known)));
    return conversion.size;
  }
  if (known || (conversion.format->grows && conversion.options.format.empty())) return known;
  if (!source.stream->source->can_rewind())
    return failure(
        ErrorKind::invalid, "convert",
        fmt::format("a {} target has to know the disk's size before the stream ends: --size gives it, or save "
                    "the stream to a file first",
                    conversion.format->name));
  return measure(*source.stream->source, job.progress, job.stop);
}

}  // namespace disklathe::cli
