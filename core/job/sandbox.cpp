// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/sandbox.h"

#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "core/io/ring.h"

namespace disklathe::job {
namespace {

std::unexpected<Error> cannot(const char* layer, int os_error) {
  return failure(os_failure(os_error, "lock in", layer));
}

SandboxLayer on(const char* name, std::string detail = {}) { return {name, true, std::move(detail)}; }
SandboxLayer absent(const char* name) { return {name, false, "not offered by this kernel"}; }

// None in any set. What could be kept is what setresuid() does not take: of a user who has some.
bool drop_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return syscall(SYS_capset, &header, none.data()) == 0;
}

// Of root, while it still may: what even a program with file capabilities could not get back.
void drop_bounding_set() {
  for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    (void)prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

bool set_limit(__rlimit_resource_t resource, rlim_t most) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return false;
  limit.rlim_cur = limit.rlim_max = std::min(most, limit.rlim_max);
  return setrlimit(resource, &limit) == 0;
}

unsigned threads_of_this_process() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Threads:")) return static_cast<unsigned>(std::strtoul(line.c_str() + 8, nullptr, 10));
  return 0;
}

// At most as many at once as engine/plan starts, in each of the phases; what is left over does no harm.
unsigned most_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, 16U); }

// A client's thread, and what its requests in flight take. Who asks for more than there is is sent away.
constexpr uint64_t memory_of_a_client = 32 << 20;
// A ring belongs to a thread, which serves one connection after the other. Beyond these threads do the work.
constexpr unsigned most_rings_of_clients = 128;

}  // namespace

Result<SandboxLayer> drop_rights(std::optional<uid_t> uid, gid_t gid) {
  constexpr const char* name = "user";
  if (geteuid() == 0) {
    if (!uid || *uid == 0) return failure(ErrorKind::invalid, "lock in", "root has to name the user to become");
    drop_bounding_set();
    if (setgroups(0, nullptr) != 0 || setresgid(gid, gid, gid) != 0 || setresuid(*uid, *uid, *uid) != 0)
      return cannot(name, errno);
  } else if (uid && *uid != geteuid()) {
    return cannot(name, EPERM);
  }
  if (!drop_capabilities()) return cannot(name, errno);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return cannot(name, errno);
  uid_t real = 0, effective = 0, saved = 0;
  if (getresuid(&real, &effective, &saved) != 0 || real == 0 || effective != real || saved != real)
    return cannot(name, EPERM);
  return on(name, fmt::format("uid {}, no capabilities, no new privileges", real));
}

Result<SandboxLayer> forbid_tracing() {
  constexpr const char* name = "untraced";
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return cannot(name, errno);
  if (!set_limit(RLIMIT_CORE, 0)) return cannot(name, errno);
  return on(name);
}

Result<SandboxLayer> limit_resources(const Seal& seal) {
  constexpr const char* name = "limits";
  constexpr rlim_t most_open = 1024;  // two a layer of the longest chain, and two a ring
  constexpr size_t thread_stack = 1 << 20;
  if (!set_limit(RLIMIT_NOFILE, most_open)) return cannot(name, errno);
  if (seal.time && !set_limit(RLIMIT_CPU, static_cast<rlim_t>(seal.time->count()))) return cannot(name, errno);
  // Stacks and heaps of threads are address space long before they are memory.
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, thread_stack);
  const int error = pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  if (error != 0) return cannot(name, error);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return on(name, "memory: not with a sanitizer");
#else
  constexpr uint64_t heap_of_a_thread = 128 << 20;
  const uint64_t memory = seal.memory + most_threads() * (heap_of_a_thread + thread_stack) +
                          seal.serves * (memory_of_a_client + thread_stack);
  if (!set_limit(RLIMIT_AS, memory)) return cannot(name, errno);
  return on(name, fmt::format("{} MiB of memory, {} files", memory >> 20, most_open));
#endif
}

Result<SandboxLayer> restrict_rings(const Seal& seal) {
  // Each phase of a job has new threads, and a ring belongs to its thread: writing, its last hole, reading back.
  const unsigned of_clients = std::min(seal.serves, most_rings_of_clients);
  const unsigned made = reserve_rings(2 * most_threads() + 2 + of_clients);
  return on("rings", fmt::format("{} of them", made));
}

Result<SandboxLayer> restrict_by_landlock() {
  constexpr const char* name = "landlock";
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 0 && (errno == ENOSYS || errno == EOPNOTSUPP)) return absent(name);
  if (version < 0) return cannot(name, errno);
#if defined(__SANITIZE_THREAD__)
  constexpr unsigned expected = 2;  // its own, which may not have begun
#else
  constexpr unsigned expected = 1;
#endif
  if (const unsigned threads = threads_of_this_process(); threads == 0 || threads > expected)
    return failure(ErrorKind::invalid, "lock in", "another thread would stay outside");
  // All that this version knows of, and not one rule that allows any of it. (linux/landlock.h; rights and scopes are
  // numbered from bit 0 without gaps.)
  constexpr std::array<unsigned, 5> file_rights{13, 14, 15, 15, 16};  // by version
  struct {
    uint64_t files, network, scopes;
  } handled{};
  const size_t known = std::min<size_t>(static_cast<size_t>(version), file_rights.size());
  handled.files = (1ULL << file_rights[known - 1]) - 1;
  size_t size = sizeof handled.files;
  if (version >= 4) {
    handled.network = LANDLOCK_ACCESS_NET_BIND_TCP | LANDLOCK_ACCESS_NET_CONNECT_TCP;
    size += sizeof handled.network;
  }
  if (version >= 6) {
    constexpr uint64_t abstract_sockets = 1, foreign_signals = 2;
    handled.scopes = abstract_sockets | foreign_signals;
    size += sizeof handled.scopes;
  }
  const auto ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, size, 0));
  if (ruleset < 0) return cannot(name, errno);
  const long restricted = syscall(SYS_landlock_restrict_self, ruleset, 0);
  const int error = errno;
  close(ruleset);
  if (restricted != 0) return cannot(name, error);
  return on(name, fmt::format("ABI {}", version));
}

Result<std::vector<SandboxLayer>> seal(const Seal& seal) {
  std::vector<SandboxLayer> layers;
  for (const auto& put_on :
       {limit_resources(seal), restrict_rings(seal), restrict_by_landlock(), restrict_by_seccomp(seal)}) {
    if (!put_on) return std::unexpected(put_on.error());
    layers.push_back(*put_on);
  }
  return layers;
}

}  // namespace disklathe::job
