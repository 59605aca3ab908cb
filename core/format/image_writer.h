// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/bytes.h"
#include "core/base/range.h"
#include "core/base/result.h"

namespace disklathe {

// A run of guest bytes to be stored, and where the writer says they go.
struct Placement {
  Range guest{};
  uint64_t stored = 0;   // bytes that will be written: guest.length, or fewer when encoded
  bool encoded = false;  // then guest is exactly one unit() (shorter only at the end of the disk)
  // Answer: `stored` bytes at this offset of the target file.
  uint64_t host = 0;
  uint16_t file = 0;  // 0: the image itself; 1: its external data file
};

// The mirror of ImageReader for a fresh image: says where bytes may go, and writes the metadata last, so that a crash
// leaves no image that lies. Thread-safe.
class ImageWriter {
 public:
  virtual ~ImageWriter() = default;

  // Guest ranges given to place() begin and end on multiples of this many bytes (the end of the disk excepted).
  virtual uint32_t unit() const = 0;

  // Guest ranges given to place() cross no multiple of this many bytes, which is a multiple of unit(): where something
  // of the format's own may come to lie between. 0: they may cross anything.
  virtual uint64_t boundary() const { return 0; }

  // Whether places depend on the order of the calls. Then the engine calls place() and place_zero() strictly in guest
  // order, which keeps guest-sequential data host-sequential; where they do not (raw), nobody has to wait for a turn.
  virtual bool wants_order() const { return true; }

  // Whether units are to be passed through encode() before they are placed.
  virtual bool encodes() const { return false; }
  // Bytes that encode() keeps for each thread it is called on.
  virtual uint64_t encode_memory() const { return 0; }
  // Bytes of `out` that encode() needs: more than unit() where no unit can be stored as it is.
  virtual size_t encode_room() const { return unit(); }
  // Encodes the whole unit at guest_at (zero-padded at the end of the disk); returns the size in `out`, or 0 when it
  // did not get smaller and should be stored as it is. Any thread.
  virtual Result<size_t> encode(uint64_t guest_at, Bytes in, MutableBytes out) const;

  // Fills in host and file of each; they come in guest order and do not overlap. All of one call that are not encoded
  // lie host-contiguous wherever the format is free to choose. Error: invalid, when they are not what unit() asks.
  virtual Result<void> place(std::span<Placement> placements) = 0;

  // The guest range shall read as zeroes (same alignment as place()). Returns the range of the target file that the
  // engine must make zero; nothing when metadata alone says it, or when whatever was never placed reads as zeroes
  // anyway.
  virtual Result<std::optional<Range>> place_zero(Range guest) = 0;

  // The guest's disk has this many bytes from now on: for a stream, which tells its size only in the end. Everything
  // placed lies below. `unsupported` where the format has to know the size beforehand.
  virtual Result<void> set_size(uint64_t size);

  // Everything placed has been written. Writes the metadata in an order that makes a crash harmless:
  // flushes around it as that order needs (skipped when durable is false: the user asked for `unsafe`).
  virtual Result<void> finish(bool durable) = 0;
};

}  // namespace disklathe
