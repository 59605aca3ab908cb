// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/registry.h"

#include <algorithm>

#include "core/format/parallels/parallels.h"
#include "core/format/qcow/qcow.h"
#include "core/format/qcow2/qcow2.h"
#include "core/format/qed/qed.h"
#include "core/format/raw/raw.h"
#include "core/format/vdi/vdi.h"
#include "core/format/vhd/vhd.h"
#include "core/format/vhdx/vhdx.h"
#include "core/format/vmdk/vmdk.h"

namespace disklathe {

namespace {

constexpr uint64_t probed_head = 4096, probed_tail = 512;  // bytes

const Format* surest(Bytes head, Bytes tail, uint64_t file_size) {
  const Format* surest = nullptr;
  int best = 0;
  for (const Format& format : formats()) {
    const int sure = format.probe ? format.probe(head, tail, file_size) : 0;
    if (sure <= best) continue;
    best = sure;
    surest = &format;
  }
  return surest;
}

}  // namespace

std::span<const Format> formats() {
  static const Format table[] = {
      raw::format(),  // first: what is left when no other claims a file
      qcow2::format(), vdi::format(),  vhd::format(), vhdx::format(),
      vmdk::format(),  qcow::format(), qed::format(), parallels::format(),
  };
  return table;
}

const Format* find_format(std::string_view name) {
  const auto found = std::ranges::find(formats(), name, &Format::name);
  return found == formats().end() ? nullptr : &*found;
}

const Format* probe_head(Bytes head) { return surest(head, {}, head.size()); }

Result<Probed> probe_format(BlockDevice& file) {
  std::vector<std::byte> head(std::min(file.size(), probed_head)), tail(std::min(file.size(), probed_tail));
  if (auto read = file.read_now(0, head); !read) return failure(read);
  if (auto read = file.read_now(file.size() - tail.size(), tail); !read) return failure(read);
  const Format* found = surest(head, tail, file.size());
  return Probed{.format = found ? found : &formats().front()};
}

}  // namespace disklathe
