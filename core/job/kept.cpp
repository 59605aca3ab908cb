// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/kept.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "core/base/runtime_folder.h"

namespace disklathe::job {
namespace {

constexpr size_t id_length = 8;

bool is_id(const std::string& id) {
  return id.size() == id_length &&
         std::ranges::all_of(id, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return failure(os_failure(ENAMETOOLONG, "open", path));
  path.copy(address.sun_path, path.size());
  return address;
}

std::string new_id() {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz012345";
  std::array<unsigned char, id_length> random{};
  (void)getrandom(random.data(), random.size(), 0);
  std::string id;
  for (const unsigned char byte : random) id += letters[byte % letters.size()];
  return id;
}

Result<Descriptor> connect_to(const std::string& path) {
  const auto address = address_of(path);
  if (!address) return std::unexpected(address.error());
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // A worker that hangs does not take who waits in its row.
  const timeval patience{.tv_sec = 2, .tv_usec = 0};
  if (!socket.open() || setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0 ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
    return failure(os_failure(errno, "open", path));
  return socket;
}

}  // namespace

Result<KeptPlace> make_kept_place() {
  const auto place = own_runtime_folder();
  if (!place) return std::unexpected(place.error());
  KeptPlace kept{.id = new_id(),
                 .listening = Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))};
  const std::string path = *place + "/" + kept.id;
  const auto address = address_of(path);
  if (!address) return std::unexpected(address.error());
  if (!kept.listening.open() ||
      bind(kept.listening.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
      listen(kept.listening.get(), 4) != 0)
    return failure(os_failure(errno, "create", path));
  return kept;
}

std::vector<std::string> kept_jobs() {
  std::vector<std::string> ids;
  const auto place = own_runtime_folder();
  if (!place) return ids;
  // Not asked by connecting: whoever connects is a job's client, and keeps others out meanwhile.
  std::ifstream sockets("/proc/net/unix");
  const std::string listed{std::istreambuf_iterator<char>(sockets), {}};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(*place, error)) {
    const std::string id = entry.path().filename();
    if (!is_id(id)) continue;
    // A socket that nobody listens on is what a job left behind that ended alone.
    if (listed.contains(" " + entry.path().string() + "\n"))
      ids.push_back(id);
    else
      forget_kept_job(id);
  }
  std::ranges::sort(ids);
  return ids;
}

Result<std::unique_ptr<Client>> attach(const std::string& id) {
  const auto place = own_runtime_folder();
  if (!place) return std::unexpected(place.error());
  if (!is_id(id)) return failure(os_failure(ENOENT, "open", id));
  auto socket = connect_to(*place + "/" + id);
  if (!socket) return failure(socket);
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket->get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid())
    return failure(os_failure(EPERM, "open", id));
  return Client::connect(std::move(*socket));
}

namespace {

// The files that the job made, with what was Attached of them: the data file before the image that needs it. Until one
// fails.
Result<void> for_each_made(const Spec& spec, const std::vector<Descriptor>& descriptors,
                           const std::function<Result<void>(TargetFile&, const Convert&)>& with) {
  const auto* work = std::get_if<Convert>(&spec.work);
  if (!work || work->existing) return {};
  for (const Role role : {Role::data, Role::target}) {
    size_t index = 0;
    for (const GivenFile& file : spec.files) {
      if (!file.writable || file.granted) continue;
      const Descriptor& descriptor = descriptors[index++];
      if (file.role != role) continue;
      const int fd = fcntl(descriptor.get(), F_DUPFD_CLOEXEC, 0);
      auto target = TargetFile::take_over(file.name, fd, file.replaces);
      if (!target) return failure(target);
      if (auto done = with(**target, *work); !done) return done;
    }
  }
  return {};
}

}  // namespace

Result<void> commit_attached(const Spec& spec, const std::vector<Descriptor>& descriptors) {
  return for_each_made(spec, descriptors, [](TargetFile& target, const Convert& work) {
    auto committed = target.commit(work.durable);
    if (!committed) target.hand_on();  // somebody may try again
    return committed;
  });
}

void discard_attached(const Spec& spec, const std::vector<Descriptor>& descriptors) {
  // What is dropped without a commit is gone.
  [[maybe_unused]] const auto gone =
      for_each_made(spec, descriptors, [](TargetFile&, const Convert&) { return Result<void>(); });
}

void forget_kept_job(const std::string& id) {
  const auto place = own_runtime_folder();
  if (place && is_id(id)) unlink((*place + "/" + id).c_str());
}

}  // namespace disklathe::job
