// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/range.h"
#include "core/base/result.h"
#include "core/io/ring.h"
#include "core/io/task.h"

namespace disklathe::nbd {

// What a client is told of an export, and what follows from it for how it is served.
struct ExportInfo {
  std::string name;  // empty: the default export
  std::string description;
  uint64_t size = 0;  // bytes
  bool writable = false;
  bool rotational = false;
  bool queued = false;         // it gains by many requests in flight (direct I/O); else the page cache answers at once
  uint32_t minimum_block = 1;  // advertised; smaller requests are served all the same
  uint64_t write_unit = 1;     // writes of whole ones are cheaper: clusters
  // For block status: base:allocation, qemu:allocation-depth, and then those of bitmaps.
  std::vector<std::string> contexts;
};

// A run of an export's bytes.
struct Run {
  Range range;            // of the export
  bool zero = false;      // reads as zeroes
  bool allocated = true;  // it takes space somewhere
  uint32_t depth = 1;     // of the layer it comes from, 1: the top; 0: no layer has it
  // Where the bytes are as they are, in the page cache of a file that does not change: they can be sent from there
  // without being seen here. -1: only read() gets them.
  int fd = -1;
  uint64_t at = 0;
};

// A run of an export's bytes that a bitmap has marked, or has not.
struct Mark {
  Range range;
  bool set = false;
};

inline constexpr size_t max_runs = 4096;  // of one map()

// How closely map() looks.
enum class Look : uint8_t {
  at_image,  // what the image says, for reading: a hole of its file is data, which costs nothing to find out
  at_files,  // and what its files say
};

// One connection's use of an export. On one thread; many tasks at a time. Ranges lie inside the export.
class Access {
 public:
  virtual ~Access() = default;

  // Appends runs that cover a prefix of `want`, which is not empty: at least one, at most `most`, which is at least
  // one.
  virtual Result<void> map(Range want, Look look, size_t most, std::vector<Run>& out) = 0;

  // Likewise by a bitmap: that of the context bitmap_contexts + number.
  virtual Result<void> map_bitmap(size_t number, Range want, std::vector<Mark>& out) = 0;

  // Fills all of `into`. The memory must stay until the task is done, as everywhere here.
  virtual Task<Result<void>> read(Ring& ring, uint64_t at, MutableBytes into) = 0;
  // The range will be read soon. A hint.
  virtual void expect(Range range) = 0;

  // Of writable exports.
  virtual Task<Result<void>> write(Ring& ring, uint64_t at, Bytes from) = 0;
  // It reads as zeroes afterwards. keep: and stays, or becomes, allocated. fast: only if that is faster than writing
  // zeroes would be, else the error `unsupported` and nothing was touched.
  virtual Task<Result<void>> zero(Ring& ring, Range range, bool keep, bool fast) = 0;
  // It may read as anything afterwards. A hint.
  virtual Task<Result<void>> trim(Ring& ring, Range range) = 0;
  // What was written through any connection, and answered, is on the medium afterwards.
  virtual Task<Result<void>> flush(Ring& ring) = 0;
};

// The index of the first context that is a bitmap's.
inline constexpr size_t bitmap_contexts = 2;

class Export {
 public:
  virtual ~Export() = default;
  virtual const ExportInfo& info() const = 0;
  // From any thread; the export outlives it.
  virtual std::unique_ptr<Access> access() = 0;
  // When all accesses are gone: what was written is on the medium afterwards.
  virtual Result<void> finish() { return {}; }
};

}  // namespace disklathe::nbd
