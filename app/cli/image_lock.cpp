// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/image_lock.h"

#include <fcntl.h>

namespace disklathe::cli {
namespace {

enum Permission : off_t { consistent_read = 0, write = 1, write_unchanged = 2, resize = 3 };

constexpr off_t has_base = 100, unshared_base = 200;

struct flock one_byte(off_t at, short type) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = at;
  lock.l_len = 1;
  return lock;
}

// Read locks do not exclude each other: taking one only shows it to those who ask.
void show(int fd, off_t at) {
  struct flock lock = one_byte(at, F_RDLCK);
  fcntl(fd, F_OFD_SETLK, &lock);  // file systems without locks have nobody to tell
}

bool shown_by_another(int fd, off_t at) {
  struct flock lock = one_byte(at, F_WRLCK);
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

std::unexpected<Error> in_use(const std::string& path, const char* cause) {
  return failure(Error{.kind = ErrorKind::busy, .operation = "open", .subject = path, .cause = cause});
}

}  // namespace

Result<void> check_no_writer(int fd, const std::string& path) {
  if (shown_by_another(fd, has_base + Permission::write))
    return in_use(path, "another program (a virtual machine?) writes to it");
  return {};
}

Result<void> lock_against_writers(int fd, const std::string& path) {
  show(fd, unshared_base + Permission::write);
  if (shown_by_another(fd, has_base + Permission::write))
    return in_use(path, "another program (a virtual machine?) writes to it; -U opens it all the same");
  return {};
}

Result<void> lock_for_writing(int fd, const std::string& path) {
  show(fd, has_base + Permission::write);
  show(fd, unshared_base + Permission::write);
  show(fd, unshared_base + Permission::consistent_read);
  if (shown_by_another(fd, has_base + Permission::write) || shown_by_another(fd, unshared_base + Permission::write) ||
      shown_by_another(fd, has_base + Permission::consistent_read))
    return in_use(path, "another program (a virtual machine?) uses it");
  return {};
}

}  // namespace disklathe::cli
