// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/known_runs.h"

#include <iterator>
#include <mutex>

namespace disklathe {
namespace {

constexpr size_t most_known = 4096;

}  // namespace

Result<Allocation> KnownRuns::at(uint64_t offset) {
  {
    const std::shared_lock lock(mutex_);
    const auto after = runs_.upper_bound(offset);
    if (after != runs_.begin() && std::prev(after)->second.range.contains(offset)) return std::prev(after)->second;
  }
  auto run = file_.allocation(offset);
  if (!run) return run;
  if (!run->range.contains(offset)) return failure(ErrorKind::changed, "map", "the file became shorter", offset);
  const std::scoped_lock lock(mutex_);
  if (runs_.size() >= most_known) runs_.clear();
  runs_.insert_or_assign(run->range.at, *run);
  return run;
}

}  // namespace disklathe
