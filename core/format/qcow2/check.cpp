// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/qcow2/bitmaps.h"
#include "core/format/qcow2/header.h"
#include "core/format/qcow2/snapshots.h"
#include "core/format/qcow2/stored_refcounts.h"

namespace disklathe::qcow2 {
namespace {

constexpr uint64_t window = 1 << 24;         // clusters that are counted at a time
constexpr size_t max_windows = 256;          // more are not looked at: an image made to keep us busy
constexpr uint64_t read_at_once = 64 << 10;  // bytes of a table
constexpr uint16_t many = std::numeric_limits<uint16_t>::max();  // so many references, or more

class Check {
 public:
  Check(BlockDevice& file, Header header, std::vector<SnapshotEntry> snapshots)
      : file_(file),
        header_(std::move(header)),
        snapshots_(std::move(snapshots)),
        cluster_size_(header_.cluster_size()),
        clusters_(divide_up(file.size(), cluster_size_)),
        stored_(file, header_) {}

  Result<CheckReport> run() {
    if (header_.bitmaps && (header_.autoclear_features & autoclear_bitmaps)) {
      if (auto bitmaps = read_bitmaps(file_, header_))
        bitmaps_ = std::move(*bitmaps);
      else
        wrong(bitmaps.error().offset.value_or(0), bitmaps.error().cause);
    }
    report_.total_clusters = divide_up(round_up(header_.size, sector_size), cluster_size_);
    if (auto counted = count_window(0); !counted) return failure(counted);
    first_pass_ = false;
    for (const uint64_t number : windows_) {
      if (number == 0) continue;
      if (auto counted = count_window(number); !counted) return failure(counted);
    }
    if (windows_.size() == max_windows)
      report_.add(Finding::Kind::check_error, 0, "the image refers to clusters that lie too far apart");
    report_.image_end_offset = end_;
    return std::move(report_);
  }

 private:
  Result<void> count_window(uint64_t number) {
    window_at_ = number * window;
    if (window_at_ >= clusters_ && number > 0) return {};
    counts_.assign(std::min(window, clusters_ - window_at_), 0);
    if (auto walked = walk(); !walked) return walked;
    return compare();
  }

  // Each pass meets the same things again: they are told once.
  void wrong(uint64_t at, std::string what) {
    if (first_pass_) report_.add(Finding::Kind::corruption, at, std::move(what));
  }

  // One more reference to the clusters of these bytes, which are told of at `at`. False: they are not there.
  bool refer(Range host, uint64_t at, std::string_view what) {
    if (host.empty()) return true;
    // The last cluster of a file may be cut off, no more.
    const bool outside = host.at >= file_.size() || host.length > file_.size() - host.at;
    if (outside && (host.at > std::numeric_limits<uint64_t>::max() - host.length ||
                    host.end() - std::min(host.end(), file_.size()) >= cluster_size_)) {
      wrong(at, fmt::format("{} does not lie inside the file", what));
      return false;
    }
    const uint64_t last = std::min((host.end() - 1) / cluster_size_, clusters_ - 1);
    for (uint64_t cluster = host.at / cluster_size_; cluster <= last; ++cluster) {
      if (first_pass_ && cluster / window != noted_) note_window(cluster / window);
      if (cluster < window_at_ || cluster - window_at_ >= counts_.size()) continue;
      uint16_t& count = counts_[cluster - window_at_];
      if (count < many) ++count;
    }
    return true;
  }

  void note_window(uint64_t number) {
    noted_ = number;
    if (windows_.size() < max_windows) windows_.insert(number);
  }

  // visit(index, entry, bitmap, at) for each entry that is not zero; bitmap: of extended L2 entries, else 0.
  template <class Visit>
  Result<void> for_each_entry(uint64_t table_at, uint64_t count, uint64_t entry_size, const Visit& visit) {
    std::vector<std::byte> bytes;
    for (uint64_t done = 0; done < count * entry_size; done += bytes.size()) {
      bytes.resize(std::min(read_at_once, count * entry_size - done));
      if (auto read = file_.read_now(table_at + done, bytes); !read) return read;
      for (uint64_t i = 0; i < bytes.size(); i += entry_size) {
        const auto entry = load_be<uint64_t>(bytes, i);
        const uint64_t bitmap = entry_size > 8 ? load_be<uint64_t>(bytes, i + 8) : 0;
        if (entry == 0 && bitmap == 0) continue;
        if (auto visited = visit((done + i) / entry_size, entry, bitmap, table_at + done + i); !visited) return visited;
      }
    }
    return {};
  }

  bool inside(Range range) const { return range.at <= file_.size() && range.length <= file_.size() - range.at; }

  Result<void> walk() {
    refer({0, cluster_size_}, 0, "the header");
    if (header_.encryption) refer({header_.encryption->offset, header_.encryption->length}, 0, "the encryption header");
    if (auto done = walk_refcounts(); !done) return done;
    if (auto done = walk_l1({header_.l1_table_offset, header_.l1_size, header_.size}, true); !done) return done;
    uint64_t table = 0;
    for (const SnapshotEntry& snapshot : snapshots_) table += snapshot.stored;
    refer({header_.snapshots_offset, table}, 60, "the snapshot table");
    for (const SnapshotEntry& snapshot : snapshots_) {
      const auto l1 = find_snapshot({snapshot}, snapshot.facts.id, header_, file_.size());
      if (!l1) {
        wrong(header_.snapshots_offset, l1.error().cause);
      } else if (auto done = walk_l1(*l1, false); !done) {
        return done;
      }
    }
    return walk_bitmaps();
  }

  Result<void> walk_refcounts() {
    const uint64_t at = header_.refcount_table_offset, bytes = header_.refcount_table_clusters * cluster_size_;
    refer({at, bytes}, 48, "the refcount table");
    return for_each_entry(at, bytes / 8, 8, [&](uint64_t index, uint64_t entry, uint64_t, uint64_t entry_at) {
      const uint64_t block = entry & refcount_table_offset_mask;
      if ((entry & ~refcount_table_offset_mask) || !is_multiple(block, cluster_size_))
        wrong(entry_at, fmt::format("refcount block {} is not on a cluster boundary", index));
      else if (block && refer({block, cluster_size_}, entry_at, fmt::format("refcount block {}", index)) && first_pass_)
        for (uint64_t c = index * stored_.clusters_per_block(); c < (index + 1) * stored_.clusters_per_block();
             c += window)
          if (c < clusters_) note_window(c / window);
      return Result<void>();
    });
  }

  Result<void> walk_l1(const L1Table& l1, bool active) {
    if (!refer({l1.offset, uint64_t{l1.entries} * l1_entry_size}, 40, "an L1 table")) return {};
    const auto visit = [&](uint64_t index, uint64_t entry, uint64_t, uint64_t at) -> Result<void> {
      const std::string name = fmt::format("L2 table {}", index);
      const Range table{entry & entry_offset, cluster_size_};
      if (entry & l1_reserved) wrong(at, fmt::format("L1 entry {} has reserved bits set", index));
      if (table.at == 0) return {};
      if (!is_multiple(table.at, cluster_size_)) {
        wrong(at, name + " is not on a cluster boundary");
        return {};
      }
      if (active) {
        if (auto right = check_copied(entry, table.at, at, name); !right) return right;
      }
      if (!refer(table, at, name)) return {};
      if (inside(table)) return walk_l2(table.at, active);
      wrong(at, name + " is cut off by the end of the file");
      return {};
    };
    return for_each_entry(l1.offset, l1.entries, l1_entry_size, visit);
  }

  Result<void> walk_l2(uint64_t table, bool active) {
    uint64_t next = 0;  // where a cluster continues the one before
    const bool counts = active && first_pass_;
    const auto visit = [&](uint64_t index, uint64_t entry, uint64_t bitmap, uint64_t at) -> Result<void> {
      if (entry & entry_compressed) {
        if (entry & entry_copied) wrong(at, fmt::format("compressed cluster {} is flagged as copied", index));
        const uint32_t bits = compressed_offset_bits(header_.cluster_bits);
        const uint64_t descriptor = entry & ~(entry_copied | entry_compressed);
        const uint64_t host = descriptor & ((uint64_t{1} << bits) - 1);
        const uint64_t length = ((descriptor >> bits) + 1) * sector_size - host % sector_size;
        if (header_.has_data_file()) wrong(at, "a compressed cluster in an image with a data file");
        refer({host, length}, at, "a compressed cluster");
        if (counts) ++report_.allocated_clusters, ++report_.compressed_clusters, ++report_.fragmented_clusters;
        return {};
      }
      const bool no_zero_flag = header_.version < 3 || header_.extended_l2();
      if ((entry & l2_standard_reserved) || (no_zero_flag && (entry & entry_zero)))
        wrong(at, fmt::format("L2 entry {} has reserved bits set", index));
      const uint64_t host = entry & entry_offset;
      const auto allocated = static_cast<uint32_t>(bitmap), zeroes = static_cast<uint32_t>(bitmap >> 32);
      if (header_.extended_l2() && (allocated & zeroes))
        wrong(at, fmt::format("a subcluster of L2 entry {} is both allocated and zero", index));
      // In a data file the first cluster is a place like any other.
      const bool stored = host != 0 || (header_.has_data_file() && (entry & entry_copied));
      if (!stored) {
        if (allocated) wrong(at, fmt::format("a subcluster of L2 entry {} is allocated without a cluster", index));
        return {};
      }
      if (!is_multiple(host, cluster_size_)) {
        wrong(at, fmt::format("the cluster of L2 entry {} is not on a cluster boundary", index));
        return {};
      }
      if (counts) {
        ++report_.allocated_clusters;
        if (next && host != next) ++report_.fragmented_clusters;
        next = host + cluster_size_;
      }
      if (header_.has_data_file()) return {};
      refer({host, cluster_size_}, at, "a cluster");
      return active ? check_copied(entry, host, at, "a cluster") : Result<void>();
    };
    return for_each_entry(table, header_.l2_entries(), l2_entry_size(header_.extended_l2()), visit);
  }

  // "Copied" says that the refcount is one: QEMU writes to such clusters without looking.
  Result<void> check_copied(uint64_t entry, uint64_t host, uint64_t at, std::string_view what) {
    if (!first_pass_) return {};
    const auto refcount = stored_.of(host / cluster_size_);
    if (!refcount) return std::unexpected(refcount.error());
    if ((*refcount == 1) != ((entry & entry_copied) != 0))
      wrong(at, fmt::format("{} has refcount {} and is {}flagged as copied", what, *refcount,
                            entry & entry_copied ? "" : "not "));
    return {};
  }

  Result<void> walk_bitmaps() {
    if (bitmaps_.empty()) return {};
    refer({header_.bitmaps->directory_offset, header_.bitmaps->directory_size}, 0, "the bitmap directory");
    for (const Bitmap& bitmap : bitmaps_) {
      const Range table{bitmap.table_offset, uint64_t{bitmap.table_entries} * 8};
      if (!is_multiple(table.at, cluster_size_)) {
        wrong(header_.bitmaps->directory_offset, "a bitmap's table is not on a cluster boundary");
        continue;
      }
      if (!refer(table, header_.bitmaps->directory_offset, "a bitmap's table") || !inside(table)) continue;
      auto done =
          for_each_entry(table.at, bitmap.table_entries, 8, [&](uint64_t, uint64_t entry, uint64_t, uint64_t at) {
            const uint64_t host = entry & entry_offset;
            if (!is_multiple(host, cluster_size_))
              wrong(at, "a bitmap's cluster is not on a cluster boundary");
            else if (host)
              refer({host, cluster_size_}, at, "a bitmap's cluster");
            return Result<void>();
          });
      if (!done) return done;
    }
    return {};
  }

  Result<void> compare() {
    for (uint64_t i = 0; i < counts_.size(); ++i) {
      const uint64_t cluster = window_at_ + i, references = counts_[i];
      const auto refcount = stored_.of(cluster);
      if (!refcount) return std::unexpected(refcount.error());
      if (*refcount || references) end_ = (cluster + 1) * cluster_size_;
      if (*refcount == references || (references == many && *refcount > many)) continue;
      report_.add(*refcount < references ? Finding::Kind::corruption : Finding::Kind::leak, cluster * cluster_size_,
                  fmt::format("the cluster has refcount {}, and {} references", *refcount, references));
    }
    return {};
  }

  BlockDevice& file_;
  const Header header_;
  const std::vector<SnapshotEntry> snapshots_;
  const uint64_t cluster_size_, clusters_;
  StoredRefcounts stored_;
  std::vector<Bitmap> bitmaps_;
  CheckReport report_;
  bool first_pass_ = true;
  std::set<uint64_t> windows_;  // those that something refers to
  uint64_t noted_ = std::numeric_limits<uint64_t>::max();
  uint64_t window_at_ = 0;        // cluster
  std::vector<uint16_t> counts_;  // references to each cluster of the window
  uint64_t end_ = 0;
};

}  // namespace

Result<CheckReport> check(const CheckRequest& request) {
  auto header = read_header(*request.file);
  if (!header) return failure(header);
  auto snapshots = read_snapshots(*request.file, *header);
  if (!snapshots) return failure(snapshots);
  return Check(*request.file, std::move(*header), std::move(*snapshots)).run();
}

}  // namespace disklathe::qcow2
