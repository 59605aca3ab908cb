// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/ordered_table.h"

#include <algorithm>

#include "core/base/endian.h"

namespace disklathe {
namespace {

constexpr size_t entry_size = sizeof(uint32_t);
constexpr size_t window_size = 64 << 10;  // bytes

}  // namespace

uint64_t OrderedTable::end() const { return first_ + window_.size() / entry_size; }

Result<void> OrderedTable::set(uint64_t index, uint32_t value) {
  if (index >= setup_.count || index < first_ || index + 1 < end()) {
    return failure(ErrorKind::invalid, "place", "not in order");
  }
  if (index + 1 == end()) window_.resize(window_.size() - entry_size);
  if (auto filled = fill_until(index); !filled) return filled;
  window_.resize(window_.size() + entry_size);
  store_le(window_, window_.size() - entry_size, value);
  return {};
}

Result<void> OrderedTable::finish() {
  if (auto filled = fill_until(setup_.count); !filled) return filled;
  return write_window();
}

// The window has room for one more entry afterwards. One that is full is kept until then: its last entry may be set
// again.
Result<void> OrderedTable::fill_until(uint64_t index) {
  if (setup_.filled && index - end() > window_size / entry_size) {
    if (auto written = write_window(); !written) return written;
    first_ = index;
  }
  while (end() < index || window_.size() == window_size) {
    if (window_.size() == window_size) {
      if (auto written = write_window(); !written) return written;
      continue;
    }
    window_.resize(window_.size() + entry_size);
    store_le(window_, window_.size() - entry_size, setup_.filler);
  }
  return {};
}

Result<void> OrderedTable::write_window() {
  if (window_.empty()) return {};
  if (auto written = file_.write_now(setup_.host + first_ * entry_size, window_); !written) return written;
  first_ = end();
  window_.clear();
  return {};
}

}  // namespace disklathe
