// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/passthrough.h"

#include <sys/stat.h>

namespace disklathe::cli {

Result<std::unique_ptr<SgDevice>> open_passthrough_to_read(const std::string& path) {
  const auto node = sg_node_of(path);
  if (!node) return failure(node.error());
  // What was written to the block device and is still in memory would not be seen.
  if (node->disk) {
    auto disk = FileDevice::open({.path = node->disk_path, .cache = CacheMode::writeback});
    if (!disk) return failure(disk);
    if (auto flushed = (*disk)->flush_now(); !flushed) return failure(flushed);
  }
  return SgDevice::open(path, false);
}

Result<std::string> disk_of_passthrough(const std::string& path) {
  const auto node = sg_node_of(path);
  if (!node) return failure(node.error());
  if (node->disk) return node->disk_path;
  return failure(Error{.kind = ErrorKind::unsupported,
                       .operation = "write to",
                       .subject = path,
                       .cause = "the kernel has no block device for it, so nobody can tell what it is or who uses it"});
}

Result<std::unique_ptr<SgDevice>> open_passthrough_to_write(const std::string& path, FileDevice& held) {
  // What is still in memory for the block device must not be written over what the commands write, nor be read instead.
  if (auto flushed = held.flush_now(); !flushed) return failure(flushed);
  held.drop_cache();
  auto device = SgDevice::open(path, true);
  if (!device) return device;
  // While the block device is held its number is given to no other.
  struct stat status{};
  if (fstat(held.descriptor(), &status) == 0 && (*device)->disk() == status.st_rdev && (*device)->size() == held.size())
    return device;
  return failure(Error{.kind = ErrorKind::refused,
                       .operation = "write to",
                       .subject = path,
                       .cause = "it is not the disk that was chosen any more; nothing was written"});
}

}  // namespace disklathe::cli
