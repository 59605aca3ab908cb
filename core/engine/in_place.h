// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/bytes.h"
#include "core/base/range.h"
#include "core/base/result.h"
#include "core/io/ring.h"
#include "core/io/task.h"

namespace disklathe {

// Changes a disk where it is, as an NBD client asks for it: any range, any number of times. Shared by all connections;
// any thread.
class InPlace {
 public:
  virtual ~InPlace() = default;

  virtual Task<Result<void>> write(Ring& ring, uint64_t at, Bytes from) = 0;
  // keep: what it takes on the medium stays, or becomes, its own. fast: `unsupported`, and nothing was done, unless it
  // is known to be faster than writing.
  virtual Task<Result<void>> zero(Ring& ring, Range range, bool keep, bool fast) = 0;
  // Best effort; what a target cannot do is no error.
  virtual Task<Result<void>> trim(Ring& ring, Range range) = 0;
  // What was done before is on the medium afterwards.
  virtual Task<Result<void>> flush(Ring& ring) = 0;
  // After the last request: flushes, and leaves a tidy file.
  virtual Task<Result<void>> finish(Ring& ring) = 0;
};

}  // namespace disklathe
