// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"

#include <cerrno>

namespace disklathe {

ErrorKind kind_of_os_error(int os_error) {
  switch (os_error) {
    case ENOENT:
    case ENOTDIR: return ErrorKind::not_found;
    case EACCES:
    case EPERM:
    case EROFS: return ErrorKind::permission;
    case EBUSY:
    case ETXTBSY: return ErrorKind::busy;
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return ErrorKind::no_space;
    case ENODEV:
    case ENXIO:
    case ENOTCONN:
    case ECONNRESET:
    case EPIPE: return ErrorKind::vanished;
    case EOPNOTSUPP:
    case ENOSYS: return ErrorKind::unsupported;
    case EINVAL:
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP: return ErrorKind::invalid;
    case ECANCELED: return ErrorKind::stopped;
    default: return ErrorKind::io;
  }
}

Error os_failure(int os_error, std::string_view operation, std::string_view subject, std::optional<uint64_t> offset) {
  return Error{.kind = kind_of_os_error(os_error),
               .operation = std::string(operation),
               .subject = std::string(subject),
               .offset = offset,
               .os_error = os_error,
               .cause = {}};
}

}  // namespace disklathe
