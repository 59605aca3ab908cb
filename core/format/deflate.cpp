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

}  // namespace disklathe
