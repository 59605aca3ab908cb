// SPDX-License-Identifier: GPL-3.0-or-later
//
// The system calls of a worker. Found with strace -f over every kind of job, on page cache, direct I/O, block devices,
// pipes, with and without io_uring; tests/core/job/sandbox_test.cpp and tests/integration/worker_test.py fail when one
// is missing.
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <initializer_list>

#include "core/job/sandbox.h"

namespace disklathe::job {
namespace {

// With any arguments: on descriptors that are open, on memory, on this process.
constexpr std::array allowed{
    // moving bytes
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(pread64), SCMP_SYS(pwrite64),
    SCMP_SYS(preadv), SCMP_SYS(pwritev), SCMP_SYS(preadv2), SCMP_SYS(pwritev2), SCMP_SYS(lseek), SCMP_SYS(fdatasync),
    SCMP_SYS(fsync), SCMP_SYS(sync_file_range), SCMP_SYS(fallocate), SCMP_SYS(ftruncate), SCMP_SYS(fadvise64),
    SCMP_SYS(io_uring_enter),
    // what is open
    SCMP_SYS(fstat), SCMP_SYS(fstatfs), SCMP_SYS(cachestat), SCMP_SYS(close), SCMP_SYS(dup), SCMP_SYS(eventfd2),
    // the channel
    SCMP_SYS(recvmsg), SCMP_SYS(sendmsg), SCMP_SYS(poll), SCMP_SYS(ppoll),
    // memory
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
    // threads and time
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(restart_syscall),
    SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(getpid),
    SCMP_SYS(gettid), SCMP_SYS(getrusage), SCMP_SYS(sysinfo), SCMP_SYS(getrandom), SCMP_SYS(exit),
    SCMP_SYS(exit_group)};

// Anything else is refused with EPERM: libraries ask for names and places by themselves, and do without an answer.
// These nothing of ours ever asks for, so the process has been taken over: it ends.
constexpr std::array deadly{SCMP_SYS(execve),
                            SCMP_SYS(execveat),
                            SCMP_SYS(fork),
                            SCMP_SYS(vfork),
                            SCMP_SYS(ptrace),
                            SCMP_SYS(process_vm_readv),
                            SCMP_SYS(process_vm_writev),
                            SCMP_SYS(pidfd_getfd),
                            SCMP_SYS(io_uring_setup),
                            SCMP_SYS(add_key),
                            SCMP_SYS(request_key),
                            SCMP_SYS(keyctl),
                            SCMP_SYS(bpf),
                            SCMP_SYS(perf_event_open),
                            SCMP_SYS(userfaultfd),
                            SCMP_SYS(unshare),
                            SCMP_SYS(setns),
                            SCMP_SYS(mount),
                            SCMP_SYS(move_mount),
                            SCMP_SYS(fsopen),
                            SCMP_SYS(pivot_root),
                            SCMP_SYS(chroot),
                            SCMP_SYS(init_module),
                            SCMP_SYS(finit_module),
                            SCMP_SYS(kexec_load),
                            SCMP_SYS(personality),
                            SCMP_SYS(modify_ldt),
                            SCMP_SYS(memfd_create),
                            SCMP_SYS(memfd_secret)};

// Not SG_IO, by which FileDevice asks whether a disk that failed is write-protected: it could carry any command.
constexpr std::array<unsigned long, 7> device_requests{BLKGETSIZE64, BLKROGET,   BLKSSZGET, BLKPBSZGET,
                                                       BLKDISCARD,   BLKZEROOUT, BLKIOOPT};

// What core/nbd's server does besides with clients on sockets that are there: nothing makes, binds or connects one.
constexpr std::array of_servers{SCMP_SYS(accept4), SCMP_SYS(getsockopt), SCMP_SYS(recvfrom), SCMP_SYS(sendfile),
                                SCMP_SYS(shutdown)};

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ERRNO(EPERM))) {}
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  ~Filter() {
    if (context_) seccomp_release(context_);
  }

  void allow(int call) { note(seccomp_rule_add(context_, SCMP_ACT_ALLOW, call, 0)); }
  // With all of these arguments.
  void allow(int call, std::initializer_list<scmp_arg_cmp> arguments) {
    note(seccomp_rule_add_array(context_, SCMP_ACT_ALLOW, call, static_cast<unsigned>(arguments.size()),
                                arguments.begin()));
  }
  void refuse(int call, int os_error) {
    note(seccomp_rule_add(context_, SCMP_ACT_ERRNO(static_cast<uint16_t>(os_error)), call, 0));
  }
  void end_at(int call) { note(seccomp_rule_add(context_, SCMP_ACT_KILL_PROCESS, call, 0)); }

  // 0 or an errno.
  int load() {
    if (!context_) return ENOMEM;
    note(seccomp_attr_set(context_, SCMP_FLTATR_CTL_TSYNC, 1));
    note(seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, 2));
    if (error_ == 0) note(seccomp_load(context_));
    return error_;
  }

 private:
  void note(int result) {
    if (result < 0 && error_ == 0) error_ = -result;
  }

  scmp_filter_ctx context_;
  int error_ = 0;
};

scmp_arg_cmp equals(unsigned index, uint64_t value) { return {index, SCMP_CMP_EQ, value, 0}; }
scmp_arg_cmp has(unsigned index, uint64_t bits) { return {index, SCMP_CMP_MASKED_EQ, bits, bits}; }
scmp_arg_cmp lacks(unsigned index, uint64_t bits) { return {index, SCMP_CMP_MASKED_EQ, bits, 0}; }

// With some arguments only.
void add_by_argument(Filter& filter, const Seal& seal) {
#if defined(__SANITIZE_ADDRESS__)
  // By a pipe of its own a sanitizer finds out whether memory is there before it looks at an object.
  for (const int call : {SCMP_SYS(pipe), SCMP_SYS(pipe2)}) filter.allow(call);
#endif
  for (const unsigned long request : device_requests) filter.allow(SCMP_SYS(ioctl), {equals(1, request)});
  for (const int command : {F_GETFL, F_SETFL, F_GETFD, F_SETFD, F_DUPFD_CLOEXEC})
    filter.allow(SCMP_SYS(fcntl), {equals(1, static_cast<uint64_t>(command))});
  // Nothing that is not there already becomes code.
  filter.allow(SCMP_SYS(mmap), {lacks(2, PROT_EXEC)});
  filter.allow(SCMP_SYS(mprotect), {lacks(2, PROT_EXEC)});
  // Threads of this process; clone3() hides its flags in memory, so it is said not to be there.
  filter.allow(SCMP_SYS(clone), {has(0, CLONE_THREAD | CLONE_VM | CLONE_SIGHAND)});
  filter.refuse(SCMP_SYS(clone3), ENOSYS);
  // abort() of this process.
  filter.allow(SCMP_SYS(tgkill), {equals(0, static_cast<uint64_t>(getpid()))});
  // The rings that were made beforehand are switched on by the threads that use them.
  filter.allow(SCMP_SYS(io_uring_register), {equals(1, IORING_REGISTER_ENABLE_RINGS)});
  if (seal.accepts) {
    filter.allow(SCMP_SYS(accept4));
    filter.allow(SCMP_SYS(getsockopt));
  }
  if (seal.serves > 0) {
    for (const int call : of_servers) filter.allow(call);
    filter.allow(SCMP_SYS(setsockopt), {equals(1, IPPROTO_TCP), equals(2, TCP_NODELAY)});
  }
}

}  // namespace

Result<SandboxLayer> restrict_by_seccomp(const Seal& seal) {
  if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0 && errno == EINVAL)
    return SandboxLayer{"seccomp", false, "not offered by this kernel"};
  Filter filter;
  for (const int call : allowed) filter.allow(call);
  for (const int call : deadly) filter.end_at(call);
  add_by_argument(filter, seal);
  if (const int error = filter.load(); error != 0) return failure(os_failure(error, "lock in", "seccomp"));
  return SandboxLayer{"seccomp", true, "filter"};
}

}  // namespace disklathe::job
