// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/device/file_device.h"

namespace disklathe {

// A regular file that appears under its name only when it is complete: written without a name (O_TMPFILE) or, where the
// file system has none, beside its name; commit() syncs it, gives it the name in one rename, and syncs the folder.
// Until then the old file of that name is untouched, also after kill -9. Dropped without commit(), nothing is left.
class TargetFile {
 public:
  // Fails before anything is made: a folder of that name, a folder that is missing or not writable, ...
  // Permissions are those of the file that will be replaced, else by umask.
  static Result<std::unique_ptr<TargetFile>> create(const std::string& path, CacheMode cache);
  ~TargetFile();
  TargetFile(const TargetFile&) = delete;
  TargetFile& operator=(const TargetFile&) = delete;

  // One that another process has begun and handed on: its descriptor is taken over, also when this fails. replaces: the
  // inode of the file that had the name then. Whoever had taken it over before may have ended at any moment of
  // commit(): what is left to do is done.
  static Result<std::unique_ptr<TargetFile>> take_over(const std::string& path, int fd,
                                                       std::optional<uint64_t> replaces);
  std::optional<uint64_t> replaces() const;
  // It is another process's from now on: dropping this leaves it as it is.
  void hand_on() noexcept;

  FileDevice& device();

  // durable: file and folder are synced (not for `unsafe`).
  Result<void> commit(bool durable);

  // For a signal handler's last moment: removes the nameless file's stand-in, if there is one. Async-signal-safe.
  void abandon() noexcept;

 private:
  struct State;
  explicit TargetFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace disklathe
