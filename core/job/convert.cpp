// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/convert.h"

#include <fmt/format.h>

#include "core/engine/compare.h"
#include "core/engine/copy.h"
#include "core/engine/stream_pieces.h"
#include "core/engine/verify.h"

namespace disklathe::job {
namespace {

std::optional<uint64_t> known_size(const ConvertFiles& files) {
  return files.image ? files.image->size() : files.stream->size();
}

std::unexpected<Error> invalid(std::string cause) { return failure(ErrorKind::invalid, "convert", std::move(cause)); }

// How large to make a fresh target; nothing: it grows as the stream comes. Decodes the stream a first time where its
// size is needed and nothing else tells it.
Result<std::optional<uint64_t>> size_for_target(const Convert& asked, const Format& format, const ConvertFiles& files,
                                                Progress& progress, const Stop& stop) {
  const std::optional<uint64_t> known = known_size(files);
  if (asked.size) {
    if (known && *known > *asked.size)
      return invalid(fmt::format("--size says {} bytes, and '{}' holds {}", *asked.size,
                                 files.image ? files.image->file(0).name() : files.stream->name(), *known));
    return asked.size;
  }
  if (known || (format.grows && asked.options.empty())) return known;
  if (!files.stream->can_rewind())
    return invalid(
        fmt::format("a {} target has to know the disk's size before the stream ends: --size gives it, or save "
                    "the stream to a file first",
                    format.name));
  return measure(*files.stream, progress, stop);
}

std::unexpected<Error> differs(Range where, std::string cause) {
  return failure(ErrorKind::differs, "verify", std::move(cause), where.at);
}

Result<void> read_back(const ConvertFiles& files, const PieceDigests& digests, Progress& progress, const Stop& stop) {
  auto written = files.reopen();
  if (!written) return failure(written);
  if (files.image) {
    auto difference = compare(*files.image, **written, {.limit = files.image->size()}, progress, stop);
    if (!difference) return failure(difference);
    if (!*difference) return {};
    return differs({(*difference)->offset, 1}, fmt::format("first at byte {}", (*difference)->offset));
  }
  auto difference = verify(**written, digests, progress, stop);
  if (!difference) return failure(difference);
  if (!*difference) return {};
  return differs(**difference,
                 fmt::format("first between the bytes {} and {}", (*difference)->at, (*difference)->end()));
}

}  // namespace

Result<Converted> convert(const Convert& asked, const ConvertFiles& files, Progress& progress, const Stop& stop) {
  const Format* format = find_format(asked.format);
  if (!format || !format->create) return invalid(fmt::format("the format {:?} is not written", asked.format));
  Converted outcome;
  std::optional<uint64_t> disk_size;
  if (asked.existing) {
    disk_size = files.target->size();  // what is there keeps its size
    if (const uint64_t needed = known_size(files).value_or(0); needed > *disk_size)
      return failure(
          ErrorKind::no_space, "write",
          fmt::format("it has {} bytes, the image needs {}: {} are missing", *disk_size, needed, needed - *disk_size));
  } else {
    auto size = size_for_target(asked, *format, files, progress, stop);
    if (!size) return failure(size);
    disk_size = *size;
  }
  const bool reads_zero = !asked.existing || asked.target_is_zero;
  const auto writer = format->create({.file = files.target,
                                      .data_file = files.data,
                                      .size = disk_size.value_or(0),
                                      .options = asked.options,
                                      .compress = asked.compress,
                                      .level = asked.level,
                                      .backing_file = asked.backing_file,
                                      .backing_format = asked.backing_format,
                                      .target_is_zero = reads_zero});
  if (!writer) return std::unexpected(writer.error());

  const bool split_chain = !asked.backing_file.empty() && files.image && files.image->layers().size() > 1;
  PieceDigests digests;
  const CopyJob copying{.source = files.image,
                        .stream = files.stream,
                        .disk_size = disk_size,
                        .digests = files.stream && asked.verify ? &digests : nullptr,
                        .writer = writer->get(),
                        .target = {files.target, files.data},
                        .target_is_zero = reads_zero,
                        .sparse_size = asked.sparse_size,
                        .keep_holes = split_chain,
                        .durable = asked.durable,
                        .clock = &stop.clock()};
  if (auto copied = copy(copying, progress, stop); !copied) {
    if (asked.existing) files.note({.kind = Note::Kind::target_mixed, .subject = std::string(files.target->name())});
    return failure(copied);
  }
  if (auto same = files.unchanged(); !same) return failure(same);
  if (auto note = garbage_note(files.stream)) {
    outcome.garbage_at = note->offset;
    files.note(std::move(*note));
  }
  if (asked.verify) {
    if (auto same = read_back(files, digests, progress, stop); !same) return failure(same);
    if (auto same = files.unchanged(); !same) return failure(same);
    outcome.verified = true;
  }
  if (stop.requested()) return failure(ErrorKind::stopped, "convert", {});
  progress.phase = Phase::flush;
  outcome.disk_size = progress.total;
  return outcome;
}

std::optional<Note> garbage_note(const stream::Source* stream) {
  if (!stream || !stream->garbage_at()) return std::nullopt;
  return Note{.kind = Note::Kind::trailing_garbage,
              .subject = std::string(stream->name()),
              .text = std::string(stream->encoding()->description),
              .offset = *stream->garbage_at()};
}

Result<std::string> content_of(stream::Source& source) {
  constexpr size_t looked_at = 4096;
  const auto head = source.head(looked_at);
  if (!head) return std::unexpected(head.error());
  if (const Format* format = probe_head(*head)) return fmt::format("a {} image", format->name);
  if (source.encoding()) {
    if (const auto* again = stream::detect_encoding(*head)) return fmt::format("{} data", again->description);
  }
  constexpr std::string_view tar_magic = "ustar";
  constexpr size_t tar_magic_at = 257;
  const std::string_view text(reinterpret_cast<const char*>(head->data()), head->size());
  if (text.size() > tar_magic_at && text.substr(tar_magic_at).starts_with(tar_magic)) return "a tar archive";
  return std::string();
}

}  // namespace disklathe::job
