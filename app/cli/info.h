// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/format/image_reader.h"

namespace disklathe::cli {

// A file or device that an image is in.
struct ImageFile {
  std::string path;
  uint64_t size = 0;  // bytes
  std::optional<uint64_t> allocated;
  bool block_device = false;
};

// What `info` shows of one image, as far as it is not the format's own ImageFacts.
struct ImageInfo {
  ImageFile file;
  std::string format;
  uint64_t virtual_size = 0;
  const ImageFacts* facts = nullptr;
  const Reference* backing = nullptr;  // null: none
  std::string backing_path;            // where its name leads
  std::vector<ImageFile> extents;      // files that it is in besides
};

// With the keys and values of qemu-img info --output=json.
nlohmann::ordered_json json_of(const ImageInfo& info);

// Like qemu-img info's output for people.
std::string text_of(const ImageInfo& info);

// What `info` shows of what can only be read forward.
struct StreamInfo {
  std::string path, format, description;  // "gz", "gzip"
  std::optional<uint64_t> virtual_size;   // nothing: the end will tell
  std::optional<uint64_t> file_size, allocated;
  std::string content;  // what it holds when that is no raw disk
};
nlohmann::ordered_json json_of(const StreamInfo& info);
std::string text_of(const StreamInfo& info);

}  // namespace disklathe::cli
