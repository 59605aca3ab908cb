// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/image_export.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "core/base/arithmetic.h"
#include "core/device/file_device.h"
#include "core/engine/edit_in_place.h"
#include "core/engine/known_runs.h"
#include "core/engine/piece_reader.h"
#include "core/engine/plan.h"
#include "core/engine/raw_in_place.h"
#include "core/engine/read_guest.h"
#include "core/format/file_holes.h"
#include "core/format/partition_table.h"
#include "core/nbd/block_status.h"

namespace disklathe {
namespace {

constexpr uint64_t least_ahead = 1 << 20;    // bytes of the disk mapped at once
constexpr uint64_t most_ahead = 1ULL << 36;  // where the client goes through it in order
constexpr size_t max_contexts = 64;          // a client may ask for all in one request
constexpr uint32_t most_minimum_block = 64 << 10;

// The bytes are the file's own, at the same offsets.
bool is_plain(const Image& image) { return image.layers().size() == 1 && image.layers()[0].format->name == "raw"; }

// Of each file the descriptor that its page cache is read through; -1 where that is not how its bytes travel.
std::vector<int> cached_descriptors(const Image& image) {
  std::vector<int> descriptors(image.file_count(), -1);
  for (size_t i = 0; i < descriptors.size(); ++i) {
    const auto* file = dynamic_cast<const FileDevice*>(&image.file(static_cast<uint16_t>(i)));
    if (file && file->io_mode() == IoMode::immediate) descriptors[i] = file->descriptor();
  }
  return descriptors;
}

Task<void> keep(Task<Result<void>> task, Result<void>& result) { result = co_await task; }

class ImageExport;

class ImageAccess final : public nbd::Access {
 public:
  explicit ImageAccess(const ImageExport& owner);

  Result<void> map(Range want, nbd::Look look, size_t most, std::vector<nbd::Run>& out) override;
  Result<void> map_bitmap(size_t number, Range want, std::vector<nbd::Mark>& out) override;
  Task<Result<void>> read(Ring& ring, uint64_t at, MutableBytes into) override;
  void expect(Range range) override;
  Task<Result<void>> write(Ring& ring, uint64_t at, Bytes from) override;
  Task<Result<void>> zero(Ring& ring, Range range, bool keep, bool fast) override;
  Task<Result<void>> trim(Ring& ring, Range range) override;
  Task<Result<void>> flush(Ring& ring) override;

 private:
  Result<void> collect(Range guest, nbd::Look look, size_t most, std::vector<Extent>& out);
  Result<void> collect_plain(Range guest, nbd::Look look, size_t most, std::vector<Extent>& out);
  Result<const Extent*> extent_at(uint64_t guest, uint64_t length);
  nbd::Run run_of(const Extent& extent) const;
  std::unique_ptr<PieceReader> take_reader();

  const ImageExport& owner_;
  Image& image_;
  std::vector<Extent> known_;  // a stretch of the map
  uint64_t ahead_ = least_ahead;
  std::vector<FileHoles> holes_;  // of each file
  std::vector<std::unique_ptr<PieceReader>> readers_;
};

class ImageExport final : public nbd::Export {
 public:
  ImageExport(std::unique_ptr<Image> opened, const ExportRequest& request)
      : image(std::move(opened)),
        part(request.part),
        plain(is_plain(*image)),
        keeps(!request.writable && !request.changes),
        descriptors(cached_descriptors(*image)),
        runs(image->file(0)),
        piece_size(std::max<uint64_t>(nbd::max_payload, image->decode_unit())) {
    info_ = {.name = request.name,
             .description = request.description,
             .size = part.length,
             .writable = request.writable,
             .queued = wants_queue(*image),
             .contexts = {nbd::allocation_context, nbd::depth_context}};
    for (const std::string& name : image->facts().bitmaps) {
      if (info_.contexts.size() < max_contexts) info_.contexts.push_back(nbd::bitmap_context + name);
    }
    if (request.writable && image->editor()) {
      auto editing = std::make_unique<EditInPlace>(*image);
      edited = editing.get();
      if (is_multiple(part.at, image->editor()->unit())) info_.write_unit = image->editor()->unit();
      in_place = std::move(editing);
    } else if (request.writable) {
      in_place = std::make_unique<RawInPlace>(image->file(0));
    }
    for (size_t i = 0; i < image->file_count(); ++i) {
      const Limits& limits = image->file(static_cast<uint16_t>(i)).limits();
      info_.rotational |= limits.rotational.value_or(false);
      // Only where all of the export can be reached by such requests.
      if (is_multiple(part.at, limits.offset_align) && is_multiple(part.length, limits.offset_align) &&
          std::has_single_bit(limits.offset_align) && limits.offset_align <= most_minimum_block)
        info_.minimum_block = std::max(info_.minimum_block, limits.offset_align);
    }
  }

  const nbd::ExportInfo& info() const override { return info_; }
  std::unique_ptr<nbd::Access> access() override { return std::make_unique<ImageAccess>(*this); }
  Result<void> finish() override {
    if (!in_place) return {};
    auto ring = Ring::create(RingKind::immediate);
    if (!ring) return failure(ring);
    Result<void> done;
    (*ring)->spawn(keep(in_place->finish(**ring), done));
    (*ring)->run();
    return done;
  }

  // Of a plain image: nobody has written to its file. A block device is not asked.
  bool is_as_opened() const {
    const auto* file = dynamic_cast<const FileDevice*>(&image->file(0));
    return !file || file->unchanged_since_open().has_value();
  }

  const std::unique_ptr<Image> image;
  const Range part;  // of the guest's disk
  const bool plain;
  const bool keeps;  // what was found out about the files stays true
  const std::vector<int> descriptors;
  mutable KnownRuns runs;             // of a plain image's file, where it keeps
  const uint64_t piece_size;          // what a PieceReader is made for
  std::unique_ptr<InPlace> in_place;  // of writable ones
  EditInPlace* edited = nullptr;      // that, where the image has an editor

 private:
  nbd::ExportInfo info_;
};

ImageAccess::ImageAccess(const ImageExport& owner)
    : owner_(owner), image_(*owner.image), holes_(owner.image->file_count()) {}

Result<void> ImageAccess::map(Range want, nbd::Look look, size_t most, std::vector<nbd::Run>& out) {
  std::vector<Extent> extents;
  const Range guest{want.at + owner_.part.at, want.length};
  if (owner_.edited) known_.clear();
  if (auto collected = collect(guest, look, most, extents); !collected) return collected;
  for (const Extent& extent : extents) out.push_back(run_of(extent));
  return {};
}

Result<void> ImageAccess::map_bitmap(size_t number, Range want, std::vector<nbd::Mark>& out) {
  std::vector<BitmapRun> runs;
  const Range guest{want.at + owner_.part.at, want.length};
  if (auto mapped = image_.map_bitmap(number, guest, runs); !mapped) return mapped;
  for (const BitmapRun& run : runs) out.push_back({{run.guest.at - owner_.part.at, run.guest.length}, run.set});
  return {};
}

nbd::Run ImageAccess::run_of(const Extent& extent) const {
  nbd::Run run{.range = {extent.guest.at - owner_.part.at, extent.guest.length},
               .zero = reads_zero(extent),
               .allocated = !reads_zero(extent)};
  const bool nowhere = extent.kind == Extent::Kind::hole;
  run.depth = nowhere ? 0 : static_cast<uint32_t>(image_.layer_of(extent.file) + 1);
  if (extent.kind == Extent::Kind::data && owner_.keeps) {
    run.fd = owner_.descriptors[extent.file];
    run.at = extent.host.at;
  }
  return run;
}

// Extents that cover a prefix of the range.
Result<void> ImageAccess::collect(Range guest, nbd::Look look, size_t most, std::vector<Extent>& out) {
  if (owner_.plain) return collect_plain(guest, look, most, out);
  const size_t first = out.size();
  for (uint64_t at = guest.at; at < guest.end() && out.size() - first < most; at = out.back().guest.end()) {
    auto found = extent_at(at, guest.end() - at);
    if (!found) return failure(found);
    const Extent extent = clipped(**found, intersection((*found)->guest, Range::between(at, guest.end())));
    // What may change would be asked anew each time, and to find the end of data may take the kernel a look at every
    // page.
    const bool splits = look == nbd::Look::at_files && owner_.keeps && image_.file(extent.file).has_holes();
    if (extent.kind != Extent::Kind::data || !splits) {
      append_merged(out, first, extent);
      continue;
    }
    if (auto split = holes_[extent.file].append_split(image_.file(extent.file), extent, first, most, out); !split)
      return split;
  }
  return {};
}

Result<void> ImageAccess::collect_plain(Range guest, nbd::Look look, size_t most, std::vector<Extent>& out) {
  if (look == nbd::Look::at_image) {
    out.push_back({.kind = Extent::Kind::data, .guest = guest, .host = guest});
    return {};
  }
  const size_t first = out.size();
  // Nothing keeps a program that asks for no lock from writing to the file meanwhile.
  const bool keeps = owner_.keeps && owner_.is_as_opened();
  for (uint64_t at = guest.at; at < guest.end() && out.size() - first < most;) {
    auto run = keeps ? owner_.runs.at(at) : image_.file(0).allocation(at);
    if (!run) return failure(run);
    const Range range = Range::between(at, std::min(run->range.end(), guest.end()));
    if (range.empty()) return failure(ErrorKind::changed, "map", "the file became shorter", at);
    append_merged(out, first,
                  {.kind = run->data ? Extent::Kind::data : Extent::Kind::hole, .guest = range, .host = range});
    at = range.end();
  }
  return {};
}

// From what is known, or from a look at the map that reaches the further the longer the client goes on in order.
Result<const Extent*> ImageAccess::extent_at(uint64_t guest, uint64_t length) {
  if (known_.empty() || guest < known_.front().guest.at || guest >= known_.back().guest.end()) {
    const bool in_order = !known_.empty() && known_.back().guest.end() == guest;
    ahead_ = in_order ? std::min(ahead_ * 4, most_ahead) : least_ahead;
    // Of an image that is edited nothing is kept for later.
    const uint64_t reach = owner_.edited ? std::min(length, ahead_) : std::max(length, ahead_);
    const uint64_t end = std::min(image_.size(), guest + reach);
    known_.clear();
    if (auto mapped = image_.map(Range::between(guest, end), known_); !mapped) {
      known_.clear();
      return failure(mapped);
    }
  }
  return &*std::ranges::partition_point(known_, [=](const Extent& extent) { return extent.guest.end() <= guest; });
}

std::unique_ptr<PieceReader> ImageAccess::take_reader() {
  if (readers_.empty()) return std::make_unique<PieceReader>(image_, owner_.piece_size);
  auto reader = std::move(readers_.back());
  readers_.pop_back();
  return reader;
}

Task<Result<void>> ImageAccess::read(Ring& ring, uint64_t at, MutableBytes into) {
  const Range guest{at + owner_.part.at, into.size()};
  if (owner_.plain) {
    const iovec vector{into.data(), into.size()};
    co_return co_await image_.file(0).readv(ring, guest.at, {&vector, 1});
  }
  std::optional<RangeLock::Hold> hold;  // nothing that is read goes elsewhere meanwhile
  if (owner_.edited) {
    hold.emplace(co_await owner_.edited->reading(ring, guest));
    known_.clear();
  }
  std::vector<Extent> extents;
  for (uint64_t mapped = guest.at; mapped < guest.end(); mapped = extents.back().guest.end()) {
    auto done = collect(Range::between(mapped, guest.end()), nbd::Look::at_image, nbd::max_runs, extents);
    if (!done) co_return failure(done);
  }
  for (const Extent& extent : extents) {
    if (reads_zero(extent))
      std::ranges::fill(into.subspan(extent.guest.at - guest.at, extent.guest.length), std::byte{0});
  }
  std::unique_ptr<PieceReader> reader = take_reader();
  auto done = co_await reader->read(ring, guest.at, extents, into);
  readers_.push_back(std::move(reader));
  co_return done;
}

void ImageAccess::expect(Range range) {
  if (!owner_.plain || owner_.descriptors[0] < 0) return;
  (void)posix_fadvise(owner_.descriptors[0], static_cast<off_t>(range.at + owner_.part.at),
                      static_cast<off_t>(range.length), POSIX_FADV_WILLNEED);
}

Task<Result<void>> ImageAccess::write(Ring& ring, uint64_t at, Bytes from) {
  return owner_.in_place->write(ring, at + owner_.part.at, from);
}

Task<Result<void>> ImageAccess::zero(Ring& ring, Range range, bool keep, bool fast) {
  return owner_.in_place->zero(ring, {range.at + owner_.part.at, range.length}, keep, fast);
}

Task<Result<void>> ImageAccess::trim(Ring& ring, Range range) {
  return owner_.in_place->trim(ring, {range.at + owner_.part.at, range.length});
}

Task<Result<void>> ImageAccess::flush(Ring& ring) {
  if (!owner_.in_place) co_return Result<void>{};
  co_return co_await owner_.in_place->flush(ring);
}

}  // namespace

Result<Range> partition_of(Image& image, unsigned number) {
  std::vector<std::byte> head(std::min<uint64_t>(image.size(), partition_entries_head));
  if (auto begun = read_guest(image, 0, head); !begun) return failure(begun);
  const auto read = [&image](uint64_t at, MutableBytes into) { return read_guest(image, at, into).has_value(); };
  if (const auto found = find_partition(head, image.size(), number, read)) return *found;
  return failure(ErrorKind::not_found, "serve", fmt::format("its disk has no partition {}", number));
}

Result<std::unique_ptr<nbd::Export>> make_export(std::unique_ptr<Image> image, const ExportRequest& request) {
  const Range part = request.part;
  if (part.at > image->size() || part.length > image->size() - part.at)
    return failure(ErrorKind::invalid, "export", "the part does not lie inside the disk", part.at);
  if (request.writable && !is_plain(*image) && !image->editor())
    return failure(ErrorKind::unsupported, "write to", "images of this format are not written in place");
  ExportRequest whole = request;
  if (part.length == 0) whole.part = Range::between(part.at, image->size());
  return std::make_unique<ImageExport>(std::move(image), whole);
}

}  // namespace disklathe
