// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/layers.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/device/file_device.h"
#include "core/format/file_holes.h"
#include "core/format/reference_path.h"

namespace disklathe {

namespace {

constexpr size_t table_cache_capacity = 4 << 20;  // bytes, of a whole chain
constexpr size_t max_files = 2048;                // likewise
constexpr size_t max_extents = 1024;              // of one map() call
constexpr size_t max_steps = 8192;                // likewise: answers before they are merged

Error about(Error error, std::string_view path) {
  if (error.subject.empty()) error.subject = path;
  return error;
}

std::unexpected<Error> cannot_open(ErrorKind kind, std::string_view path, std::string cause) {
  return failure(about(failure(kind, "open", std::move(cause)).error(), path));
}

std::string_view name_of(Reference::Kind kind) {
  return kind == Reference::Kind::backing     ? "backing file"
         : kind == Reference::Kind::data_file ? "data file"
                                              : "extent";
}

// As QEMU sees it: a colon before the first slash begins a protocol or a json: description. "file:" leads to a path.
bool is_path(std::string_view name) {
  if (name.starts_with("file:")) name.remove_prefix(5);
  return name.find(':') >= std::min(name.find('/'), name.size());
}

bool same_file(const BlockDevice& a, const BlockDevice& b) {
  const auto* file_a = dynamic_cast<const FileDevice*>(&a);
  const auto* file_b = dynamic_cast<const FileDevice*>(&b);
  return file_a && file_b ? file_a->same_file_as(*file_b) : a.name() == b.name();
}

}  // namespace

// Image::open(): one layer after the other, top first.
class Image::Opening {
 public:
  Opening(const ImageRequest& request, const FileOpener& opener) : request_(request), opener_(opener) {}

  Result<std::unique_ptr<Image>> run() {
    auto file = opener_.open(request_.path);
    if (!file) return failure(file);
    if (auto done = add_layer(std::move(*file), request_.path, request_.format); !done) return failure(done);
    while (request_.backing) {
      const Reference* backing = reference(*image_->layers_.back().reader, Reference::Kind::backing);
      if (!backing) break;
      if (image_->layers_.size() >= max_chain_depth) {
        return cannot_open(ErrorKind::unsupported, request_.path,
                           fmt::format("the backing chain has more than {} images", max_chain_depth));
      }
      // Copies: adding a layer moves the one that they belong to.
      const std::string naming = image_->layers_.back().path;
      // The top image is the user's own choice; what it names is not.
      const bool guessed = image_->layers_.size() > 1 && image_->layers_.back().format_probed;
      const std::string format = backing->format, name = backing->name;
      const std::vector<std::string> identities = backing->identities;
      auto next = open_reference(naming, guessed, *backing);
      if (!next) return failure(next);
      if (!format.empty() && !find_format(format)) {
        return cannot_open(ErrorKind::unsupported, naming, fmt::format("the backing file's format {:?}", format));
      }
      if (auto done = add_layer(std::move(next->device), std::move(next->path), format); !done) return failure(done);
      const std::string& identity = image_->layers_.back().reader->facts().identity;
      if (!identities.empty() && !std::ranges::contains(identities, identity)) {
        return cannot_open(
            ErrorKind::corrupt, naming,
            fmt::format("the backing file {:?} is not the image it was made on, or was changed since", name));
      }
    }
    image_->file_holes_ = request_.file_holes;
    return std::move(image_);
  }

 private:
  struct Opened {
    std::string path;
    std::unique_ptr<BlockDevice> device;
  };

  static const Reference* reference(const ImageReader& reader, Reference::Kind kind) {
    const auto found = std::ranges::find(reader.references(), kind, &Reference::kind);
    return found == reader.references().end() ? nullptr : &*found;
  }

  // guessed: nobody but the naming image's own content says that its format is the one that has names in it.
  Result<Opened> open_reference(const std::string& naming, bool guessed, Reference reference) {
    reference.by_guess = guessed;
    if (reference.name.empty()) {
      return cannot_open(ErrorKind::unsupported, naming,
                         fmt::format("the image has a {} and does not name it", name_of(reference.kind)));
    }
    if (!is_path(reference.name)) {
      return cannot_open(ErrorKind::unsupported, naming,
                         fmt::format("the {} {:?} is not named by a path", name_of(reference.kind), reference.name));
    }
    const std::string path = resolve_reference(naming, reference.name);
    if (auto allowed = opener_.allow(naming, reference, path); !allowed) return failure(allowed);
    auto device = opener_.open(path);
    if (!device) return failure(device);
    for (const auto& known : image_->files_) {
      if (same_file(*known, **device)) {
        return cannot_open(
            ErrorKind::corrupt, naming,
            fmt::format("the {} {:?} is already part of this image", name_of(reference.kind), reference.name));
      }
    }
    return Opened{path, std::move(*device)};
  }

  // format: empty to probe. Error subject: the path.
  Result<void> add_layer(std::unique_ptr<BlockDevice> device, std::string path, const std::string& format) {
    Layer layer{.path = std::move(path), .first_file = static_cast<uint16_t>(image_->files_.size())};
    if (format.empty()) {
      auto probed = probe_format(*device);
      if (!probed) return failure(about(std::move(probed.error()), layer.path));
      layer.format = probed->format;
      layer.format_probed = probed->by_content_alone;
    } else {
      layer.format = find_format(format);
    }
    if (!layer.format) {
      return cannot_open(ErrorKind::unsupported, layer.path, fmt::format("the format {:?}", format));
    }
    OpenSource source{.file = device.get(), .tables = tables_};
    const bool top = image_->layers_.empty();
    if (top) source.snapshot = request_.snapshot;
    auto reader = layer.format->open(source);
    if (!reader) return failure(about(std::move(reader.error()), layer.path));
    image_->files_.push_back(std::move(device));
    if (request_.data_file) {
      auto opened = open_content(layer, !top && layer.format_probed, (*reader)->references(), source);
      if (!opened) return failure(opened);
      if (*opened) reader = layer.format->open(source);
      if (!reader) return failure(about(std::move(reader.error()), layer.path));
    }
    layer.reader = std::move(*reader);
    if (top && request_.edit && layer.format->edit) {
      auto editor = layer.format->edit(source);
      if (!editor) return failure(about(std::move(editor.error()), layer.path));
      image_->editor_ = editor->get();
      layer.reader = std::move(*editor);
    }
    layer.file_count = static_cast<uint16_t>(image_->files_.size() - layer.first_file);
    image_->layer_of_file_.resize(image_->files_.size(), static_cast<uint16_t>(image_->layers_.size()));
    image_->layers_.push_back(std::move(layer));
    return {};
  }

  // Opens the files that hold a layer's content besides its own. Which there are is known only from its reader, which
  // then has to be made once more: the answer.
  Result<bool> open_content(const Layer& layer, bool guessed, const std::vector<Reference>& references,
                            OpenSource& source) {
    bool any = false;
    for (const Reference& reference : references) {
      if (reference.kind == Reference::Kind::backing) continue;
      if (image_->files_.size() > max_files) {
        return cannot_open(ErrorKind::unsupported, layer.path, fmt::format("more than {} files", max_files));
      }
      auto opened = open_reference(layer.path, guessed, reference);
      if (!opened) return failure(opened);
      BlockDevice* const device = opened->device.get();
      image_->files_.push_back(std::move(opened->device));
      if (reference.kind == Reference::Kind::data_file) {
        source.data_file = device;
      } else {
        source.extents.push_back(device);
      }
      any = true;
    }
    return any;
  }

  const ImageRequest& request_;
  const FileOpener& opener_;
  const std::shared_ptr<TableCache> tables_ = std::make_shared<TableCache>(table_cache_capacity);
  std::unique_ptr<Image> image_{new Image};
};

// One call of map(): goes down the layers at every step, and keeps what each layer has said beyond the step for the
// next one.
class Image::Walk {
 public:
  Walk(const std::vector<Layer>& layers, Range want, std::vector<Extent>& out)
      : layers_(layers), at_(want.at), end_(want.end()), out_(out), first_(out.size()) {
    known_.reserve(layers.size());
  }

  Result<void> run() {
    for (size_t steps = 0; at_ < end_ && out_.size() - first_ < max_extents && steps < max_steps; ++steps) {
      if (auto done = step(); !done) return done;
      // No further than the first look at the top layer: one call stays one bounded look.
      end_ = std::min(end_, known_.front().end());
    }
    return {};
  }

 private:
  // What a layer said: extents from the current one on.
  struct Known {
    std::vector<Extent> extents;
    size_t current = 0;
    uint64_t end() const { return extents.empty() ? 0 : extents.back().guest.end(); }
  };

  // Answers at_ by one extent from the first layer that has something there.
  Result<void> step() {
    uint64_t end = end_;    // of the answer
    uint64_t limit = end_;  // of what is asked of the next layer
    for (size_t depth = 0;; ++depth) {
      const Layer& layer = layers_[depth];
      auto extent = look_up(depth, std::min(limit, layer.reader->size()));
      if (!extent) return failure(extent);
      end = std::min(end, (*extent)->guest.end());
      limit = known_[depth].end();
      const bool last = depth + 1 == layers_.size() || at_ >= layers_[depth + 1].reader->size();
      if ((*extent)->kind != Extent::Kind::hole || last) {
        Extent answer = clipped(**extent, Range::between(at_, end));
        answer.file = static_cast<uint16_t>(answer.file + layer.first_file);
        append_merged(out_, first_, answer);
        at_ = end;
        return {};
      }
    }
  }

  // What the layer says of at_.
  Result<const Extent*> look_up(size_t depth, uint64_t limit) {
    if (known_.size() == depth) known_.emplace_back();
    Known& known = known_[depth];
    while (known.current < known.extents.size() && known.extents[known.current].guest.end() <= at_) ++known.current;
    if (known.current == known.extents.size()) {
      known.extents.clear();
      known.current = 0;
      const Layer& layer = layers_[depth];
      if (auto mapped = layer.reader->map(Range::between(at_, limit), known.extents); !mapped) {
        return failure(about(std::move(mapped.error()), layer.path));
      }
    }
    return &known.extents[known.current];
  }

  const std::vector<Layer>& layers_;
  uint64_t at_, end_;
  std::vector<Extent>& out_;
  const size_t first_;
  std::vector<Known> known_;
};

Result<std::unique_ptr<Image>> Image::open(const ImageRequest& request, const FileOpener& opener) {
  return Opening(request, opener).run();
}

Result<std::unique_ptr<Image>> Image::open_on(std::unique_ptr<Image> base, std::unique_ptr<BlockDevice> file,
                                              const Format& format) {
  auto editor = format.edit({.file = file.get()});
  if (!editor) return failure(about(std::move(editor.error()), file->name()));
  Layer top{.path = std::string(file->name()), .format = &format};
  std::unique_ptr<Image> image(new Image);
  image->editor_ = editor->get();
  top.reader = std::move(*editor);
  image->layers_.push_back(std::move(top));
  image->files_.push_back(std::move(file));
  image->layer_of_file_.push_back(0);
  for (Layer& layer : base->layers_) {
    ++layer.first_file;
    image->layers_.push_back(std::move(layer));
  }
  for (auto& below : base->files_) image->files_.push_back(std::move(below));
  for (const uint16_t layer : base->layer_of_file_) image->layer_of_file_.push_back(static_cast<uint16_t>(layer + 1));
  return image;
}

uint64_t Image::size() const { return layers_.front().reader->size(); }

Result<void> Image::map(Range want, std::vector<Extent>& out) {
  if (want.empty() || want.at >= size() || want.length > size() - want.at) {
    return failure(ErrorKind::invalid, "map", "the range does not lie inside the disk");
  }
  if (!file_holes_) return Walk(layers_, want, out).run();
  std::vector<Extent> extents;
  if (auto walked = Walk(layers_, want, extents).run(); !walked) return walked;
  return append_without_file_holes(extents, out);
}

Result<void> Image::append_without_file_holes(const std::vector<Extent>& extents, std::vector<Extent>& out) const {
  const size_t first = out.size();
  std::vector<FileHoles> holes(files_.size());
  for (const Extent& extent : extents) {
    if (out.size() - first >= max_extents) break;
    if (extent.kind != Extent::Kind::data) {
      append_merged(out, first, extent);
    } else if (auto done = holes[extent.file].append_split(*files_[extent.file], extent, first, max_extents, out);
               !done) {
      return failure(about(std::move(done.error()), files_[extent.file]->name()));
    }
  }
  return {};
}

uint64_t Image::decode_unit() const {
  uint64_t unit = 1;
  for (const Layer& layer : layers_) unit = std::max(unit, layer.reader->decode_unit());
  return unit;
}

Result<void> Image::decode(const Extent& extent, Bytes in, MutableBytes out) const {
  const Layer& layer = layers_[layer_of(extent.file)];
  auto done = layer.reader->decode(extent, in, out);
  if (!done) return failure(about(std::move(done.error()), layer.path));
  return done;
}

Result<void> Image::map_bitmap(size_t index, Range want, std::vector<BitmapRun>& out) const {
  return layers_.front().reader->map_bitmap(index, want, out);
}

const ImageFacts& Image::facts() const { return layers_.front().reader->facts(); }

const std::vector<Reference>& Image::references() const { return layers_.front().reader->references(); }

Result<void> unchanged_since_open(const Image& image) {
  for (uint16_t index = 0; index < image.file_count(); ++index) {
    const auto* file = dynamic_cast<const FileDevice*>(&image.file(index));
    if (!file) continue;
    if (auto same = file->unchanged_since_open(); !same) return same;
  }
  return {};
}

}  // namespace disklathe
