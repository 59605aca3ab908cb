// SPDX-License-Identifier: GPL-3.0-or-later
//
// gzip members (RFC 1952), one after the other. The size at the end of a member is modulo 4 GiB: zlib checks it, and
// nobody else looks at it.
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "core/stream/decoder.h"

namespace disklathe::stream {
namespace {

constexpr int gzip_with_largest_window = 16 + MAX_WBITS;

bool begins(Bytes head) {
  constexpr auto reserved_flags = std::byte{0xe0};
  return head.size() >= 10 && head[0] == std::byte{0x1f} && head[1] == std::byte{0x8b} && head[2] == std::byte{8} &&
         (head[3] & reserved_flags) == std::byte{0};
}

uInt clamped(size_t size) { return static_cast<uInt>(std::min<size_t>(size, std::numeric_limits<uInt>::max())); }

class GzDecoder final : public Decoder {
 public:
  GzDecoder() : ready_(inflateInit2(&zlib_, gzip_with_largest_window) == Z_OK) {}
  ~GzDecoder() override {
    if (ready_) inflateEnd(&zlib_);
  }
  GzDecoder(const GzDecoder&) = delete;
  GzDecoder& operator=(const GzDecoder&) = delete;

  bool ready() const { return ready_; }

  Result<Step> decode(Bytes in, MutableBytes out, bool) override {
    const uInt offered = clamped(in.size()), room = clamped(out.size());
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    zlib_.avail_in = offered;
    zlib_.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib_.avail_out = room;
    const int result = inflate(&zlib_, Z_NO_FLUSH);
    const Step step{.taken = offered - zlib_.avail_in, .made = room - zlib_.avail_out, .ended = result == Z_STREAM_END};
    if (result == Z_MEM_ERROR) return failure(os_failure(ENOMEM, "decode", ""));
    if (result == Z_NEED_DICT) return failure(ErrorKind::corrupt, "decode", "a preset dictionary in gzip");
    if (result == Z_DATA_ERROR)
      return failure(ErrorKind::corrupt, "decode", zlib_.msg ? zlib_.msg : "invalid compressed data");
    if (step.ended) inflateReset(&zlib_);
    return step;
  }

 private:
  z_stream zlib_{};
  const bool ready_;
};

Result<std::unique_ptr<Decoder>> make_decoder(const DecoderLimits&) {
  auto decoder = std::make_unique<GzDecoder>();
  if (!decoder->ready()) return failure(os_failure(ENOMEM, "decode", ""));
  return decoder;
}

}  // namespace

Encoding gz() {
  return {
      .name = "gz", .description = "gzip", .begins = begins, .make_decoder = make_decoder, .passes_over_garbage = true};
}

}  // namespace disklathe::stream
