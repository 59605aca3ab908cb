// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/piece_digests.h"

#include <xxhash.h>

#include <algorithm>

namespace disklathe {
namespace {

std::array<uint64_t, 2> digest_from(const XXH128_hash_t& hash) { return {hash.low64, hash.high64}; }

}  // namespace

struct PieceDigests::State {
  XXH3_state_t* hash = XXH3_createState();

  State() { XXH3_128bits_reset(hash); }
  ~State() { XXH3_freeState(hash); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

PieceDigests::PieceDigests() : state_(std::make_unique<State>()) {}
PieceDigests::~PieceDigests() = default;

PieceDigests::Digest PieceDigests::digest_of(Bytes bytes) {
  return digest_from(XXH3_128bits(bytes.data(), bytes.size()));
}

void PieceDigests::add(Bytes bytes) {
  size_ += bytes.size();
  while (!bytes.empty()) {
    const Bytes part = bytes.first(std::min<uint64_t>(bytes.size(), piece_size - in_piece_));
    XXH3_128bits_update(state_->hash, part.data(), part.size());
    in_piece_ += part.size();
    if (in_piece_ == piece_size) close_piece();
    bytes = bytes.subspan(part.size());
  }
}

void PieceDigests::close_piece() {
  digests_.push_back(digest_from(XXH3_128bits_digest(state_->hash)));
  XXH3_128bits_reset(state_->hash);
  in_piece_ = 0;
}

void PieceDigests::finish() {
  if (in_piece_ > 0) close_piece();
  const std::vector<std::byte> zeroes(piece_size);
  zero_ = digest_of(zeroes);
  if (size_ > 0) zero_at_end_ = digest_of(Bytes(zeroes).first(bytes_of(digests_.size() - 1)));
}

uint64_t PieceDigests::bytes_of(uint64_t index) const { return std::min(piece_size, size_ - index * piece_size); }

bool PieceDigests::matches(uint64_t index, Bytes bytes) const {
  return index < digests_.size() && bytes.size() == bytes_of(index) && digest_of(bytes) == digests_[index];
}

bool PieceDigests::is_zero(uint64_t index) const {
  if (index >= digests_.size()) return false;
  return digests_[index] == (index + 1 == digests_.size() ? zero_at_end_ : zero_);
}

}  // namespace disklathe
