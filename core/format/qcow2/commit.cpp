// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/commit.h"

#include <algorithm>
#include <array>

#include "core/base/endian.h"
#include "core/format/qcow2/header_fields.h"

namespace disklathe::qcow2 {

void Commit::begin(std::vector<uint64_t> dropped) {
  tables_.begin_writing();
  dropped_ = std::move(dropped);
  to_name_ = refcounts_.table();
  step_ = Step::counts;
}

Result<bool> Commit::advance() {
  Result<void> written;
  switch (step_) {
    case Step::counts:
      // There may be data to be flushed even if no table has changed.
      step_ = Step::count_table;
      written = tables_.write(Stage::counts);
      return written ? Result<bool>(true) : failure(written);
    case Step::count_table:
      step_ = Step::header;
      if (!tables_.has(Stage::count_table)) return advance();
      written = tables_.write(Stage::count_table);
      return written ? Result<bool>(true) : failure(written);
    case Step::header: {
      step_ = Step::maps;
      if (to_name_ == named_) return advance();
      static_assert(Field::refcount_table_clusters == Field::refcount_table_offset + 8);
      std::array<std::byte, 12> fields;  // of one sector
      store_be(MutableBytes(fields), 0, to_name_.offset);
      store_be(MutableBytes(fields), 8, to_name_.clusters);
      written = file_.write_now(Field::refcount_table_offset, fields);
      return written ? Result<bool>(true) : failure(written);
    }
    case Step::maps:
      step_ = Step::done;
      named_ = to_name_;
      if (!tables_.has(Stage::maps)) return false;
      written = tables_.write(Stage::maps);
      return written ? Result<bool>(true) : failure(written);
    case Step::done: return false;
  }
  return false;
}

std::vector<uint64_t> Commit::cancel() {
  tables_.cancel_writing();
  step_ = Step::done;
  return std::exchange(dropped_, {});
}

Result<std::vector<Range>> Commit::finish() {
  const std::vector<uint64_t> dropped = [&] {
    std::ranges::sort(dropped_);
    return std::exchange(dropped_, {});
  }();
  std::vector<Range> freed;
  last_.clear();
  const uint64_t cluster_size = refcounts_.cluster_size();
  for (size_t i = 0; i < dropped.size();) {
    const uint64_t host = dropped[i];
    uint64_t references = 0;
    for (; i < dropped.size() && dropped[i] == host; ++i) ++references;
    const auto now = refcounts_.of(host);
    if (!now) return std::unexpected(now.error());
    if (*now > references) {
      if (auto counted = refcounts_.drop(host, references); !counted) return failure(counted);
      continue;
    }
    last_.emplace_back(host, references);
    if (!freed.empty() && freed.back().end() == host)
      freed.back().length += cluster_size;
    else
      freed.push_back({host, cluster_size});
  }
  return freed;
}

Result<void> Commit::reuse(std::span<const Range> freed) {
  for (const Range range : freed) tables_.forget(range);
  for (const auto& [host, references] : std::exchange(last_, {})) {
    if (auto counted = refcounts_.drop(host, references); !counted) return counted;
  }
  return {};
}

}  // namespace disklathe::qcow2
