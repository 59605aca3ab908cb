// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/child.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <span>

#ifdef __SANITIZE_THREAD__
// QtTest has a thread of its own, which the forked process does without; the sanitizer would not go on there.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }
#endif

namespace disklathe::test {
namespace {

bool install(std::span<sock_filter> filter) {
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()), .filter = filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

constexpr uint32_t offset_of_argument(unsigned argument) {
  return static_cast<uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(uint64_t));  // its low half
}

}  // namespace

int in_child(int (*function)(const std::string& argument), const std::string& argument) {
  const pid_t child = fork();
  if (child == 0) _exit(function(argument));
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

bool deny_system_call(long number, int os_error) { return deny_system_call(number, 0, 0, os_error); }

bool deny_system_call(long number, unsigned argument, uint32_t mask, int os_error) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset_of_argument(argument)),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, mask, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (static_cast<uint32_t>(os_error) & SECCOMP_RET_DATA)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return install(filter);
}

bool mount_small_tmpfs(const std::string& folder, uint64_t size) {
  const std::string options = "size=" + std::to_string(size);
  return unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

}  // namespace disklathe::test
