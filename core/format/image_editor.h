// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/format/image_reader.h"

namespace disklathe {

// A run of guest bytes, and where an editor says they are to be written.
struct EditRun {
  enum class Place : uint8_t {
    in_place,  // the guest's bytes are there: any part of them may be written, and that is all
    reserved,  // the image keeps the place for these bytes, which are not there yet
    taken,     // a new place
  };
  // Not in place: whole units; it may begin before what was asked for and end after it, also after the disk's end.
  Range guest{};
  uint16_t file = 0;  // as Extent::file, of the editor's own files
  uint64_t host = 0;
  Place place = Place::in_place;
  bool zeroed = false;  // the place reads as zeroes already
};

// Changes an image that others rely on while it is changed: the third of a format's interfaces, beside reader and
// writer, and itself a reader whose answers follow what it was told. It moves no guest data: it says where bytes go and
// what has to be copied there first, the engine moves them, and the editor then refers to them.
//
// Thread-safe. But of calls that change ranges which share a unit() the caller makes one after the other, and lets
// nobody read those units between allocate() and link().
//
// Nothing that was durable is lost when the power goes. To make changes durable: begin_commit(); then advance() and
// flush the files while it says so; then finish_commit(), and reuse().
class ImageEditor : public ImageReader {
 public:
  // Guest bytes that are given a place together: a cluster.
  virtual uint64_t unit() const = 0;

  // The bytes from guest.at on that are in place, and follow each other there; nothing: the first one is not.
  virtual Result<std::optional<EditRun>> in_place(Range guest) = 0;
  // A place for bytes from guest.at on, which are not in place. Every byte of the run has to be written to it, those
  // that do not change with what the image says of them, unless they are zero and the run is zeroed. Then link() it, or
  // abandon() it. `no_space` where the file cannot grow.
  virtual Result<EditRun> allocate(Range guest) = 0;
  virtual Result<void> link(const EditRun& run) = 0;
  virtual void abandon(const EditRun& run) = 0;

  // Makes bytes from guest.at on read as zeroes without writing any, and gives up their places. Returns how many: 0
  // when zeroes have to be written, which bytes that are no whole unit (or part of one that the format knows) always
  // have to be.
  virtual Result<uint64_t> make_zero(Range guest) = 0;
  // Whether make_zero() does anything for whole units.
  virtual bool makes_zeroes() const = 0;

  // Bytes of memory that changes take which are not committed, and a part of those of the file that they have given up,
  // which are not used again before. Above most_changed commit before the next change.
  virtual uint64_t changed_bytes() const = 0;
  static constexpr uint64_t most_changed = 8 << 20;

  // From here on: what was changed up to now. One commit at a time; changes may go on.
  virtual void begin_commit() = 0;
  // Writes what may be written after what has been flushed. True: flush the files, and call again; false: all is
  // durable. After an error, or when a flush failed, the commit is over: cancel_commit().
  virtual Result<bool> advance() = 0;
  virtual void cancel_commit() = 0;
  // Ranges of file 0 that nothing refers to any more. They are handed out again after reuse() only.
  virtual Result<std::vector<Range>> finish_commit() = 0;
  virtual Result<void> reuse(std::span<const Range> freed) = 0;
  // Gives up the room that the file has grown by and does not use. Last of all.
  virtual Result<void> cut() = 0;
};

}  // namespace disklathe
