// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/format/layers.h"
#include "core/io/aligned_buffer.h"
#include "core/io/ring.h"

namespace disklathe {

// Brings the bytes of a piece's extents into memory: sorted by where they are in the files, neighbours in one request
// with permuted vectors, all requests at once; compressed ones through decode(). One per slot; reused.
class PieceReader {
 public:
  PieceReader(Image& image, uint64_t piece_size) : image_(image), piece_size_(piece_size) {}

  // into[0] is the guest byte `guest_at`. Extents that read as zero are left out: their bytes in `into` stay as they
  // were.
  Task<Result<void>> read(Ring& ring, uint64_t guest_at, std::span<const Extent> extents, MutableBytes into);
  // The same with the zeroes, too.
  Task<Result<void>> read_all(Ring& ring, uint64_t guest_at, std::span<const Extent> extents, MutableBytes into);

 private:
  struct Request {
    uint16_t file;
    Range host;
    size_t first_vector, vector_count;
    size_t encoded_at = 0;  // compressed: where in encoded_ the bytes go
    bool compressed = false;
  };

  Result<void> plan(uint64_t guest_at, std::span<const Extent> extents, MutableBytes into);
  void plan_plain(size_t& i, uint64_t guest_at, MutableBytes into);
  Result<void> plan_compressed(size_t& i);
  Result<void> decode(uint64_t guest_at, MutableBytes into);

  struct Encoded {
    const Extent* extent;
    size_t at;  // in encoded_
  };

  Image& image_;
  const uint64_t piece_size_;
  std::vector<const Extent*> order_;
  std::vector<iovec> vectors_;
  std::vector<Request> requests_;
  std::vector<Encoded> compressed_;
  AlignedBuffer encoded_;  // host bytes of compressed extents
  size_t encoded_used_ = 0;
  std::vector<std::byte> scratch_;  // a decoded cluster of which only a part is wanted
};

}  // namespace disklathe
