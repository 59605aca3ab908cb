// SPDX-License-Identifier: GPL-3.0-or-later
//
// The header, its extensions, the snapshot table and the bitmap directory: whatever is accepted survives being encoded
// and parsed again.
#include "core/format/qcow2/header.h"
#include "core/format/qcow2/reader.h"
#include "tests/fuzz/span_device.h"

using namespace disklathe;
using namespace disklathe::qcow2;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes input(reinterpret_cast<const std::byte*>(data), size);
  test::SpanDevice file(input);
  if (auto image = qcow2::open({.file = &file})) {
    if ((*image)->size() > INT64_MAX) __builtin_trap();
  }
  auto header = read_header(file);
  if (!header) return 0;
  header->bitmaps.reset();  // these two are only read
  header->encryption.reset();
  header->autoclear_features &= ~autoclear_bitmaps;
  const auto encoded = header->encode();
  if (!encoded) return 0;
  if (encoded->size() > header->cluster_size()) __builtin_trap();
  std::vector<std::byte> cluster = *encoded;
  cluster.resize(header->cluster_size());
  const auto again = Header::parse(cluster, file.size());
  if (!again) __builtin_trap();
  if (again->feature_names.empty()) header->feature_names.clear();  // left out where there was no room
  if (*again != *header) __builtin_trap();
  return 0;
}
