// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/image_opening.h"

namespace disklathe::job {

Result<std::unique_ptr<Image>> ImageOpening::open(std::unique_ptr<FileDevice> top, ImageRequest request) {
  top_ = std::move(top);
  request.path = path_;
  auto image = Image::open(request, opener());
  if (!image) return image;
  for (const Layer& layer : (*image)->layers()) {
    if (layer.format_probed) host_.note({Note::Kind::format_probed, layer.path, std::string(layer.format->name), 0});
    for (const std::string& warning : layer.reader->facts().warnings)
      host_.note({Note::Kind::image_warning, layer.path, warning, 0});
  }
  return image;
}

Result<std::unique_ptr<Image>> ImageOpening::open(ImageRequest request) {
  auto top = host_.take(role_);
  if (!top) return failure(top);
  return open(std::move(*top), std::move(request));
}

FileOpener ImageOpening::opener() {
  FileOpener opener;
  opener.allow = [this](const std::string& image, const Reference& reference, const std::string& path) {
    return allow(image, reference, path);
  };
  opener.open = [this](const std::string&) -> Result<std::unique_ptr<BlockDevice>> {
    if (top_) return std::move(top_);
    if (!next_) return failure(ErrorKind::refused, "open", "it was not given");
    return std::move(next_);
  };
  return opener;
}

Result<void> ImageOpening::allow(const std::string& image, const Reference& reference, const std::string& path) {
  // The data file of a target that was just written was given with it.
  const bool given = role_ == Role::target && reference.kind == Reference::Kind::data_file && image == path_;
  auto file =
      given ? host_.again(Role::data) : host_.ask({.id = 0, .image = image, .reference = reference, .path = path});
  if (!file) return failure(file);
  next_ = std::move(*file);
  return {};
}

}  // namespace disklathe::job
