// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "app/cli/device_target.h"
#include "app/cli/helper_worker.h"
#include "app/cli/image_lock.h"
#include "app/cli/passthrough.h"
#include "app/cli/size_text.h"
#include "app/cli/target_usage.h"
#include "core/device/descriptor.h"
#include "core/format/reference_path.h"
#include "core/nbd/remote_device.h"

namespace disklathe::cli {
namespace {

std::unexpected<Error> no(ErrorKind kind, const std::string& path, std::string cause) {
  return failure(Error{.kind = kind, .operation = "write", .subject = path, .cause = std::move(cause)});
}

Result<void> not_of_the_source(const std::string& path, std::span<const SourceFile> source) {
  struct stat target{};
  if (stat(path.c_str(), &target) != 0) return {};
  for (const SourceFile& one : source) {
    struct stat status{};
    if (fstat(one.file->descriptor(), &status) != 0) continue;
    const bool same = S_ISBLK(target.st_mode) && S_ISBLK(status.st_mode)
                          ? target.st_rdev == status.st_rdev
                          : target.st_dev == status.st_dev && target.st_ino == status.st_ino;
    if (!same) continue;
    return no(ErrorKind::invalid, path,
              one.backing ? "it is in the source's backing chain; writing to it would destroy the source"
                          : "it is the source as well; write to another name");
  }
  return {};
}

Result<std::unique_ptr<FileDevice>> open_existing_file(const std::string& path, CacheMode cache) {
  if (const std::string usage = usage_of(path); !usage.empty())
    return no(ErrorKind::busy, path, fmt::format("it is {}", usage));
  auto file = FileDevice::open({.path = path, .writable = true, .cache = cache});
  if (!file) return file;
  // What was looked at before may have been replaced by now.
  if ((*file)->is_block_device()) return no(ErrorKind::changed, path, "it was a file, and is a block device now");
  if (auto alone = lock_for_writing((*file)->descriptor(), path); !alone) return failure(alone);
  return file;
}

Result<Target> open_existing(Target target, const TargetRequest& request) {
  if (request.device && needs_helper(target.path, true)) {
    if (request.cache == CacheMode::directsync)
      return no(ErrorKind::unsupported, target.path, "-t directsync is for who may open the device: run this as root");
    target.granted = request.device->identity;
    if (auto room = has_room(target.path, target.granted->size, request.size); !room) return failure(room);
    return target;
  }
  auto device = request.device ? open_target_device(*request.device, request.cache)
                               : open_existing_file(target.path, request.cache);
  if (!device) return failure(device);
  target.existing = std::move(*device);
  if (!request.passthrough.empty()) {
    auto commands = open_passthrough_to_write(request.passthrough, *target.existing);
    if (!commands) return failure(commands);
    target.passthrough = std::move(*commands);
  }
  if (auto room = has_room(target.path, target.existing->size(), request.size); !room) return failure(room);
  return target;
}

Result<void> nobody_uses(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (const std::string usage = usage_of(path); !usage.empty())
    return no(ErrorKind::busy, path, fmt::format("it is {}", usage));
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.open() ? check_no_writer(file.get(), path) : Result<void>();
}

}  // namespace

Result<void> has_room(const std::string& path, uint64_t room, uint64_t needed) {
  if (room >= needed) return {};
  return no(ErrorKind::no_space, path,
            fmt::format("it has {}, the image needs {}: {} bytes are missing", exact_size(room), exact_size(needed),
                        needed - room));
}

Result<void> may_replace(const std::string& path, const std::string& data_path) {
  if (auto unused = nobody_uses(path); !unused) return unused;
  if (data_path.empty()) return {};
  std::error_code error;
  if (std::filesystem::weakly_canonical(path, error) == std::filesystem::weakly_canonical(data_path, error))
    return no(ErrorKind::invalid, path, "the image and its data file cannot be one file");
  return nobody_uses(data_path);
}

Result<Target> open_target(const TargetRequest& request, std::span<const SourceFile> source) {
  Target target{.path = request.path};
  if (request.remote) {
    auto device = nbd::RemoteDevice::open(request.path, true);
    if (!device) return failure(device);
    if (auto room = has_room(target.path, (*device)->size(), request.size); !room) return failure(room);
    target.remote = std::move(*device);
    return target;
  }
  if (auto other = not_of_the_source(target.path, source); !other) return failure(other);
  struct stat status{};
  const bool exists = stat(target.path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return no(ErrorKind::invalid, request.path, "it is a folder; name a file in it");
  if (exists && !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
    return no(ErrorKind::invalid, request.path, "it is neither a file nor a block device");
  if (request.existing) {
    if (!exists) return failure(os_failure(ENOENT, "open", request.path));
    return open_existing(std::move(target), request);
  }
  if (exists && S_ISBLK(status.st_mode))
    return no(ErrorKind::changed, request.path, "it is a block device now, and was none before");
  if (!request.data_file.empty()) target.data_path = resolve_reference(request.path, request.data_file);
  if (auto free = may_replace(target.path, target.data_path); !free) return failure(free);
  auto fresh = TargetFile::create(target.path, request.cache);
  if (!fresh) return failure(fresh);
  target.fresh = std::move(*fresh);
  if (request.data_file.empty()) return target;
  if (auto other = not_of_the_source(target.data_path, source); !other) return failure(other);
  auto data = TargetFile::create(target.data_path, request.cache);
  if (!data) return failure(data);
  target.data = std::move(*data);
  return target;
}

}  // namespace disklathe::cli
