// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/entry_table.h"

#include <algorithm>
#include <exception>

#include "core/base/bytes.h"
#include "core/base/endian.h"
#include "core/format/preallocate.h"

namespace disklathe::qcow2 {
namespace {

constexpr uint64_t page = 4096;

bool all_zero_page(Bytes bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

// calloc: large tables are fresh pages of the kernel, not cleared by hand.
EntryTable::EntryTable(uint64_t count)
    : count_(count), entries_(static_cast<uint64_t*>(std::calloc(std::max<uint64_t>(count, 1), sizeof(uint64_t)))) {
  if (!entries_) std::terminate();
}

uint64_t EntryTable::get(uint64_t index) const {
  return load_be<uint64_t>(std::as_bytes(std::span(entries_.get(), count_)), index * sizeof(uint64_t));
}

void EntryTable::set(uint64_t index, uint64_t value) {
  store_be(std::as_writable_bytes(std::span(entries_.get(), count_)), index * sizeof(uint64_t), value);
}

Result<void> EntryTable::write(BlockDevice& file, uint64_t host, uint64_t stored, bool sparse) const {
  const Bytes bytes = std::as_bytes(std::span(entries_.get(), count_));
  for (uint64_t from = 0; from < bytes.size();) {
    uint64_t to = from;  // a run of pages that are written together
    while (to < bytes.size() && !(sparse && all_zero_page(bytes.subspan(to, std::min(page, bytes.size() - to)))))
      to = std::min<uint64_t>(to + page, bytes.size());
    if (to > from) {
      if (auto written = file.write_now(host + from, bytes.subspan(from, to - from)); !written) return failure(written);
    }
    from = to == bytes.size() ? to : to + page;
  }
  if (sparse || stored <= bytes.size()) return {};
  return write_zeroes_now(file, {host + bytes.size(), stored - bytes.size()});
}

}  // namespace disklathe::qcow2
