// SPDX-License-Identifier: GPL-3.0-or-later
//
// One function a kind of job: opens what it was given as what the spec says, and hands it to the engine.
#include <algorithm>

#include "core/engine/checksum.h"
#include "core/engine/compare.h"
#include "core/engine/read_guest.h"
#include "core/engine/sweep.h"
#include "core/job/convert.h"
#include "core/job/export.h"
#include "core/job/host.h"
#include "core/job/image_opening.h"
#include "core/job/zero.h"

namespace disklathe::job {
namespace {

// A source that is an image, or a stream.
struct Source {
  std::unique_ptr<FileDevice> file;  // of a stream that is one
  std::unique_ptr<stream::Source> stream;
  std::unique_ptr<Image> image;
};

// What of the source's format makes it a stream: a pipe is always one; a file that is compressed, by what it was said
// to be or, if nothing was said, by its content. What a device holds is a disk.
Result<Source> open_source(Host& host, const std::string& format, uint64_t most_window, ImageRequest request,
                           Progress& progress, const Stop& stop) {
  Source source;
  const int pipe = host.pipe(Role::source);
  const bool encoded = stream::find_encoding(format) != nullptr;
  std::unique_ptr<stream::Input> input;
  if (pipe >= 0) {
    if (!encoded && !format.empty() && format != "raw")
      return failure(ErrorKind::unsupported, "read",
                     "images of this format are read at many places, a pipe only from front to back");
    input = stream::make_pipe_input(pipe, host.spec().file(Role::source)->name);
  } else {
    auto file = host.take(Role::source);
    if (!file) return failure(file);
    source.file = std::move(*file);
    if (encoded || (format.empty() && !source.file->is_block_device())) input = stream::make_file_input(*source.file);
  }
  if (input) {
    input->halt_when(
        [&] {
          progress.waits_for_input = true;
          return stop.requested();
        },
        stop.descriptor());
    auto opened = stream::Source::open(std::move(input), {.format = format, .limits = {.most_window = most_window}});
    if (!opened) return failure(opened);
    progress.waits_for_input = false;
    if (pipe >= 0 || (*opened)->format() != "raw") {
      source.stream = std::move(*opened);
      return source;
    }
  }
  request.format = format;
  auto image = ImageOpening(host, Role::source).open(std::move(source.file), std::move(request));
  if (!image) return failure(image);
  source.image = std::move(*image);
  return source;
}

Result<void> unchanged(const Source& source) {
  if (source.file) return source.file->unchanged_since_open();
  return source.image ? unchanged_since_open(*source.image) : Result<void>();
}

// A stream is taken as it is for what it was said to be. If nothing was said it has to be a disk.
Result<void> is_disk(Source& source, const std::string& format) {
  if (!source.stream || !format.empty()) return {};
  auto content = content_of(*source.stream);
  if (!content) return failure(content);
  if (content->empty()) return {};
  return failure(ErrorKind::unsupported, "read",
                 "what it holds is " + *content + ", which cannot be read from front to back only");
}

LayerFacts facts_of(const Image& image, const Layer& layer) {
  const BlockDevice& file = image.file(layer.first_file);
  LayerFacts facts{.name = layer.path,
                   .format = std::string(layer.format->name),
                   .probed = layer.format_probed,
                   .virtual_size = layer.reader->size(),
                   .file_size = file.size(),
                   .facts = layer.reader->facts(),
                   .references = layer.reader->references()};
  if (const auto* on_disk = dynamic_cast<const FileDevice*>(&file)) {
    facts.allocated = on_disk->allocated_bytes();
    facts.block_device = on_disk->is_block_device();
  }
  return facts;
}

// What cannot be read of a damaged image stays unknown.
std::vector<DiskPart> parts_of(Image& image, Bytes head) {
  std::vector<DiskPart> parts;
  const auto read = [&image](uint64_t at, MutableBytes into) { return read_guest(image, at, into).has_value(); };
  for (PartitionEntry& entry : list_partitions(head, image.size(), read)) parts.push_back({std::move(entry), {}});
  if (parts.empty()) parts.push_back({{.range = {0, image.size()}}, {}});
  std::vector<std::byte> begin;
  for (DiskPart& part : parts) {
    begin.resize(std::min<uint64_t>(part.entry.range.length, known_content_head));
    if (read_guest(image, part.entry.range.at, begin)) part.content = known_content(begin);
  }
  if (parts.front().entry.number == 0 && parts.front().content.type.empty()) parts.clear();
  return parts;
}

Result<Outcome> perform_inspect(Host& host, const Inspect& asked, Progress& progress, const Stop& stop) {
  auto source =
      open_source(host, asked.format, asked.most_window,
                  {.snapshot = asked.snapshot, .backing = asked.chain, .data_file = asked.chain}, progress, stop);
  if (!source) return failure(source);
  Inspection inspection{.identified = read_answers(host.answers(Role::source))};
  std::vector<std::byte> head;
  std::optional<uint64_t> size;
  if (source->stream) {
    stream::Source& stream = *source->stream;
    auto content = content_of(stream);
    if (!content) return failure(content);
    inspection.stream = StreamFacts{.format = std::string(stream.format()),
                                    .description = stream.encoding() ? std::string(stream.encoding()->description) : "",
                                    .virtual_size = stream.size(),
                                    .file_size = stream.stored_size(),
                                    .allocated = source->file ? source->file->allocated_bytes() : std::nullopt,
                                    .content = *content};
    const auto decoded = stream.head(partition_table_head);
    if (!decoded) return std::unexpected(decoded.error());
    head.assign(decoded->begin(), decoded->end());
    size = stream.size();
  } else {
    Image& image = *source->image;
    for (const Layer& layer : image.layers()) inspection.layers.push_back(facts_of(image, layer));
    // Without the files that it names the disk is not all there.
    const bool whole = asked.chain || image.references().empty();
    const bool readable = !image.facts().encrypted.value_or(false);
    if (!whole || !readable) return inspection;
    size = image.size();
    head.resize(std::min<uint64_t>(image.size(), partition_entries_head));
    if (auto read = read_guest(image, 0, head); !read) return failure(read);
    inspection.parts = parts_of(image, head);
  }
  inspection.partitions = read_partition_table(head, size);
  return inspection;
}

Result<Outcome> perform_map(Host& host, const Map& asked, Progress& progress, const Stop& stop) {
  auto image = ImageOpening(host, Role::source)
                   .open({.format = asked.format, .snapshot = asked.snapshot, .file_holes = asked.file_holes});
  if (!image) return failure(image);
  Range rest = intersection(asked.range, {0, (*image)->size()});
  progress.total = rest.length;
  progress.phase = Phase::write;
  std::vector<Extent> extents;
  Piece piece;
  while (!rest.empty()) {
    if (stop.requested()) return failure(ErrorKind::stopped, "map", {});
    extents.clear();
    if (auto mapped = (*image)->map(rest, extents); !mapped) return failure(mapped);
    for (const Extent& extent : extents) {
      piece.entries.push_back({.extent = extent, .layer = (*image)->layer_of(extent.file)});
      if (piece.entries.size() < most_piece_entries) continue;
      if (auto told = host.piece(std::exchange(piece, {})); !told) return failure(told);
    }
    progress.skipped += extents.back().guest.end() - rest.at;
    rest = Range::between(extents.back().guest.end(), rest.end());
  }
  if (!piece.entries.empty())
    if (auto told = host.piece(std::move(piece)); !told) return failure(told);
  return MapDone{.virtual_size = (*image)->size()};
}

Result<Outcome> perform_convert(Host& host, const Convert& asked, Progress& progress, const Stop& stop) {
  auto source = open_source(host, asked.source_format, asked.most_window,
                            {.snapshot = asked.snapshot, .file_holes = true}, progress, stop);
  if (!source) return failure(source);
  if (source->stream && !asked.snapshot.empty())
    return failure(ErrorKind::invalid, "convert", "a snapshot was named; a stream has none");
  if (source->image && asked.size)
    return failure(ErrorKind::invalid, "convert", "a size is for streams; that of this image is known, and kept");
  if (auto disk = is_disk(*source, asked.source_format); !disk) return failure(disk);
  auto target = host.take(Role::target);
  if (!target) return failure(target);
  std::unique_ptr<FileDevice> data;
  if (host.spec().file(Role::data)) {
    auto taken = host.take(Role::data);
    if (!taken) return failure(taken);
    data = std::move(*taken);
  }
  const auto reopen = [&]() -> Result<std::unique_ptr<Image>> {
    (*target)->drop_cache();
    if (data) data->drop_cache();
    auto again = host.again(Role::target);
    if (!again) return failure(again);
    return ImageOpening(host, Role::target).open(std::move(*again), {.format = asked.format, .file_holes = true});
  };
  auto converted = convert(asked,
                           {.image = source->image.get(),
                            .stream = source->stream.get(),
                            .target = target->get(),
                            .data = data.get(),
                            .reopen = reopen,
                            .unchanged = [&] { return unchanged(*source); },
                            .note = [&host](Note note) { host.note(std::move(note)); }},
                           progress, stop);
  if (!converted) return failure(converted);
  return *converted;
}

Result<Outcome> perform_zero(Host& host, const Zero& asked, Progress& progress, const Stop& stop) {
  auto target = host.take(Role::target);
  if (!target) return failure(target);
  auto zeroed = zero(asked, zero_target(**target, [&] { return host.again(Role::target); }), progress, stop);
  if (!zeroed) return failure(zeroed);
  return *zeroed;
}

Result<Outcome> perform_compare(Host& host, const Compare& asked, Progress& progress, const Stop& stop) {
  auto source = ImageOpening(host, Role::source)
                    .open({.format = asked.source_format, .snapshot = asked.source_snapshot, .file_holes = true});
  if (!source) return failure(source);
  auto other = ImageOpening(host, Role::other).open({.format = asked.other_format, .file_holes = true});
  if (!other) return failure(other);
  const CompareOptions options{.strict = asked.strict, .limit = asked.limit};
  auto difference = compare(**source, **other, options, progress, stop);
  if (!difference) return failure(difference);
  Compared compared{.source_size = (*source)->size(), .other_size = (*other)->size()};
  if (*difference) compared.differs_at = (*difference)->offset;
  return compared;
}

Result<Outcome> perform_checksum(Host& host, const Checksum& asked, Progress& progress, const Stop& stop) {
  auto source = open_source(host, asked.format, asked.most_window, {.snapshot = asked.snapshot, .file_holes = true},
                            progress, stop);
  if (!source) return failure(source);
  if (source->stream && !asked.snapshot.empty())
    return failure(ErrorKind::invalid, "checksum", "a snapshot was named; a stream has none");
  if (auto disk = is_disk(*source, asked.format); !disk) return failure(disk);
  auto sums = checksum(
      {.source = source->image.get(), .stream = source->stream.get(), .sha256 = asked.sha256, .xxh128 = asked.xxh128},
      progress, stop);
  if (!sums) return failure(sums);
  if (auto same = unchanged(*source); !same) return failure(same);
  if (auto note = garbage_note(source->stream.get())) host.note(std::move(*note));
  return *sums;
}

Result<Outcome> perform_sweep(Host& host, const Sweep& asked, Progress& progress, const Stop& stop) {
  auto device = host.take(asked.write ? Role::target : Role::source);
  if (!device) return failure(device);
  if (asked.area > (*device)->size()) {
    if (!asked.lay_out) return failure(ErrorKind::invalid, "sweep", "the area is larger than the device");
    if (auto room = make_room(**device, asked.area); !room) return failure(room);
  }
  if (asked.depth == 1) (*device)->answer_at_once();
  if (asked.lay_out)
    if (auto filled = lay_out(**device, asked.area, stop); !filled) return failure(filled);
  const SweepRequest request{.sizes = asked.sizes,
                             .write = asked.write,
                             .depth = asked.depth,
                             .area = asked.area,
                             .time_per_size = std::chrono::nanoseconds(asked.nanoseconds_per_size),
                             .bytes_per_size = asked.bytes_per_size,
                             .rounds = asked.rounds};
  progress.phase = Phase::write;
  progress.total = uint64_t{asked.rounds} * asked.sizes.size();
  auto points = sweep(**device, request, stop, [&](uint64_t size, unsigned, unsigned) {
    ++progress.skipped;  // slices, not bytes
    progress.request_size = size;
  });
  if (!points) return failure(points);
  return Swept{std::move(*points)};
}

Error about(Error error, const Spec& spec) {
  const GivenFile* file = spec.file(error.operation == "open" ? Role::source : Role::target);
  if (!file) file = &spec.files.front();
  if (error.subject.empty() && error.kind != ErrorKind::stopped && error.kind != ErrorKind::invalid)
    error.subject = file->name;
  return error;
}

}  // namespace

Result<Outcome> perform(Host& host, Progress& progress, const Stop& stop) {
  const auto one = [&](const auto& work) -> Result<Outcome> {
    using W = std::decay_t<decltype(work)>;
    if constexpr (std::is_same_v<W, Inspect>) return perform_inspect(host, work, progress, stop);
    if constexpr (std::is_same_v<W, Map>) return perform_map(host, work, progress, stop);
    if constexpr (std::is_same_v<W, Convert>) return perform_convert(host, work, progress, stop);
    if constexpr (std::is_same_v<W, Zero>) return perform_zero(host, work, progress, stop);
    if constexpr (std::is_same_v<W, Compare>) return perform_compare(host, work, progress, stop);
    if constexpr (std::is_same_v<W, Sweep>) return perform_sweep(host, work, progress, stop);
    if constexpr (std::is_same_v<W, Checksum>) return perform_checksum(host, work, progress, stop);
    if constexpr (std::is_same_v<W, Export>) return perform_export(host, work, progress, stop);
  };
  auto outcome = std::visit(one, host.spec().work);
  if (!outcome) return failure(about(std::move(outcome.error()), host.spec()));
  return outcome;
}

}  // namespace disklathe::job
