// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/deflate.h"

#include <memory>

namespace disklathe {
namespace {

struct Free {
  void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
  void operator()(libdeflate_decompressor* decompressor) const { libdeflate_free_decompressor(decompressor); }
};

}  // namespace

libdeflate_compressor* deflate_compressor(int level) {
  thread_local std::unique_ptr<libdeflate_compressor, Free> compressor;
  thread_local int compressor_level = 0;
  if (!compressor || compressor_level != level) {
    compressor.reset(libdeflate_alloc_compressor(level));
    compressor_level = level;
  }
  return compressor.get();
}

libdeflate_decompressor* deflate_decompressor() {
  thread_local const std::unique_ptr<libdeflate_decompressor, Free> decompressor(libdeflate_alloc_decompressor());
  return decompressor.get();
}

Result<void> inflate_cluster(Bytes in, MutableBytes out) {
  const auto corrupt = [](std::string cause) { return failure(ErrorKind::corrupt, "decode", std::move(cause)); };
  switch (
      libdeflate_deflate_decompress(deflate_decompressor(), in.data(), in.size(), out.data(), out.size(), nullptr)) {
    case LIBDEFLATE_SUCCESS: return {};
    case LIBDEFLATE_SHORT_OUTPUT: return corrupt("the deflate stream of a cluster ends early");
    case LIBDEFLATE_INSUFFICIENT_SPACE: return corrupt("the deflate stream of a cluster is longer than a cluster");
    default: return corrupt("the deflate stream of a cluster is damaged");
  }
}

}  // namespace disklathe
