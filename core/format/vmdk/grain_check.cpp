// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/grain_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"

namespace disklathe::vmdk {
namespace {

constexpr uint64_t read_at_once = 64 << 10;       // bytes of a directory
constexpr uint64_t sectors_at_once = 256u << 20;  // a bit for each: 32 MiB

// A part of the file's sectors, and which of them are in use.
class SectorWindow {
 public:
  void begin(Range window) {
    window_ = window;
    words_.assign(divide_up(window.length, 64), 0);
  }

  // Takes those of the sectors that lie in the window; false: one was taken already.
  bool take(Range sectors) {
    const Range here = intersection(sectors, window_);
    bool free = true;
    for (uint64_t at = here.at - window_.at, end = here.end() - window_.at; at < end;) {
      const uint64_t first = at % 64, count = std::min(64 - first, end - at);
      const uint64_t bits = (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first;
      free &= (words_[at / 64] & bits) == 0;
      words_[at / 64] |= bits;
      at += count;
    }
    return free;
  }

 private:
  Range window_{};
  std::vector<uint64_t> words_;
};

class Check {
 public:
  Check(const GrainMap& map, CheckReport& report)
      : map_(map),
        header_(map.header()),
        file_(map.file()),
        file_sectors_(divide_up(file_.size(), sector_size)),
        report_(report) {}

  // Once for each window of the file, so that memory stays bounded; the first look finds where the last one is.
  Result<void> run() {
    for (uint64_t first = 0; first == 0 || first < used_end_; first += sectors_at_once) {
      first_look_ = first == 0;
      used_.begin(Range::between(first, std::min(file_sectors_, first + sectors_at_once)));
      used_.take({0, 1});
      used_.take({header_.descriptor_sector, header_.descriptor_sectors});
      used_.take({header_.directory_sector, divide_up(directory_size(), sector_size)});
      if (auto done = directory(); !done) return done;
    }
    return {};
  }

 private:
  uint64_t directory_size() const { return header_.directory_entries() * table_entry_size; }

  Result<void> directory() {
    const uint64_t directory_at = header_.directory_sector * sector_size;
    std::vector<std::byte> entries, table(header_.entries_per_table * table_entry_size);
    for (uint64_t from = 0; from < directory_size(); from += read_at_once) {
      entries.resize(std::min(read_at_once, directory_size() - from));
      if (auto read = file_.read_now(directory_at + from, entries); !read) return read;
      for (uint64_t i = 0; i < entries.size(); i += table_entry_size) {
        const uint64_t sector = load_le<uint32_t>(entries, i), number = (from + i) / table_entry_size;
        if (sector == 0) continue;
        if (!map_.has_table(sector)) {
          lost(directory_at + from + i, [&] { return lost_table(number); });
          continue;
        }
        take({sector, divide_up(table.size(), sector_size)}, directory_at + from + i,
             [&] { return fmt::format("grain table {}", number); });
        if (auto read = file_.read_now(sector * sector_size, table); !read) return read;
        grains(number, sector, table);
      }
    }
    return {};
  }

  // The entries of the grain table with this number, which begins at `sector`.
  void grains(uint64_t number, uint64_t sector, Bytes entries) {
    const uint64_t grain_size = header_.grain_size(), size = header_.capacity * sector_size;
    uint64_t guest_at = number * header_.entries_per_table * grain_size;
    for (uint64_t i = 0; i < entries.size() && guest_at < size; i += table_entry_size, guest_at += grain_size) {
      const uint64_t grain = load_le<uint32_t>(entries, i), entry_at = sector * sector_size + i;
      if (grain == 0 || (grain == entry_zero_grain && header_.zero_grains())) continue;
      if (!map_.has_grain(grain, std::min(grain_size, size - guest_at))) {
        lost(entry_at, [&] { return lost_grain(guest_at); });
        continue;
      }
      // How long a compressed one is, only its marker tells.
      take({grain, header_.compressed() ? 1 : header_.grain_sectors}, entry_at,
           [&] { return fmt::format("the grain at sector {} of the extent", guest_at / sector_size); });
    }
  }

  void lost(uint64_t entry_at, const auto& what) {
    if (first_look_) report_.add(Finding::Kind::corruption, entry_at, what);
  }

  void take(Range sectors, uint64_t entry_at, const auto& name) {
    used_end_ = std::max(used_end_, std::min(file_sectors_, sectors.end()));
    if (used_.take(sectors)) return;
    report_.add(Finding::Kind::corruption, entry_at,
                [&] { return fmt::format("{} is where something else is already", name()); });
  }

  const GrainMap& map_;
  const SparseHeader& header_;
  BlockDevice& file_;
  const uint64_t file_sectors_;
  CheckReport& report_;
  SectorWindow used_;
  uint64_t used_end_ = 0;  // sectors of the file that something may lie in
  bool first_look_ = true;
};

}  // namespace

Result<void> check_grains(const GrainMap& map, CheckReport& report) { return Check(map, report).run(); }

}  // namespace disklathe::vmdk
