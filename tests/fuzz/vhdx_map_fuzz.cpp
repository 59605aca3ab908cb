// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens an image, walks its map and checks it. A file has MiB of nothing between its structures: the input is their
// beginnings, one behind the other, in the sizes of `parts`; what is left lies at the end of the file. The first byte
// says how many MiB the file has. Checksums are made right: a fuzzer does not guess them.
#include <algorithm>
#include <vector>

#include "core/base/crc32c.h"
#include "core/base/endian.h"
#include "core/format/vhdx/check.h"
#include "core/format/vhdx/reader.h"
#include "tests/fuzz/span_device.h"
#include "tests/fuzz/walk_map.h"

using namespace disklathe;

namespace {

constexpr uint64_t mebibyte = 1 << 20, log_at = mebibyte;
constexpr size_t checksum_at = 4;

struct Part {
  uint64_t at;        // in the file
  size_t size;        // of the input
  uint64_t checksum;  // bytes that it is made of, from `at` on; 0: none
};
constexpr Part parts[] = {
    {0, 8, 0},
    {64 << 10, 80, 4096},           // header
    {128 << 10, 80, 4096},          // header
    {192 << 10, 112, 64 << 10},     // region table
    {256 << 10, 112, 64 << 10},     // region table
    {log_at, 16384, 0},             // log
    {2 * mebibyte, 256, 0},         // BAT
    {2 * mebibyte + 32768, 16, 0},  // its entries from 4096 on: the first sector bitmap's
    {3 * mebibyte, 256, 0},         // metadata
    {3 * mebibyte + 65536, 1024, 0},
};

class PiecesDevice final : public test::SpanDeviceBase {
 public:
  PiecesDevice(Bytes input, uint64_t size) : SpanDeviceBase(size) {
    for (const Part& part : parts) {
      const Bytes taken = input.first(std::min(part.size, input.size()));
      input = input.subspan(taken.size());
      std::vector<std::byte> bytes(taken.begin(), taken.end());
      bytes.resize(part.size);
      if (part.at == log_at) renew_log(bytes);
      if (part.checksum) renew(bytes, part.checksum);
      pieces_.push_back({part.at, std::move(bytes)});
    }
    pieces_.push_back({4 * mebibyte, {input.begin(), input.end()}});
  }

  Result<void> read_now(uint64_t at, MutableBytes into) override {
    check(at, into.size());
    std::ranges::fill(into, std::byte{0});
    for (const auto& [piece_at, bytes] : pieces_) {
      const Range common = intersection({at, into.size()}, {piece_at, bytes.size()});
      if (!common.empty())
        std::ranges::copy(Bytes(bytes).subspan(common.at - piece_at, common.length),
                          into.subspan(common.at - at).begin());
    }
    return {};
  }

 private:
  struct Piece {
    uint64_t at;
    std::vector<std::byte> bytes;
  };

  static void renew(std::vector<std::byte>& bytes, uint64_t length) {
    std::vector<std::byte> whole = bytes;
    whole.resize(length);
    store_le(whole, checksum_at, uint32_t{0});
    store_le(bytes, checksum_at, crc32c(whole));
  }

  // Entries that begin on a sector and lie inside the input.
  static void renew_log(std::vector<std::byte>& bytes) {
    for (size_t at = 0; at < bytes.size(); at += 4096) {
      const MutableBytes rest = MutableBytes(bytes).subspan(at);
      const uint32_t length = load_le<uint32_t>(rest, 8);
      if (length < 8 || length > rest.size()) continue;
      store_le(rest, checksum_at, uint32_t{0});
      store_le(rest, checksum_at, crc32c(rest.first(length)));
    }
  }

  std::vector<Piece> pieces_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  PiecesDevice file({reinterpret_cast<const std::byte*>(data) + 1, size - 1}, data[0] * mebibyte);
  const BlockDevice* const files[] = {&file};
  if (auto image = vhdx::open({.file = &file})) {
    for (const uint64_t from : {uint64_t{0}, (*image)->size() / 2 + 77}) test::walk_map(**image, from, files);
  }
  if (const auto report = vhdx::check({.file = &file}); report && report->findings.size() > CheckReport::max_told)
    __builtin_trap();
  return 0;
}
