// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/stored_name.h"

#include <fmt/format.h>

#include <span>

namespace disklathe {

Result<std::string> read_stored_name(BlockDevice& file, Range where, uint64_t field) {
  const auto corrupt = [&](std::string cause) { return failure(ErrorKind::corrupt, "open", std::move(cause), field); };
  if (where.length > max_stored_name)
    return corrupt(fmt::format("the backing file name has {} bytes, above {}", where.length, max_stored_name));
  if (where.at > file.size() || where.length > file.size() - where.at)
    return corrupt("the backing file name does not lie inside the file");
  std::string name(where.length, '\0');
  if (auto read = file.read_now(where.at, std::as_writable_bytes(std::span(name))); !read) return failure(read);
  if (name.contains('\0')) return corrupt("the backing file name contains a zero byte");
  return name;
}

}  // namespace disklathe
