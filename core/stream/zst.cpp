// SPDX-License-Identifier: GPL-3.0-or-later
//
// Zstandard frames (RFC 8878), one after the other.
#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/stream/decoder.h"

namespace disklathe::stream {
namespace {

constexpr uint32_t frame_magic = 0xfd2fb528;
constexpr uint32_t skippable_magic = 0x184d2a50, skippable_mask = 0xfffffff0;
constexpr size_t skippable_header = 8, block_header = 3, checksum = 4;
constexpr size_t most_frame_header = 18;
// Blocks that are looked at to learn the size; an image of more is decoded to learn it.
constexpr uint64_t most_blocks_walked = 1 << 22;

bool is_skippable(uint32_t magic) { return (magic & skippable_mask) == skippable_magic; }

// A skippable frame is too little to go by: what it skips to has to be a frame.
bool begins(Bytes head) {
  while (head.size() >= skippable_header && is_skippable(load_le<uint32_t>(head))) {
    const uint64_t whole = skippable_header + uint64_t{load_le<uint32_t>(head, 4)};
    if (whole >= head.size()) return false;
    head = head.subspan(whole);
  }
  return head.size() >= 4 && load_le<uint32_t>(head) == frame_magic;
}

class ZstDecoder final : public Decoder {
 public:
  explicit ZstDecoder(const DecoderLimits& limits) {
    const int most_log = std::clamp(std::bit_width(limits.most_window) - 1, 10, 31);
    if (zstd_) ready_ = !ZSTD_isError(ZSTD_DCtx_setParameter(zstd_, ZSTD_d_windowLogMax, most_log));
  }
  ~ZstDecoder() override { ZSTD_freeDCtx(zstd_); }
  ZstDecoder(const ZstDecoder&) = delete;
  ZstDecoder& operator=(const ZstDecoder&) = delete;

  bool ready() const { return ready_; }

  Result<Step> decode(Bytes in, MutableBytes out, bool) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const size_t result = ZSTD_decompressStream(zstd_, &to, &from);
    if (!ZSTD_isError(result)) return Step{.taken = from.pos, .made = to.pos, .ended = result == 0};
    switch (ZSTD_getErrorCode(result)) {
      case ZSTD_error_memory_allocation: return failure(os_failure(ENOMEM, "decode", ""));
      case ZSTD_error_frameParameter_windowTooLarge:
        return failure(ErrorKind::refused, "decode", "its window needs more memory than is allowed");
      case ZSTD_error_dictionary_wrong:
        return failure(ErrorKind::unsupported, "decode", "it was compressed with a dictionary");
      case ZSTD_error_frameParameter_unsupported:
      case ZSTD_error_version_unsupported: return failure(ErrorKind::unsupported, "decode", ZSTD_getErrorName(result));
      case ZSTD_error_prefix_unknown: return failure(ErrorKind::corrupt, "decode", "no zstd frame begins here");
      default: return failure(ErrorKind::corrupt, "decode", ZSTD_getErrorName(result));
    }
  }

 private:
  ZSTD_DCtx* zstd_ = ZSTD_createDCtx();
  bool ready_ = false;
};

Result<std::unique_ptr<Decoder>> make_decoder(const DecoderLimits& limits) {
  auto decoder = std::make_unique<ZstDecoder>(limits);
  if (!decoder->ready()) return failure(os_failure(ENOMEM, "decode", ""));
  return decoder;
}

// Steps over the frames of an input without decoding them, from one block's header to the next.
class FrameWalk {
 public:
  explicit FrameWalk(Input& input) : input_(input), end_(*input.size()) {}

  std::optional<uint64_t> decoded_size() {
    uint64_t total = 0;
    while (at_ < end_) {
      const auto frame = step();
      if (!frame || __builtin_add_overflow(total, *frame, &total)) return std::nullopt;
    }
    return total;
  }

 private:
  // Past one frame; how much it decodes to.
  std::optional<uint64_t> step() {
    std::array<std::byte, most_frame_header> bytes;
    const MutableBytes head = MutableBytes(bytes).first(std::min<uint64_t>(bytes.size(), end_ - at_));
    if (head.size() < skippable_header || !input_.read_at(at_, head)) return std::nullopt;
    const auto magic = load_le<uint32_t>(head);
    if (is_skippable(magic)) return move(skippable_header + uint64_t{load_le<uint32_t>(head, 4)}, 0);
    if (magic != frame_magic) return std::nullopt;
    const unsigned long long content = ZSTD_getFrameContentSize(head.data(), head.size());
    if (content == ZSTD_CONTENTSIZE_ERROR || content == ZSTD_CONTENTSIZE_UNKNOWN) return std::nullopt;

    // Frame_Header_Descriptor (section 3.1.1.1.1): which of the header's fields are there.
    const auto descriptor = std::to_integer<unsigned>(head[4]);
    constexpr std::array<size_t, 4> dictionary_sizes{0, 1, 2, 4}, content_sizes{0, 2, 4, 8};
    const bool single_segment = descriptor & 0x20;
    size_t content_size = content_sizes[descriptor >> 6];
    if (content_size == 0 && single_segment) content_size = 1;
    const size_t header = 5 + (single_segment ? 0 : 1) + dictionary_sizes[descriptor & 3] + content_size;
    if (!move(header, 0) || !step_blocks()) return std::nullopt;
    return move(descriptor & 4 ? checksum : 0, content);
  }

  bool step_blocks() {
    while (blocks_++ < most_blocks_walked && end_ - at_ >= block_header) {
      std::array<std::byte, block_header> bytes;
      if (!input_.read_at(at_, bytes)) return false;
      const unsigned field = std::to_integer<unsigned>(bytes[0]) | std::to_integer<unsigned>(bytes[1]) << 8 |
                             std::to_integer<unsigned>(bytes[2]) << 16;
      const unsigned type = field >> 1 & 3;
      constexpr unsigned run_of_one_byte = 1;
      if (!move(block_header + (type == run_of_one_byte ? 1 : field >> 3), 0)) return false;
      if (field & 1) return true;
    }
    return false;
  }

  std::optional<uint64_t> move(uint64_t bytes, uint64_t answer) {
    if (bytes > end_ - at_) return std::nullopt;
    at_ += bytes;
    return answer;
  }

  Input& input_;
  const uint64_t end_;
  uint64_t at_ = 0, blocks_ = 0;
};

std::optional<uint64_t> decoded_size(Input& input) { return FrameWalk(input).decoded_size(); }

}  // namespace

Encoding zst() {
  return {.name = "zst",
          .description = "Zstandard",
          .begins = begins,
          .make_decoder = make_decoder,
          .decoded_size = decoded_size};
}

}  // namespace disklathe::stream
