// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/file_holes.h"

#include <algorithm>

namespace disklathe {

Result<void> FileHoles::append_split(BlockDevice& file, const Extent& data, size_t first, size_t max_extents,
                                     std::vector<Extent>& out) {
  for (uint64_t at = data.host.at; at < data.host.end() && out.size() - first < max_extents;) {
    if (!run_.range.contains(at)) {
      auto run = file.allocation(at);
      if (!run) return failure(run);
      if (!run->range.contains(at)) return failure(ErrorKind::changed, "map", "the file became shorter", at);
      run_ = *run;
    }
    const Range host = Range::between(at, std::min(run_.range.end(), data.host.end()));
    Extent part = clipped(data, {data.guest.at + (at - data.host.at), host.length});
    if (!run_.data) part.kind = Extent::Kind::zero;
    append_merged(out, first, part);
    at = host.end();
  }
  return {};
}

}  // namespace disklathe
