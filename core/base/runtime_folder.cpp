// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/runtime_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace disklathe {
namespace {

std::string folder_name() {
  const std::string user = std::to_string(geteuid());
  if (const char* named = std::getenv("XDG_RUNTIME_DIR"); named && *named == '/')
    return std::string(named) + "/disklathe";
  const std::string usual = "/run/user/" + user;
  return access(usual.c_str(), W_OK | X_OK) == 0 ? usual + "/disklathe" : "/tmp/disklathe-" + user;
}

}  // namespace

Result<std::string> own_runtime_folder() {
  std::string path = folder_name();
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failure(os_failure(errno, "create", path));
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) return failure(os_failure(errno, "open", path));
  if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 077) != 0)
    return failure(
        Error{.kind = ErrorKind::refused, .operation = "open", .subject = path, .cause = "others may write there"});
  return path;
}

}  // namespace disklathe
