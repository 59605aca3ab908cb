// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/limits.h"
#include "core/io/ring.h"
#include "core/io/task.h"

namespace disklathe {

enum class ZeroMethod : uint8_t {
  punch,         // deallocate: files, and devices that promise zeroes afterwards
  write_zeroes,  // the device's own command; it may unmap where it then promises zeroes
  buffers,       // ordinary writes of zeroes
};

// A run of bytes that are all allocated, or all read as zero without being so.
struct Allocation {
  Range range;
  bool data = true;
};

// Bytes at offsets: a file, a block device, an NBD export, and in tests one that fails or counts. Thread-safe once
// open; each call runs on the ring it is given. One gate for all of them: a request outside [0, size()) is an error of
// kind `invalid` and never reaches the kernel. Any alignment is accepted; aligned requests are the fast way.
class BlockDevice {
 public:
  virtual ~BlockDevice() = default;

  virtual std::string_view name() const = 0;  // for error subjects
  virtual uint64_t size() const = 0;
  virtual const Limits& limits() const = 0;
  // How this device's requests travel: tells the engine how many it should keep in flight.
  virtual IoMode io_mode() const = 0;

  // All the bytes of the vectors or an error; short transfers are continued inside. Vectors and memory must stay
  // until the task is done.
  virtual Task<Result<void>> readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) = 0;
  virtual Task<Result<void>> writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) = 0;
  // The range reads as zeroes afterwards. `unsupported` when the device cannot do it this way.
  virtual Task<Result<void>> zero(Ring& ring, Range range, ZeroMethod method) = 0;
  // Everything written before is on the medium afterwards.
  virtual Task<Result<void>> flush(Ring& ring) = 0;
  // False: it has no such thing. flush() does nothing then, and nobody knows when what was written is on the medium.
  virtual bool has_flush() const { return true; }
  // A hint: what was written there stays as it is and will be flushed, so the way to the medium may begin.
  virtual void begin_flush(Range) {}

  // Blocking twins for metadata, which is small and cached by its format: any offset, size and memory.
  virtual Result<void> read_now(uint64_t at, MutableBytes into) = 0;
  virtual Result<void> write_now(uint64_t at, Bytes from) = 0;
  virtual Result<void> flush_now() = 0;

  // The run that `at` lies in, from `at` on (SEEK_DATA, block status). All data where the device cannot say.
  virtual Result<Allocation> allocation(uint64_t at) = 0;

  // Whether it has holes that take no space, which allocation() tells: a regular file.
  virtual bool has_holes() const { return false; }

  // Reserves space on the medium for the range, growing a file that ends before it; content that is there stays, the
  // rest reads as zeroes. `unsupported` where there is no such thing.
  virtual Result<void> allocate_now(Range range);

  // Grows or shrinks a regular file; `unsupported` on anything that has a fixed size.
  virtual Result<void> resize(uint64_t size) = 0;
};

}  // namespace disklathe
