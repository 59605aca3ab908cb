// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/image_options.h"

namespace disklathe::cli {
namespace {

constexpr unsigned most_partitions = 1024;

}  // namespace

void ImageOptions::add_to(CommandLine& line) {
  line.text("-f,--format", image_.format);
  line.flag("--rw", image_.writable);
  line.flag("--cow", image_.layered);
  line.text("--yes-erase", image_.yes_erase);
  line.text("-l,--snapshot", image_.snapshot);
  line.number("--partition", image_.partition, 1, most_partitions);
  line.size("--offset", image_.offset);
  line.size("--length", image_.length);
  line.choice("-t,--cache", cache_, {"auto", "none", "writeback", "directsync", "unsafe"});
  line.choice("--backing", backing_, {"allow", "deny", "ask"});
  line.choice("--data-file", data_file_, {"allow", "deny"});
  line.texts("--allow-file", policy_.allowed);
  line.flag("-U,--force-share", policy_.share);
}

Result<ServedImage> ImageOptions::image() const {
  if (image_.writable && image_.layered)
    return failure(ErrorKind::invalid, "serve", "--rw and --cow exclude each other");
  ServedImage image = image_;
  image.snapshot = snapshot_of(image_.snapshot);
  return image;
}

OpenPolicy ImageOptions::policy() const {
  OpenPolicy policy = policy_;
  policy.backing = backing_policy_of(backing_).value_or(BackingPolicy::beside);
  policy.data_file = data_file_ == "allow";
  policy.cache = *cache_mode_of(cache_);
  return policy;
}

}  // namespace disklathe::cli
