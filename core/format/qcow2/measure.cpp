// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/measure.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/format/qcow2/options.h"

namespace disklathe::qcow2 {
namespace {

// Clusters of refcount blocks and table that count `clusters` and themselves: the smallest fixed point.
uint64_t refcount_clusters(uint64_t clusters, const CreateOptions& options) {
  const uint64_t per_block = options.cluster_size() * 8 >> options.refcount_order;
  const uint64_t per_table = options.cluster_size() / refcount_table_entry_size;
  uint64_t extra = 0;
  for (;;) {
    const uint64_t blocks = divide_up(clusters + extra, per_block);
    const uint64_t needed = blocks + divide_up(blocks, per_table);
    if (needed == extra) return extra;
    extra = needed;
  }
}

// Bytes of header, L1, L2 and refcount structures when every one of `clusters` guest clusters is allocated.
uint64_t metadata_bytes(uint64_t clusters, const CreateOptions& options) {
  const uint64_t l2_tables = divide_up(clusters, options.l2_entries());
  const uint64_t l1_clusters = divide_up(l2_tables * l1_entry_size, options.cluster_size());
  const uint64_t counted = 1 + l2_tables + l1_clusters;
  return (counted + refcount_clusters(counted + clusters, options)) * options.cluster_size();
}

// How many clusters have something in them that does not read as zeroes. Nothing is kept: an image of tebibytes may
// have millions of runs.
Result<uint64_t> clusters_touched(ImageReader& source, uint64_t cluster_size) {
  uint64_t count = 0, behind = 0;  // clusters before `behind` are counted or passed
  std::vector<Extent> extents;
  for (Range rest{0, source.size()}; !rest.empty(); rest = Range::between(extents.back().guest.end(), rest.end())) {
    extents.clear();
    if (auto mapped = source.map(rest, extents); !mapped) return failure(mapped);
    for (const Extent& extent : extents) {
      if (reads_zero(extent)) continue;
      const uint64_t first = std::max(behind, extent.guest.at / cluster_size);
      const uint64_t end = divide_up(extent.guest.end(), cluster_size);
      if (end > first) count += end - first;
      behind = std::max(behind, end);
    }
  }
  return count;
}

}  // namespace

Result<Measured> measure(const MeasureRequest& request) {
  auto options = parse_options(request.options);
  if (!options) return failure(options);
  if (auto entries = l1_entries(request.size, *options); !entries) return failure(entries);

  const uint64_t clusters = divide_up(request.size, options->cluster_size());
  uint64_t data = 0;
  const bool allocated =
      options->preallocation == Preallocation::falloc || options->preallocation == Preallocation::full;
  // Nobody knows how much a backing image shares with the source: at worst nothing.
  if (allocated || (request.source && !options->backing_file.empty())) {
    data = clusters;
  } else if (request.source) {
    const auto touched = clusters_touched(*request.source, options->cluster_size());
    if (!touched) return std::unexpected(touched.error());
    data = *touched;
  }
  const uint64_t metadata = metadata_bytes(clusters, *options);
  return Measured{.required = metadata + data * options->cluster_size(),
                  .fully_allocated = metadata + clusters * options->cluster_size()};
}

}  // namespace disklathe::qcow2
