// SPDX-License-Identifier: GPL-3.0-or-later
//
// One compressed cluster. The first byte chooses the compression (bit 7) and the cluster size.
#include "core/format/qcow2/decode.h"

#include <vector>

using namespace disklathe;
using namespace disklathe::qcow2;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto type = data[0] & 0x80 ? CompressionType::zstd : CompressionType::zlib;
  const uint32_t bits = min_cluster_bits + data[0] % 8;
  std::vector<std::byte> out(size_t{1} << bits);
  const auto done = decode_cluster(type, Bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1), out);
  if (!done && done.error().kind != ErrorKind::corrupt) __builtin_trap();
  return 0;
}
