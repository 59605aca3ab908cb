// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/write_guest.h"

#include <algorithm>
#include <random>

#include "core/base/arithmetic.h"
#include "tests/support/memory_device.h"

namespace disklathe::test {
namespace {

bool is_zero(Bytes bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

struct Piece {
  std::vector<Placement> placements;
  std::vector<std::vector<std::byte>> encoded;  // what each stores, empty: the guest's own bytes
};

Result<void> add_unit(ImageWriter& writer, Bytes guest, Range range, Piece& piece) {
  if (writer.encodes()) {
    std::vector<std::byte> whole(writer.unit());
    std::ranges::copy(guest.subspan(range.at, range.length), whole.begin());
    std::vector<std::byte> out(writer.encode_room());
    auto size = writer.encode(range.at, whole, out);
    if (!size) return failure(size);
    if (*size > 0) {
      out.resize(*size);
      piece.placements.push_back({.guest = range, .stored = *size, .encoded = true});
      piece.encoded.push_back(std::move(out));
      return {};
    }
  }
  const bool crosses = writer.boundary() && is_multiple(range.at, writer.boundary());
  if (!crosses && !piece.placements.empty() && !piece.placements.back().encoded &&
      piece.placements.back().guest.end() == range.at) {
    piece.placements.back().guest.length += range.length;
    piece.placements.back().stored += range.length;
    return {};
  }
  piece.placements.push_back({.guest = range, .stored = range.length});
  piece.encoded.emplace_back();
  return {};
}

Result<void> make_zero(ImageWriter& writer, BlockDevice& file, Range range) {
  auto to_clear = writer.place_zero(range);
  if (!to_clear) return failure(to_clear);
  if (!*to_clear) return {};
  return file.write_now((*to_clear)->at, std::vector<std::byte>((*to_clear)->length));
}

Result<void> store(ImageWriter& writer, BlockDevice& file, BlockDevice* data_file, Bytes guest, Piece& piece) {
  if (auto placed = writer.place(piece.placements); !placed) return placed;
  for (size_t i = 0; i < piece.placements.size(); ++i) {
    const Placement& placement = piece.placements[i];
    const Bytes bytes =
        placement.encoded ? Bytes(piece.encoded[i]) : guest.subspan(placement.guest.at, placement.guest.length);
    BlockDevice& target = placement.file == 0 ? file : *data_file;
    if (auto written = target.write_now(placement.host, bytes); !written) return written;
  }
  return {};
}

}  // namespace

Result<void> write_guest(ImageWriter& writer, BlockDevice& file, BlockDevice* data_file, Bytes guest,
                         uint64_t piece_size) {
  // As large a unit as makes the test quick where a format has none.
  const uint64_t unit = std::max<uint64_t>(writer.unit(), 512);
  piece_size = round_up(piece_size, unit);
  for (uint64_t from = 0; from < guest.size(); from += piece_size) {
    const uint64_t to = std::min<uint64_t>(from + piece_size, guest.size());
    Piece piece;
    for (uint64_t at = from; at < to; at += unit) {
      const Range range = Range::between(at, std::min(at + unit, to));
      auto done = is_zero(guest.subspan(range.at, range.length)) ? make_zero(writer, file, range)
                                                                 : add_unit(writer, guest, range, piece);
      if (!done) return done;
    }
    if (auto stored = store(writer, file, data_file, guest, piece); !stored) return stored;
  }
  return {};
}

std::vector<std::byte> mixed_guest(uint64_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> guest(size);
  for (uint64_t at = 0; at < size;) {
    const uint64_t length = std::min<uint64_t>(size - at, 1 + random() % (300u << 10));
    const MutableBytes run(guest.data() + at, length);
    switch (random() % 4) {
      case 0: break;
      case 1: std::ranges::fill(run, static_cast<std::byte>(random())); break;
      case 2:
        std::ranges::generate(run, [&] { return static_cast<std::byte>("etaoin shrdlu\n"[random() % 14]); });
        break;
      default: std::ranges::generate(run, [&] { return static_cast<std::byte>(random()); }); break;
    }
    at += length;
  }
  return guest;
}

Result<void> make_image(std::string_view format, BlockDevice& file, const std::vector<std::byte>& guest,
                        const FormatOptions& options, bool fresh) {
  auto writer =
      find_format(format)->create({.file = &file, .size = guest.size(), .options = options, .target_is_zero = fresh});
  if (!writer) return failure(writer);
  if (auto written = write_guest(**writer, file, nullptr, guest); !written) return written;
  return (*writer)->finish(true);
}

bool is_image(std::string_view format, const std::vector<std::byte>& content) {
  MemoryDevice file(content);
  return probe_format(file)->format->name == format;
}

std::vector<std::byte> padded(std::vector<std::byte> guest) {
  guest.resize((guest.size() + 511) / 512 * 512);
  return guest;
}

}  // namespace disklathe::test
