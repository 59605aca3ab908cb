// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/piece_reader.h"

#include <algorithm>
#include <cstring>

#include "core/base/arithmetic.h"

namespace disklathe {
namespace {

constexpr size_t page_size = 4096;
// Compressed extents closer than this are fetched in one request: reading the gap is cheaper than a second request.
constexpr uint64_t bridged_gap = 16 << 10;
// Encoded bytes of a piece are at most two clusters for each cluster of it, and each request may be widened to the
// device's alignment on both sides; an image that claims more has its extents on top of each other.
constexpr uint64_t most_encoded_per_byte = 20;

Task<Result<void>> fetch(Ring& ring, BlockDevice& file, uint64_t at, std::span<const iovec> vectors) {
  co_return co_await file.readv(ring, at, vectors);
}

}  // namespace

Task<Result<void>> PieceReader::read(Ring& ring, uint64_t guest_at, std::span<const Extent> extents,
                                     MutableBytes into) {
  if (auto planned = plan(guest_at, extents, into); !planned) co_return failure(planned);

  const std::span<const iovec> vectors(vectors_);
  if (requests_.size() == 1) {
    const Request& only = requests_.front();
    auto done = co_await image_.file(only.file).readv(ring, only.host.at, vectors);
    if (!done) co_return failure(done);
  } else if (!requests_.empty()) {
    std::vector<Task<Result<void>>> tasks;
    tasks.reserve(requests_.size());
    for (const Request& request : requests_) {
      tasks.push_back(fetch(ring, image_.file(request.file), request.host.at,
                            vectors.subspan(request.first_vector, request.vector_count)));
    }
    auto done = co_await when_all(std::move(tasks));
    if (!done) co_return failure(done);
  }
  co_return decode(guest_at, into);
}

Task<Result<void>> PieceReader::read_all(Ring& ring, uint64_t guest_at, std::span<const Extent> extents,
                                         MutableBytes into) {
  for (const Extent& extent : extents) {
    if (reads_zero(extent)) std::memset(into.data() + (extent.guest.at - guest_at), 0, extent.guest.length);
  }
  co_return co_await read(ring, guest_at, extents, into);
}

Result<void> PieceReader::plan(uint64_t guest_at, std::span<const Extent> extents, MutableBytes into) {
  order_.clear();
  vectors_.clear();
  requests_.clear();
  compressed_.clear();
  encoded_used_ = 0;
  for (const Extent& extent : extents) {
    if (extent.kind == Extent::Kind::encrypted) {
      return failure(ErrorKind::unsupported, "read", "the image is encrypted", extent.host.at);
    }
    if (!reads_zero(extent)) order_.push_back(&extent);
  }
  std::ranges::sort(order_, [](const Extent* a, const Extent* b) {
    return a->file != b->file ? a->file < b->file : a->host.at < b->host.at;
  });
  for (size_t i = 0; i < order_.size();) {
    if (order_[i]->kind == Extent::Kind::compressed) {
      if (auto planned = plan_compressed(i); !planned) return failure(planned);
    } else {
      plan_plain(i, guest_at, into);
    }
  }
  if (encoded_.size() < encoded_used_) encoded_ = AlignedBuffer(encoded_used_, page_size);
  for (const Request& request : requests_) {
    if (request.compressed) vectors_[request.first_vector].iov_base = encoded_.data() + request.encoded_at;
  }
  return {};
}

// One request for order_[i] and all that follow it without a gap in the file; i moves past them.
void PieceReader::plan_plain(size_t& i, uint64_t guest_at, MutableBytes into) {
  Request request{
      .file = order_[i]->file, .host = {order_[i]->host.at, 0}, .first_vector = vectors_.size(), .vector_count = 0};
  for (; i < order_.size(); ++i) {
    const Extent& extent = *order_[i];
    if (extent.kind != Extent::Kind::data || extent.file != request.file || extent.host.at != request.host.end()) break;
    std::byte* memory = into.data() + (extent.guest.at - guest_at);
    const bool adjoins = request.vector_count > 0 &&
                         static_cast<std::byte*>(vectors_.back().iov_base) + vectors_.back().iov_len == memory;
    if (adjoins) {
      vectors_.back().iov_len += extent.guest.length;
    } else {
      vectors_.push_back({memory, extent.guest.length});
      ++request.vector_count;
    }
    request.host.length += extent.guest.length;
  }
  requests_.push_back(request);
}

// One request for the encoded bytes of order_[i] and of those close behind it, widened so that direct I/O can serve it.
Result<void> PieceReader::plan_compressed(size_t& i) {
  const uint16_t file = order_[i]->file;
  const uint64_t file_size = image_.file(file).size();
  const uint64_t alignment = image_.file(file).limits().offset_align;
  const uint64_t from = round_down(order_[i]->host.at, alignment);
  uint64_t to = from;
  const size_t first = compressed_.size();
  for (; i < order_.size(); ++i) {
    const Extent& extent = *order_[i];
    if (extent.kind != Extent::Kind::compressed || extent.file != file) break;
    if (extent.host.end() > file_size) {
      return failure(ErrorKind::corrupt, "map", "a compressed cluster lies past the end of the file", extent.host.at);
    }
    const uint64_t end = std::min(round_up(extent.host.end(), alignment), file_size);
    if (compressed_.size() > first && (extent.host.at > to + bridged_gap || end - from > piece_size_)) break;
    compressed_.push_back({&extent, encoded_used_ + static_cast<size_t>(extent.host.at - from)});
    to = std::max(to, end);
  }
  requests_.push_back({.file = file,
                       .host = Range::between(from, to),
                       .first_vector = vectors_.size(),
                       .vector_count = 1,
                       .encoded_at = encoded_used_,
                       .compressed = true});
  vectors_.push_back({nullptr, to - from});
  encoded_used_ += round_up(to - from, page_size);
  if (encoded_used_ > most_encoded_per_byte * piece_size_) {
    return failure(ErrorKind::corrupt, "map", "compressed clusters claim more bytes than they can need", from);
  }
  return {};
}

Result<void> PieceReader::decode(uint64_t guest_at, MutableBytes into) {
  for (const auto& [extent, at] : compressed_) {
    const Bytes in = encoded_.bytes().subspan(at, extent->host.length);
    const MutableBytes out = into.subspan(extent->guest.at - guest_at, extent->guest.length);
    if (extent->decoded_length == out.size()) {
      if (auto done = image_.decode(*extent, in, out); !done) return failure(done);
      continue;
    }
    scratch_.resize(extent->decoded_length);
    if (auto done = image_.decode(*extent, in, scratch_); !done) return failure(done);
    std::ranges::copy(std::span(scratch_).subspan(extent->decoded_skip, out.size()), out.begin());
  }
  return {};
}

}  // namespace disklathe
