// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engine/sweep.h"

namespace disklathe::cli {

// A sweep that was done: what is shown, saved and compared.
struct SweepReport {
  std::string target;  // as it was named
  bool write = false;
  bool direct = true;  // false: in memory, what was measured is copying
  unsigned depth = 1;
  uint64_t area = 0;                       // bytes
  std::optional<uint64_t> max_sectors_kb;  // when it was changed for this run
  std::vector<SweepPoint> points;
};

// The table, the knee, and what larger requests lose.
std::string table_of(const SweepReport& report);
std::string csv_of(const SweepReport& report);
nlohmann::ordered_json json_of(const SweepReport& report);

// One that was saved as JSON. Errors: those of reading the file; corrupt (not a saved sweep).
Result<SweepReport> read_sweep(const std::string& path);

// Two sweeps size by size, the second in terms of the first.
std::string comparison_of(const SweepReport& first, const SweepReport& second);

}  // namespace disklathe::cli
