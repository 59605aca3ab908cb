// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/ordered_table.h"

#include <algorithm>

#include "core/base/endian.h"

namespace disklathe {
namespace {

constexpr size_t window_size = 64 << 10;  // bytes

}  // namespace

template <std::unsigned_integral Entry, std::endian order>
uint64_t OrderedEntries<Entry, order>::end() const {
  return first_ + window_.size() / sizeof(Entry);
}

template <std::unsigned_integral Entry, std::endian order>
Result<void> OrderedEntries<Entry, order>::set(uint64_t index, Entry value) {
  if (index >= setup_.count || index < first_ || index + 1 < end()) {
    return failure(ErrorKind::invalid, "place", "not in order");
  }
  if (index + 1 == end()) window_.resize(window_.size() - sizeof(Entry));
  if (auto filled = fill_until(index); !filled) return filled;
  append(value);
  return {};
}

template <std::unsigned_integral Entry, std::endian order>
Result<void> OrderedEntries<Entry, order>::finish() {
  if (auto filled = fill_until(setup_.count); !filled) return filled;
  return write_window();
}

// The window has room for one more entry afterwards. One that is full is kept until then: its last entry may be set
// again.
template <std::unsigned_integral Entry, std::endian order>
Result<void> OrderedEntries<Entry, order>::fill_until(uint64_t index) {
  if (setup_.filled && index - end() > window_size / sizeof(Entry)) {
    if (auto written = write_window(); !written) return written;
    first_ = index;
  }
  while (end() < index || window_.size() == window_size) {
    if (window_.size() == window_size) {
      if (auto written = write_window(); !written) return written;
      continue;
    }
    append(setup_.filler);
  }
  return {};
}

template <std::unsigned_integral Entry, std::endian order>
Result<void> OrderedEntries<Entry, order>::write_window() {
  if (window_.empty()) return {};
  if (auto written = file_.write_now(setup_.host + first_ * sizeof(Entry), window_); !written) return written;
  first_ = end();
  window_.clear();
  return {};
}

template <std::unsigned_integral Entry, std::endian order>
void OrderedEntries<Entry, order>::append(Entry value) {
  const size_t at = window_.size();
  window_.resize(at + sizeof(Entry));
  if constexpr (order == std::endian::little) {
    store_le(window_, at, value);
  } else {
    store_be(window_, at, value);
  }
}

template class OrderedEntries<uint32_t, std::endian::little>;
template class OrderedEntries<uint32_t, std::endian::big>;
template class OrderedEntries<uint64_t, std::endian::little>;

}  // namespace disklathe
