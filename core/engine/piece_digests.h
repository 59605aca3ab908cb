// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/bytes.h"

namespace disklathe {

// A digest (XXH3, 128 bits) of each MiB that went into a target, for reading it back when its source is gone: 16 bytes
// a MiB of memory. Filled by one thread; asked, once finished, by any.
class PieceDigests {
 public:
  static constexpr uint64_t piece_size = 1 << 20;

  PieceDigests();
  ~PieceDigests();
  PieceDigests(const PieceDigests&) = delete;
  PieceDigests& operator=(const PieceDigests&) = delete;

  // The disk's next bytes, from its first on.
  void add(Bytes bytes);
  // Those were all.
  void finish();

  uint64_t size() const { return size_; }  // bytes added
  // Whether the piece with this index, all of it, is these bytes; or nothing but zeroes.
  bool matches(uint64_t index, Bytes bytes) const;
  bool is_zero(uint64_t index) const;

 private:
  using Digest = std::array<uint64_t, 2>;
  struct State;

  static Digest digest_of(Bytes bytes);
  void close_piece();
  uint64_t bytes_of(uint64_t index) const;

  std::unique_ptr<State> state_;
  std::vector<Digest> digests_;
  uint64_t size_ = 0, in_piece_ = 0;
  Digest zero_{}, zero_at_end_{};  // of a whole piece, and of the last one
};

}  // namespace disklathe
