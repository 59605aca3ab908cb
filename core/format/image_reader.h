// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/extent.h"

namespace disklathe {

// Another file that an image names. Hostile input: reported, and opened only when policy or the user says so.
struct Reference {
  enum class Kind : uint8_t { backing, data_file, extent } kind = Kind::backing;
  std::string name;    // as written in the image
  std::string format;  // as written in the image; empty: the image does not say
  // Set when the question of opening it comes up: nobody said what format the naming image has, neither the user nor
  // the image above it. A guest that owned a raw disk may then have written the header that gives this name.
  bool by_guess = false;
  // What the named image must be (ImageFacts::identity): one of these. Empty: the image does not say.
  std::vector<std::string> identities{};
};

struct Snapshot {
  std::string id, name;
  uint64_t disk_size = 0;      // bytes
  uint64_t vm_state_size = 0;  // bytes
  uint64_t date_seconds = 0, date_nanoseconds = 0;
  uint64_t vm_clock_nanoseconds = 0;
  std::optional<uint64_t> icount;
};

// What `info` shows beyond sizes, in the order and with the keys qemu-img uses under "format-specific".data.
struct Property {
  std::string key;
  // A vector holds the members of an object, or with empty keys the elements of a list (an empty one is a list).
  std::variant<bool, uint64_t, std::string, std::vector<Property>> value;
};

struct ImageFacts {
  // What an image that stands on this one remembers it by, and what changes when its content does; empty: nothing.
  std::string identity;
  std::optional<uint64_t> cluster_size;
  std::optional<bool> encrypted, dirty, corrupt;
  bool compressed = false;           // all of it, or most: reading it is work for every core
  std::vector<std::string> bitmaps;  // names of those that can be relied on, for map_bitmap()
  std::vector<Snapshot> snapshots;
  std::vector<Property> specific;
  // Things a person should know before trusting the image: "the dirty bit is set", ... Short, no file name in them.
  std::vector<std::string> warnings;
};

// What a bitmap of an image says of a run of the guest's bytes: whether something was written to them since it was
// made.
struct BitmapRun {
  Range guest{};
  bool set = false;
};

// Answers where the guest's bytes are; moves none of them. Thread-safe after open. Metadata is read through the
// device as it is needed and kept in a bounded cache, so memory stays flat however large the image is.
class ImageReader {
 public:
  virtual ~ImageReader() = default;

  virtual uint64_t size() const = 0;  // of the guest's disk, bytes

  // Appends extents that cover a prefix of `want` in guest order without gaps: at least one, and as many as one bounded
  // look at the metadata gives (at most about 4096). Every extent lies inside `want`. The caller continues at
  // out.back().guest.end(). want must lie inside [0, size()) and not be empty.
  virtual Result<void> map(Range want, std::vector<Extent>& out) = 0;

  // Compressed clusters have this many guest bytes and begin on multiples of it: a piece that does so too has each of
  // them decoded once.
  virtual uint64_t decode_unit() const { return 1; }
  // Decodes a compressed extent's whole cluster: `in` are its host bytes, `out` has decoded_length bytes. Any thread.
  virtual Result<void> decode(const Extent& extent, Bytes in, MutableBytes out) const;

  // Of facts().bitmaps[index], as map(): runs that cover a prefix of `want`.
  virtual Result<void> map_bitmap(size_t index, Range want, std::vector<BitmapRun>& out) const;

  virtual const ImageFacts& facts() const = 0;
  virtual const std::vector<Reference>& references() const = 0;
};

}  // namespace disklathe
