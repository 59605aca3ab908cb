// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/given.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>

namespace disklathe::job {
namespace {

std::unexpected<Error> invalid(const char* cause) { return failure(ErrorKind::invalid, "start", cause); }

// Of a socket that somebody may connect to.
Result<void> check_listener(int socket) {
  int listens = 0;
  socklen_t size = sizeof listens;
  const int flags = fcntl(socket, F_GETFL);
  if (getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0 && flags >= 0 &&
      fcntl(socket, F_SETFL, flags | O_NONBLOCK) == 0)
    return {};
  return invalid("what is to be listened at is no socket that listens");
}

}  // namespace

bool Given::pipe() const {
  struct stat status{};
  return fstat(fd.get(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode);
}

int copy_of(const Descriptor& descriptor) {
  return descriptor.open() ? fcntl(descriptor.get(), F_DUPFD_CLOEXEC, 0) : -1;
}

Result<std::vector<Given>> assign(const Spec& spec, std::vector<Descriptor> descriptors,
                                  std::span<const Launch::Grant> grants) {
  std::vector<Given> all;
  size_t next = 0;
  for (const GivenFile& file : spec.files) {
    Given given{.file = &file};
    const auto grant = std::ranges::find(grants, file.role, &Launch::Grant::role);
    const bool granted = grant != grants.end();
    if (file.granted != granted)
      return invalid(granted ? "a file that was granted is given as well" : "a file was not granted");
    if (granted) {
      if (file.direct != (grant->direct_fd >= 0)) return invalid("a granted file has another number of descriptors");
      given.fd = Descriptor(grant->fd);
      given.direct = Descriptor(grant->direct_fd);
    } else {
      given.fd = std::move(descriptors[next++]);
      if (file.direct) given.direct = std::move(descriptors[next++]);
    }
    all.push_back(std::move(given));
  }
  for (const Launch::Grant& grant : grants)
    if (!spec.file(grant.role)) return invalid("a file that was granted has no use here");
  return all;
}

Result<void> open_devices(std::vector<Given>& all, const Work& work) {
  const auto* inspect = std::get_if<Inspect>(&work);
  for (Given& given : all) {
    if (is_socket(given.file->role)) {
      if (auto listens = check_listener(given.fd.get()); !listens) return listens;
      continue;
    }
    if (given.pipe()) continue;
    const GivenFile& file = *given.file;
    auto device = FileDevice::adopt(copy_of(given.fd), file.name, file.writable, file.cache, copy_of(given.direct));
    if (!device) return failure(device);
    given.device = std::move(*device);
    if (inspect && inspect->identify && given.device->is_block_device()) given.answers = ask_device(given.fd.get());
  }
  return {};
}

}  // namespace disklathe::job
