// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/check.h"

#include <optional>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/format/vmdk/descriptor.h"
#include "core/format/vmdk/reader.h"

namespace disklathe::vmdk {

// The map looks at all there is. Where it fails it is continued one grain on; a table that is damaged fails for each of
// its grains, and is told once.
Result<CheckReport> check(const CheckRequest& request) {
  auto reader = open({.file = request.file, .extents = request.extents});
  if (!reader) return failure(reader);
  CheckReport report;
  const uint64_t size = (*reader)->size();
  const uint64_t step = (*reader)->facts().cluster_size.value_or(sector_size);
  std::optional<uint64_t> told;
  std::vector<Extent> extents;
  for (uint64_t at = 0; at < size;) {
    extents.clear();
    auto mapped = (*reader)->map(Range::between(at, size), extents);
    if (!extents.empty()) at = extents.back().guest.end();
    if (mapped) continue;
    const uint64_t offset = mapped.error().offset.value_or(0);
    if (mapped.error().kind != ErrorKind::corrupt) return failure(mapped);
    if (told != offset) report.add(Finding::Kind::corruption, offset, std::move(mapped.error().cause));
    told = offset;
    at = std::min(size, round_down(at, step) + step);
  }
  return report;
}

}  // namespace disklathe::vmdk
