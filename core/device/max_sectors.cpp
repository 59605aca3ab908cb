// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/max_sectors.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include "core/device/system_files.h"

namespace disklathe {
namespace {

// 0 or errno. Async-signal-safe, for the guard.
int write_attribute(const char* path, std::string_view text) {
  const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = write(fd, text.data(), text.size()) < 0 ? errno : 0;
  close(fd);
  return error;
}

// Waits until nobody holds the other end, then sets the value back. Only async-signal-safe calls: other threads of the
// process it was forked from may have held any lock. All signals are blocked.
[[noreturn]] void stand_guard(int lifeline, const char* path, std::string_view original) {
  setsid();  // what is done to the terminal's and the shell's job is not done to it
  if (lifeline != 0) dup2(lifeline, 0);
  // It must hold up nobody: not the device that is open, not the reader of the output.
  close_range(1, ~0U, 0);
  char byte = 0;
  while (read(0, &byte, 1) < 0 && errno == EINTR) continue;
  _exit(write_attribute(path, original) == 0 ? 0 : 1);
}

std::string queue_attribute(int fd) {
  struct stat status{};
  if (fstat(fd, &status) != 0) return {};
  const dev_t device = S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev;
  const std::string node = "/sys/dev/block/" + device_number_text(device);
  // A partition has no queue of its own: its disk's is one up.
  for (const char* way : {"/queue/max_sectors_kb", "/../queue/max_sectors_kb"})
    if (path_exists(node + way)) return real_path(node + way);
  return {};
}

}  // namespace

Result<MaxSectorsOverride> MaxSectorsOverride::set(int fd, uint64_t kib) {
  const std::string path = queue_attribute(fd);
  if (path.empty())
    return failure(ErrorKind::unsupported, "set max_sectors_kb", "the kernel has no request queue for it here");
  return set_attribute(path, kib);
}

Result<MaxSectorsOverride> MaxSectorsOverride::set_attribute(const std::string& path, uint64_t kib) {
  const auto failed = [&](int error) { return failure(os_failure(error, "set", path)); };
  const auto original = read_number(path);
  if (!original) return failed(ENOENT);
  const std::string old_text = std::to_string(*original) + "\n";
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return failed(errno);
  // The guard first: there is no moment at which only this process knows the old value.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const pid_t guard = fork();
  if (guard == 0) {
    close(pipe_ends[1]);
    stand_guard(pipe_ends[0], path.c_str(), old_text);
  }
  const int fork_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(pipe_ends[0]);
  if (guard < 0) {
    close(pipe_ends[1]);
    return failed(fork_error);
  }
  MaxSectorsOverride override(path, *original, guard, pipe_ends[1]);
  if (const int error = write_attribute(path.c_str(), std::to_string(kib) + "\n"); error != 0) return failed(error);
  if (read_number(path) != kib)
    return failure(
        Error{.kind = ErrorKind::invalid, .operation = "set", .subject = path, .cause = "it took another value"});
  return override;
}

MaxSectorsOverride::MaxSectorsOverride(MaxSectorsOverride&& other) noexcept
    : path_(std::move(other.path_)),
      original_(other.original_),
      guard_(std::exchange(other.guard_, -1)),
      lifeline_(std::exchange(other.lifeline_, -1)) {}

MaxSectorsOverride::~MaxSectorsOverride() {
  // Who wants to know has called it before.
  [[maybe_unused]] const Result<void> restored = restore();
}

Result<void> MaxSectorsOverride::restore() {
  if (guard_ < 0) return {};
  close(std::exchange(lifeline_, -1));
  int status = -1;
  while (waitpid(guard_, &status, 0) < 0 && errno == EINTR) continue;
  guard_ = -1;
  if (read_number(path_) == original_) return {};
  if (const int error = write_attribute(path_.c_str(), std::to_string(original_) + "\n"); error != 0)
    return failure(os_failure(error, "set back", path_));
  return {};
}

}  // namespace disklathe
