// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/check.h"
#include "core/format/image_editor.h"
#include "core/format/image_reader.h"
#include "core/format/image_writer.h"
#include "core/format/table_cache.h"

namespace disklathe {

// -o name=value, as the user gave them.
using FormatOptions = std::map<std::string, std::string, std::less<>>;

struct OptionInfo {
  std::string_view name;                 // qemu-img's name
  std::string_view default_value;        // empty: none
  std::string_view help;                 // one line for people
  std::vector<std::string_view> values;  // when the choice is closed
};

// What an image is opened from. The devices outlive the reader; those besides the image's own file are present only
// when the caller opened the references the image names (see layers.h for who may). Extent::file counts them in this
// order.
struct OpenSource {
  BlockDevice* file = nullptr;
  BlockDevice* data_file = nullptr;
  std::vector<BlockDevice*> extents;  // those of references() that are of kind extent, in their order; or none of them
  std::string snapshot;               // read this internal snapshot instead of the current state: its id or name
  // Where the reader keeps tables, shared by the images of a chain. Null: the reader makes a small one of its own.
  std::shared_ptr<TableCache> tables;
};

struct CreateRequest {
  BlockDevice* file = nullptr;  // the target, empty or to be overwritten from its start
  BlockDevice* data_file = nullptr;
  uint64_t size = 0;  // guest bytes
  FormatOptions options;
  bool compress = false;
  int level = 0;  // of compression; 0: the format's own choice
  std::string backing_file, backing_format;
  // Every byte of the target file reads as zero where nothing was written.
  bool target_is_zero = false;
};

struct MeasureRequest {
  uint64_t size = 0;
  FormatOptions options;
  // What is to be stored; its size is `size`. Null: count nothing but metadata (size given without an image).
  ImageReader* source = nullptr;
};
struct Measured {
  uint64_t required = 0, fully_allocated = 0;  // bytes of the image file
};

// One row of the registry. Formats answer where; nothing here moves guest data.
struct Format {
  std::string_view name;         // as in -f and -O
  std::string_view description;  // "QEMU copy-on-write, version 2 and 3"
  std::vector<std::string_view> extensions;

  // How sure the first bytes (and for footers the last 512) make us: 0 no, 100 certain.
  int (*probe)(Bytes head, Bytes tail, uint64_t file_size) = nullptr;
  Result<std::unique_ptr<ImageReader>> (*open)(const OpenSource& source) = nullptr;
  Result<std::unique_ptr<ImageWriter>> (*create)(const CreateRequest& request) = nullptr;  // null: read-only format
  // Null: images of it are not changed in place. The files are open for writing.
  Result<std::unique_ptr<ImageEditor>> (*edit)(const OpenSource& source) = nullptr;
  Result<Measured> (*measure)(const MeasureRequest& request) = nullptr;
  // Null: there is nothing to check. An error when the image cannot be opened at all.
  Result<CheckReport> (*check)(const CheckRequest& request) = nullptr;
  std::vector<OptionInfo> options;  // of create
  bool grows = false;               // its writers take ImageWriter::set_size()
};

std::span<const Format> formats();
const Format* find_format(std::string_view name);  // null: unknown

struct Probed {
  const Format* format = nullptr;
  bool by_content_alone = true;  // always: nothing else was asked. Said to the user when it matters.
};
// What the first bytes of something that can only be read forward claim to be; null: nothing, so it is raw.
const Format* probe_head(Bytes head);
// Reads the head and tail of the file; raw when nothing claims it.
Result<Probed> probe_format(BlockDevice& file);

}  // namespace disklathe
