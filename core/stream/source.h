// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/io/aligned_buffer.h"
#include "core/stream/decoder.h"
#include "core/stream/input.h"

namespace disklathe::stream {

struct SourceRequest {
  std::string format;  // a row of encodings(), or "raw": as it is; empty: the first bytes tell
  DecoderLimits limits;
};

// The bytes of a disk image that can only be had in order: compressed, or standard input as it is. Nothing is known of
// them before they are there. One thread at a time, but for taken().
class Source {
 public:
  // Looks at the first bytes; `invalid` for a format nobody knows.
  static Result<std::unique_ptr<Source>> open(std::unique_ptr<Input> input, const SourceRequest& request);

  std::string_view name() const { return input_->name(); }
  std::string_view format() const { return encoding_ ? encoding_->name : "raw"; }
  const Encoding* encoding() const { return encoding_; }  // null: raw

  // Decoded bytes, where it is known before the end is reached.
  std::optional<uint64_t> size() const { return size_; }
  // Stored bytes: of all, where that is known, and so far.
  std::optional<uint64_t> stored_size() const { return input_->size(); }
  uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }

  // The first decoded bytes, at most `most` of them, before or while fill() gives them. Only before the first fill().
  Result<Bytes> head(size_t most);

  // Decoded bytes: all that fit, fewer only at the end. Errors have an offset into the stored bytes: `corrupt` also for
  // an end in the middle and for other bytes than size() says, `refused` for a stream that needs more memory than the
  // limits allow.
  Result<size_t> fill(MutableBytes into);

  // Whether it can be read from its start again, and that.
  bool can_rewind() const { return input_->size().has_value(); }
  Result<void> rewind();

  // Where bytes begin that follow the last stream and are none; they were passed over. Known at the end.
  std::optional<uint64_t> garbage_at() const { return garbage_at_; }

  // See Input.
  void halt_when(std::function<bool()> halted, int wake = -1) { input_->halt_when(std::move(halted), wake); }

 private:
  Source(std::unique_ptr<Input> input, const DecoderLimits& limits);

  Bytes stored() const { return {buffer_.data() + begin_, end_ - begin_}; }
  // Until there are `least` stored bytes in the buffer, or no more to come.
  Result<void> refill(size_t least);
  Result<size_t> decode_into(MutableBytes into);
  // Whether another member follows the one that ended.
  Result<bool> another_member();
  void took(size_t count);
  Error here(Error error) const;
  Result<void> check_size() const;

  std::unique_ptr<Input> input_;
  const DecoderLimits limits_;
  const Encoding* encoding_ = nullptr;
  std::unique_ptr<Decoder> decoder_;
  std::optional<uint64_t> size_, garbage_at_;

  mutable AlignedBuffer buffer_;  // stored bytes [begin_, end_)
  size_t begin_ = 0, end_ = 0;
  bool input_ended_ = false, inside_member_ = false, ended_ = false;
  std::atomic<uint64_t> taken_{0};
  std::vector<std::byte> head_;  // decoded, not yet given out
  size_t head_given_ = 0;
  uint64_t given_ = 0;  // decoded bytes
};

}  // namespace disklathe::stream
