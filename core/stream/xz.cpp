// SPDX-License-Identifier: GPL-3.0-or-later
//
// .xz files (The .xz File Format, 1.2): streams one after the other, with padding between and behind them.
#include <fmt/format.h>
#include <lzma.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "core/stream/decoder.h"

namespace disklathe::stream {
namespace {

// What decoding several blocks at once may take. A block is held whole while an earlier one is decoded, so blocks too
// large for this are decoded one after the other, which takes little more than a dictionary.
constexpr uint64_t most_for_threads = 36 << 20;
// What a decoder takes besides its dictionary.
constexpr uint64_t beside_dictionary = 4 << 20;
// Of an index in memory: 16 bytes a block or so.
constexpr uint64_t most_for_index = 16 << 20;
constexpr unsigned most_threads = 16;

bool begins(Bytes head) {
  constexpr std::array<uint8_t, 6> magic{0xfd, '7', 'z', 'X', 'Z', 0};
  return head.size() >= 12 &&
         std::ranges::equal(magic, head.first(6), {}, {}, [](std::byte b) { return std::to_integer<uint8_t>(b); });
}

class XzDecoder final : public Decoder {
 public:
  explicit XzDecoder(const DecoderLimits& limits) {
    lzma_mt options{};
    options.flags = LZMA_CONCATENATED | LZMA_TELL_UNSUPPORTED_CHECK;
    options.threads = std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
    options.memlimit_threading = most_for_threads;
    options.memlimit_stop = limits.most_window + beside_dictionary;
    ready_ = lzma_stream_decoder_mt(&lzma_, &options) == LZMA_OK;
  }
  ~XzDecoder() override { lzma_end(&lzma_); }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;

  bool ready() const { return ready_; }

  Result<Step> decode(Bytes in, MutableBytes out, bool last) override {
    lzma_.next_in = reinterpret_cast<const uint8_t*>(in.data());
    lzma_.avail_in = in.size();
    lzma_.next_out = reinterpret_cast<uint8_t*>(out.data());
    lzma_.avail_out = out.size();
    const lzma_ret result = lzma_code(&lzma_, last ? LZMA_FINISH : LZMA_RUN);
    const Step step{
        .taken = in.size() - lzma_.avail_in, .made = out.size() - lzma_.avail_out, .ended = result == LZMA_STREAM_END};
    switch (result) {
      case LZMA_OK:
      case LZMA_STREAM_END:
      case LZMA_BUF_ERROR: return step;
      case LZMA_MEM_ERROR: return failure(os_failure(ENOMEM, "decode", ""));
      case LZMA_MEMLIMIT_ERROR:
        return failure(ErrorKind::refused, "decode",
                       fmt::format("its dictionary needs {} bytes of memory", lzma_memusage(&lzma_)));
      case LZMA_FORMAT_ERROR: return failure(ErrorKind::corrupt, "decode", "no xz stream begins here");
      case LZMA_OPTIONS_ERROR: return failure(ErrorKind::unsupported, "decode", "unknown xz filters or options");
      case LZMA_UNSUPPORTED_CHECK: return failure(ErrorKind::unsupported, "decode", "an unknown kind of xz checksum");
      default: return failure(ErrorKind::corrupt, "decode", "invalid compressed data");
    }
  }

 private:
  lzma_stream lzma_ = LZMA_STREAM_INIT;
  bool ready_ = false;
};

Result<std::unique_ptr<Decoder>> make_decoder(const DecoderLimits& limits) {
  auto decoder = std::make_unique<XzDecoder>(limits);
  if (!decoder->ready()) return failure(os_failure(ENOMEM, "decode", ""));
  return decoder;
}

// The indexes at the streams' ends give the size of every block. The decoder holds them against the blocks in the end.
std::optional<uint64_t> decoded_size(Input& input) {
  const uint64_t size = *input.size();
  lzma_stream lzma = LZMA_STREAM_INIT;
  lzma_index* index = nullptr;
  std::vector<std::byte> buffer(4096);
  uint64_t at = 0;
  lzma_ret result = lzma_file_info_decoder(&lzma, &index, most_for_index, size);
  while (result == LZMA_OK) {
    if (lzma.avail_in == 0) {
      const MutableBytes part = MutableBytes(buffer).first(std::min<uint64_t>(buffer.size(), size - at));
      if (part.empty() || !input.read_at(at, part)) break;
      lzma.next_in = reinterpret_cast<const uint8_t*>(part.data());
      lzma.avail_in = part.size();
      at += part.size();
    }
    result = lzma_code(&lzma, LZMA_RUN);
    if (result == LZMA_SEEK_NEEDED && lzma.seek_pos <= size) {
      at = lzma.seek_pos;
      lzma.avail_in = 0;
      result = LZMA_OK;
    }
  }
  std::optional<uint64_t> decoded;
  if (result == LZMA_STREAM_END) decoded = lzma_index_uncompressed_size(index);
  lzma_index_end(index, nullptr);
  lzma_end(&lzma);
  return decoded;
}

}  // namespace

Encoding xz() {
  return {
      .name = "xz", .description = "xz", .begins = begins, .make_decoder = make_decoder, .decoded_size = decoded_size};
}

}  // namespace disklathe::stream
