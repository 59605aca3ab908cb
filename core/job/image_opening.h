// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "core/format/layers.h"
#include "core/job/host.h"

namespace disklathe::job {

// Opens the image of a role. What it names is asked for, and only then opened.
class ImageOpening {
 public:
  ImageOpening(Host& host, Role role) : host_(host), role_(role), path_(host.spec().file(role)->name) {}

  // The file that was given, or `top` in its place. Notes say what is doubtful about the image.
  Result<std::unique_ptr<Image>> open(ImageRequest request);
  Result<std::unique_ptr<Image>> open(std::unique_ptr<FileDevice> top, ImageRequest request);

 private:
  FileOpener opener();
  Result<void> allow(const std::string& image, const Reference& reference, const std::string& path);

  Host& host_;
  const Role role_;
  const std::string path_;
  std::unique_ptr<FileDevice> top_, next_;
};

}  // namespace disklathe::job
