// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/device/block_device.h"

namespace disklathe {

// Something wrong with an image's metadata.
struct Finding {
  enum class Kind : uint8_t {
    corruption,   // the guest's data is damaged, or writing on would damage it
    leak,         // space that nothing uses: no harm to data
    check_error,  // this part could not be looked at
  };
  Kind kind = Kind::corruption;
  uint64_t offset = 0;  // in the image file
  std::string what;     // in the format's words: "cluster 7 has refcount 1, and 2 references"
};

// What a look at all of an image's metadata found, in qemu-img check's terms and units. Nothing is ever repaired.
class CheckReport {
 public:
  // Findings that are told in words; all of them are counted.
  static constexpr size_t max_told = 100;

  void add(Finding::Kind kind, uint64_t offset, std::string what, uint64_t count = 1) {
    (kind == Finding::Kind::corruption ? corruptions : kind == Finding::Kind::leak ? leaks : check_errors) += count;
    if (findings.size() < max_told) findings.push_back({kind, offset, std::move(what)});
  }
  // The same where there may be so many that to word each of them would take long: what() is called when it is told.
  void add(Finding::Kind kind, uint64_t offset, const std::invocable auto& what) {
    add(kind, offset, findings.size() < max_told ? what() : std::string());
  }

  uint64_t corruptions = 0, leaks = 0, check_errors = 0;
  std::optional<uint64_t> image_end_offset;  // where the last used cluster ends, bytes
  // In the format's own units of allocation; 0: it does not count them.
  uint64_t total_clusters = 0, allocated_clusters = 0, fragmented_clusters = 0, compressed_clusters = 0;
  std::vector<Finding> findings;  // the first of them
};

struct CheckRequest {
  BlockDevice* file = nullptr;
  BlockDevice* data_file = nullptr;   // when the caller opened the one that the image names
  std::vector<BlockDevice*> extents;  // likewise, as OpenSource::extents
};

}  // namespace disklathe
