// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/grain.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/deflate.h"
#include "core/format/vmdk/sparse_header.h"

namespace disklathe::vmdk {
namespace {

std::unexpected<Error> corrupt(std::string cause) { return failure(ErrorKind::corrupt, "decode", std::move(cause)); }

}  // namespace

Result<size_t> decode_grain(Bytes in, MutableBytes out) {
  if (in.size() < Marker::data) return corrupt("a grain is cut by the end of the file");
  const auto size = load_le<uint32_t>(in, Marker::size);
  if (size == 0) return corrupt("there is metadata where a grain should be");
  if (size > in.size() - Marker::data) {
    return corrupt(fmt::format("a grain has {} bytes, and there are {}", size, in.size() - Marker::data));
  }
  size_t done = 0;
  const Bytes stream = in.subspan(Marker::data, size);
  switch (
      libdeflate_zlib_decompress(deflate_decompressor(), stream.data(), stream.size(), out.data(), out.size(), &done)) {
    case LIBDEFLATE_SUCCESS: break;
    case LIBDEFLATE_INSUFFICIENT_SPACE: return corrupt("the zlib stream of a grain is longer than a grain");
    default: return corrupt("the zlib stream of a grain is damaged");
  }
  std::ranges::fill(out.subspan(done), std::byte{0});
  return done;
}

size_t encoded_grain_room(size_t grain_size) {
  return round_up(Marker::data + libdeflate_zlib_compress_bound(nullptr, grain_size), sector_size);
}

Result<size_t> encode_grain(uint64_t sector, int level, Bytes in, MutableBytes out) {
  libdeflate_compressor* compressor = deflate_compressor(level);
  if (!compressor) return failure(ErrorKind::io, "compress", "no memory for a compressor");
  const MutableBytes stream = out.subspan(Marker::data);
  const size_t size = libdeflate_zlib_compress(compressor, in.data(), in.size(), stream.data(), stream.size());
  if (size == 0) return failure(ErrorKind::invalid, "compress", "no room for a grain");
  store_le(out, Marker::value, sector);
  store_le(out, Marker::size, static_cast<uint32_t>(size));
  const size_t used = Marker::data + size, whole = round_up(used, sector_size);
  std::ranges::fill(out.subspan(used, whole - used), std::byte{0});
  return whole;
}

}  // namespace disklathe::vmdk
