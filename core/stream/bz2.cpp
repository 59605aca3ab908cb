// SPDX-License-Identifier: GPL-3.0-or-later
//
// bzip2 streams, one after the other.
#include <bzlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/stream/decoder.h"

namespace disklathe::stream {
namespace {

// "BZh", the block size, and then the magic number of a block or of the stream's end.
bool begins(Bytes head) {
  constexpr std::array<uint8_t, 6> block{0x31, 0x41, 0x59, 0x26, 0x53, 0x59};
  constexpr std::array<uint8_t, 6> end{0x17, 0x72, 0x45, 0x38, 0x50, 0x90};
  if (head.size() < 10) return false;
  const auto at = [&](size_t index) { return std::to_integer<uint8_t>(head[index]); };
  const auto follows = [&](const auto& magic) {
    return std::ranges::equal(magic, head.subspan(4, 6), {}, {},
                              [](std::byte b) { return std::to_integer<uint8_t>(b); });
  };
  return at(0) == 'B' && at(1) == 'Z' && at(2) == 'h' && at(3) >= '1' && at(3) <= '9' &&
         (follows(block) || follows(end));
}

unsigned clamped(size_t size) {
  return static_cast<unsigned>(std::min<size_t>(size, std::numeric_limits<unsigned>::max()));
}

class Bz2Decoder final : public Decoder {
 public:
  ~Bz2Decoder() override { close(); }
  Bz2Decoder() = default;
  Bz2Decoder(const Bz2Decoder&) = delete;
  Bz2Decoder& operator=(const Bz2Decoder&) = delete;

  Result<Step> decode(Bytes in, MutableBytes out, bool) override {
    if (!open_ && BZ2_bzDecompressInit(&bzip_, 0, 0) != BZ_OK) return failure(os_failure(ENOMEM, "decode", ""));
    open_ = true;
    const unsigned offered = clamped(in.size()), room = clamped(out.size());
    bzip_.next_in = reinterpret_cast<char*>(const_cast<std::byte*>(in.data()));
    bzip_.avail_in = offered;
    bzip_.next_out = reinterpret_cast<char*>(out.data());
    bzip_.avail_out = room;
    const int result = BZ2_bzDecompress(&bzip_);
    const Step step{
        .taken = offered - bzip_.avail_in, .made = room - bzip_.avail_out, .ended = result == BZ_STREAM_END};
    if (result == BZ_MEM_ERROR) return failure(os_failure(ENOMEM, "decode", ""));
    if (result != BZ_OK && result != BZ_STREAM_END)
      return failure(ErrorKind::corrupt, "decode",
                     result == BZ_DATA_ERROR_MAGIC ? "no bzip2 stream begins here" : "invalid compressed data");
    if (step.ended) close();
    return step;
  }

 private:
  void close() {
    if (open_) BZ2_bzDecompressEnd(&bzip_);
    open_ = false;
    bzip_ = {};
  }

  bz_stream bzip_{};
  bool open_ = false;
};

Result<std::unique_ptr<Decoder>> make_decoder(const DecoderLimits&) { return std::make_unique<Bz2Decoder>(); }

}  // namespace

Encoding bz2() {
  return {.name = "bz2",
          .description = "bzip2",
          .begins = begins,
          .make_decoder = make_decoder,
          .passes_over_garbage = true};
}

}  // namespace disklathe::stream
