// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/device/identify.h"
#include "core/engine/checksum.h"
#include "core/engine/compare.h"
#include "core/engine/sweep.h"
#include "core/format/image_reader.h"
#include "core/format/known_content.h"
#include "core/format/partition_table.h"
#include "core/zero/zero_strategy.h"

namespace disklathe::job {

// What jobs find out. All of it comes from a process that has read a hostile image: numbers and texts to be shown, not
// to be relied upon.

// One image file of a chain.
struct LayerFacts {
  std::string name, format;
  bool probed = false;  // nobody said the format
  uint64_t virtual_size = 0;
  uint64_t file_size = 0;             // of the file or device, bytes
  std::optional<uint64_t> allocated;  // of the file, on its file system
  bool block_device = false;
  ImageFacts facts;
  std::vector<Reference> references;
};

// Of what can only be read from front to back.
struct StreamFacts {
  std::string format, description;       // "gz", "gzip"
  std::optional<uint64_t> virtual_size;  // nothing: the end will tell
  std::optional<uint64_t> file_size, allocated;
  std::string content;  // what it holds when that is no raw disk: "a qcow2 image", "a tar archive"
};

// What lies at a place of the guest's disk.
struct DiskPart {
  PartitionEntry entry;  // number 0: the whole disk, which has no table
  KnownContent content;
};

struct Inspection {
  std::vector<LayerFacts> layers;     // top first; only the top one without Inspect::chain. Empty: a stream
  std::optional<StreamFacts> stream;  // or it is one
  // Nothing: not looked at, as the disk needs files that were not opened.
  std::optional<PartitionTable> partitions;
  // With them: the partitions, or the whole disk where it has none and something is known of it.
  std::vector<DiskPart> parts;
  // What the device said of itself, if that was asked for and it did.
  std::optional<Identified> identified;
};

struct MapDone {
  uint64_t virtual_size = 0;
};

struct Converted {
  uint64_t disk_size = 0;
  bool verified = false;
  std::optional<uint64_t> garbage_at;  // what follows a stream's data and is none was left out
};

struct Zeroed {
  ZeroStrategy::Done done;
  uint64_t discarded = 0;
  bool all_read = false;               // read back from end to end; else samples only
  std::optional<uint64_t> nonzero_at;  // it does not read as zeroes
};

struct Compared {
  uint64_t source_size = 0, other_size = 0;
  std::optional<uint64_t> differs_at;
};

struct Swept {
  std::vector<SweepPoint> points;
};

// It was stopped, or the one client that it was for has left.
struct Exported {};

using Outcome = std::variant<Inspection, MapDone, Converted, Zeroed, Compared, Swept, Checksums, Exported>;

// What a person should know of besides.
struct Note {
  enum class Kind : uint8_t {
    format_probed,     // text: the format that the content looks like
    image_warning,     // text: what is odd about the image
    trailing_garbage,  // of a stream, from `offset` on; text: the encoding
    target_mixed,      // an existing target holds a part of the image and a part of what was there
    serving,           // from now on clients of the export are answered
  };
  Kind kind = Kind::image_warning;
  std::string subject, text;
  uint64_t offset = 0;

  friend bool operator==(const Note&, const Note&) = default;
};

// A run of the guest's disk: Extent with the layer that answered.
struct MapEntry {
  Extent extent;
  uint64_t layer = 0;
};

}  // namespace disklathe::job
