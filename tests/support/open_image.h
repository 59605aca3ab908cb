// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/format/registry.h"
#include "tests/support/guest.h"
#include "tests/support/memory_device.h"

namespace disklathe::test {

// A file in memory, opened in a format by itself.
struct OpenedBytes {
  OpenedBytes(std::string_view format, const std::vector<std::byte>& bytes)
      : file(bytes), reader(find_format(format)->open({.file = &file})) {}

  Result<std::vector<Extent>> map() {
    if (!reader) return std::unexpected(reader.error());
    return map_all(**reader, {0, (*reader)->size()});
  }
  Result<std::vector<std::byte>> content() {
    if (!reader) return std::unexpected(reader.error());
    return read_guest(**reader, {0, (*reader)->size()}, [&](uint16_t) -> BlockDevice& { return file; });
  }

  MemoryDevice file;
  Result<std::unique_ptr<ImageReader>> reader;
};

// What a map is expected to have.
inline Extent stored(uint64_t at, uint64_t length, uint64_t host) {
  return {.kind = Extent::Kind::data, .guest = {at, length}, .host = {host, length}};
}
inline Extent nothing(Extent::Kind kind, uint64_t at, uint64_t length) { return {.kind = kind, .guest = {at, length}}; }

}  // namespace disklathe::test
