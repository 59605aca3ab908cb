// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/engine/progress.h"
#include "core/format/layers.h"
#include "core/io/stop.h"

namespace disklathe {

namespace stream {
class Source;
}

struct ChecksumRequest {
  Image* source = nullptr;  // or:
  stream::Source* stream = nullptr;
  bool sha256 = true, xxh128 = true;  // which are taken
};

// Digests of all of a disk, as they are of the raw file that would hold it (engine/digest.h). Empty: not asked for.
struct Checksums {
  uint64_t size = 0;  // of the disk, bytes
  std::string sha256, xxh128;

  friend bool operator==(const Checksums&, const Checksums&) = default;
};

// Reads ahead on some threads, which take XXH128 as well, while SHA-256 is taken on one of its own. What the map says
// is zero is not read. Progress counts as `verified` what the slowest of the digests has gone through.
Result<Checksums> checksum(const ChecksumRequest& request, Progress& progress, const Stop& stop);

}  // namespace disklathe
