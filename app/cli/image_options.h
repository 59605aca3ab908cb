// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "app/cli/command_line.h"
#include "app/cli/serve_exports.h"

namespace disklathe::cli {

// What `serve` and `attach` are told about the disk that others get to see.
class ImageOptions {
 public:
  // Of all but its name: -f, --rw, --cow, --yes-erase, -l, --partition, --offset, --length, -t, --backing, --data-file,
  // --allow-file, -U. The line outlives neither this nor its own parse().
  void add_to(CommandLine& line);
  // After parse().
  Result<ServedImage> image() const;
  OpenPolicy policy() const;

 private:
  ServedImage image_;
  OpenPolicy policy_;
  std::string cache_ = "auto", backing_, data_file_;
};

}  // namespace disklathe::cli
