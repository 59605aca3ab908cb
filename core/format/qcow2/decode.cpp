// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/decode.h"

#include <fmt/format.h>
#include <zstd.h>

#include <memory>

#include "core/format/deflate.h"

namespace disklathe::qcow2 {

namespace {

template <auto free>
struct Free {
  void operator()(auto* pointer) const { free(pointer); }
};
using ZstdContext = std::unique_ptr<ZSTD_DCtx, Free<ZSTD_freeDCtx>>;

std::unexpected<Error> corrupt(std::string cause) { return failure(ErrorKind::corrupt, "decode", std::move(cause)); }

// One frame normally; more are allowed, one after the other.
Result<void> decode_zstd(Bytes in, MutableBytes out) {
  thread_local const ZstdContext context(ZSTD_createDCtx());
  while (!out.empty()) {
    const size_t frame = ZSTD_findFrameCompressedSize(in.data(), in.size());
    if (ZSTD_isError(frame)) return corrupt(fmt::format("a zstd frame of a cluster: {}", ZSTD_getErrorName(frame)));
    const size_t done = ZSTD_decompressDCtx(context.get(), out.data(), out.size(), in.data(), frame);
    if (ZSTD_isError(done)) return corrupt(fmt::format("a zstd frame of a cluster: {}", ZSTD_getErrorName(done)));
    in = in.subspan(frame);
    out = out.subspan(done);
  }
  return {};
}

}  // namespace

Result<void> decode_cluster(CompressionType type, Bytes in, MutableBytes out) {
  return type == CompressionType::zstd ? decode_zstd(in, out) : inflate_cluster(in, out);
}

}  // namespace disklathe::qcow2
