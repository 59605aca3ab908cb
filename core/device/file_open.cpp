// SPDX-License-Identifier: GPL-3.0-or-later
// How a file or device is opened: which kinds, with which descriptors, and the choice between direct and buffered.
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mman.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "core/device/file_device_state.h"

namespace disklathe {
namespace {

bool asks_for_direct(CacheMode cache) { return cache == CacheMode::none || cache == CacheMode::directsync; }

Error refusal(std::string_view name, int os_error, std::string cause) {
  Error error = os_failure(os_error, "open", name);
  error.cause = std::move(cause);
  return error;
}

Result<void> check_kind(mode_t mode, std::string_view name) {
  if (S_ISREG(mode) || S_ISBLK(mode)) return {};
  if (S_ISDIR(mode)) return failure(refusal(name, EISDIR, "it is a folder"));
  if (S_ISCHR(mode)) return failure(refusal(name, EINVAL, "it is a character device"));
  if (S_ISFIFO(mode)) return failure(refusal(name, EINVAL, "it is a pipe"));
  if (S_ISSOCK(mode)) return failure(refusal(name, EINVAL, "it is a socket"));
  return failure(refusal(name, EINVAL, "it is neither a regular file nor a block device"));
}

bool in_memory_file_system(int fd, const struct stat& file) {
  struct statfs status{};
  // A device's node is on one (/dev), the device is not.
  if (!S_ISREG(file.st_mode) || fstatfs(fd, &status) != 0) return false;
  const auto type = static_cast<unsigned long>(status.f_type);
  return type == TMPFS_MAGIC || type == RAMFS_MAGIC;
}

uint64_t memory_size() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Whether the page cache holds most of the file's data. Kernels before 6.5 do not say: then it is taken as cold.
bool is_cached(int fd, const struct stat& status) {
  cachestat_range whole{};
  struct cachestat found{};
  if (syscall(SYS_cachestat, fd, &whole, &found, 0) != 0) return false;
  const auto data = std::min(static_cast<uint64_t>(status.st_size), static_cast<uint64_t>(status.st_blocks) * 512);
  return found.nr_cache * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) >= data / 2;
}

// Direct where the page cache can only cost: devices, which are read or written once, and files that would push
// everything else out of memory and be gone from it themselves before they are read again. A file that is in memory
// already is faster from there.
bool direct_is_better(int fd, const struct stat& status) {
  if (S_ISBLK(status.st_mode)) return true;
  return static_cast<uint64_t>(status.st_size) > memory_size() / 2 && !is_cached(fd, status);
}

// A second descriptor of the same open file, whatever its name is by now.
Descriptor reopen(int fd, int flags) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  return Descriptor(open(path.c_str(), flags | O_CLOEXEC));
}

int access_flags(bool writable, CacheMode cache) {
  return (writable ? O_RDWR : O_RDONLY) | (writable && cache == CacheMode::directsync ? O_DSYNC : 0);
}

Descriptor open_sysfs_size(dev_t device) {
  const std::string node = "/sys/dev/block/" + std::to_string(major(device)) + ":" + std::to_string(minor(device));
  return Descriptor(::open((node + "/size").c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

std::optional<CacheMode> cache_mode_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, CacheMode>, 5> names{{{"auto", CacheMode::automatic},
                                                                         {"none", CacheMode::none},
                                                                         {"writeback", CacheMode::writeback},
                                                                         {"directsync", CacheMode::directsync},
                                                                         {"unsafe", CacheMode::unsafe}}};
  for (const auto& [known, mode] : names) {
    if (known == name) return mode;
  }
  return std::nullopt;
}

Result<uint64_t> current_size(int fd, bool block_device, std::string_view name) {
  if (block_device) {
    uint64_t size = 0;
    if (ioctl(fd, BLKGETSIZE64, &size) != 0) return failure(os_failure(errno, "open", name));
    return size;
  }
  struct stat status{};
  if (fstat(fd, &status) != 0) return failure(os_failure(errno, "open", name));
  return static_cast<uint64_t>(status.st_size);
}

Result<std::unique_ptr<FileDevice>> FileDevice::open(const FileOpenRequest& request) {
  // The kind is looked at before: opening a pipe would wait for its other end, opening a tape rewinds it.
  struct stat status{};
  if (stat(request.path.c_str(), &status) != 0) return failure(os_failure(errno, "open", request.path));
  if (Result<void> kind = check_kind(status.st_mode, request.path); !kind) return failure(kind);

  const int exclusive = request.writable && S_ISBLK(status.st_mode) ? O_EXCL : 0;
  const int flags = access_flags(request.writable, request.cache) | exclusive | O_CLOEXEC | O_NOCTTY;
  const int fd = ::open(request.path.c_str(), flags);
  if (fd < 0) return failure(os_failure(errno, "open", request.path));
  return adopt(fd, request.path, request.writable, request.cache);
}

Result<std::unique_ptr<FileDevice>> FileDevice::adopt(int fd, std::string name, bool writable, CacheMode cache,
                                                      int direct_fd) {
  auto state = std::make_unique<State>();
  state->buffered = Descriptor(fd);
  state->direct = Descriptor(direct_fd);
  state->name = std::move(name);
  state->writable = writable;
  state->cache = cache;
  if (fstat(fd, &state->opened) != 0) return failure(os_failure(errno, "open", state->name));
  if (Result<void> kind = check_kind(state->opened.st_mode, state->name); !kind) return failure(kind);
  state->block_device = S_ISBLK(state->opened.st_mode);
  if (state->block_device) state->sysfs_size = open_sysfs_size(state->opened.st_rdev);

  const int flags = fcntl(fd, F_GETFL);
  if ((flags & O_DIRECT) != 0 || (flags & access_flags(writable, cache)) != access_flags(writable, cache)) {
    return failure(refusal(state->name, EINVAL, "the descriptor was not opened for this use"));
  }
  // The kernel lets a read-only device be opened for writing, and refuses the first write.
  int read_only = 0;
  if (writable && state->block_device && ioctl(fd, BLKROGET, &read_only) == 0 && read_only != 0) {
    return failure(refusal(state->name, EROFS, "the device is read-only"));
  }
  Result<uint64_t> size = current_size(fd, state->block_device, state->name);
  if (!size) return failure(size);
  state->size = *size;
  state->limits = read_limits(fd);

  const bool direct = asks_for_direct(cache) || (cache == CacheMode::automatic && direct_is_better(fd, state->opened));
  if (!direct) state->direct = Descriptor();
  int reason = EOPNOTSUPP;
  if (direct && !state->direct.open()) {
    state->direct = reopen(fd, access_flags(writable, cache) | O_DIRECT);
    if (!state->direct.open() && errno != EINVAL) reason = errno;  // EINVAL: this file system has no direct I/O
  }
  const std::optional<DirectAlignment> alignment = direct_alignment(fd);
  if (asks_for_direct(cache) && (!state->direct.open() || !alignment)) {
    return failure(refusal(state->name, reason, "direct I/O was asked for"));
  }
  // In memory the page cache is the medium: nothing to go around, though newer kernels allow to ask for it.
  if (!alignment || in_memory_file_system(fd, state->opened)) state->direct = Descriptor();

  if (state->direct.open()) {
    const auto page = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
    state->limits.min_mem_align = alignment->memory;
    state->limits.opt_mem_align = std::max(alignment->memory, page);
    state->limits.offset_align = alignment->offset;
    state->limits.alignment_source = alignment->source;
    state->write_align = std::max(alignment->offset, page);
  }
  return std::unique_ptr<FileDevice>(new FileDevice(std::move(state)));
}

FileDevice::FileDevice(std::unique_ptr<State> state) : state_(std::move(state)) {}

FileDevice::~FileDevice() = default;

}  // namespace disklathe
