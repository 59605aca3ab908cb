// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a sealed process tries, and which layer refuses it. Each attempt is made in a process of its own under one layer
// alone, so that the layers cannot hide each other's holes.
#include "core/job/sandbox.h"

#include <fcntl.h>
#include <liburing.h>
#include <linux/nvme_ioctl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <QTest>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "core/io/ring.h"
#include "tests/support/child.h"

using namespace disklathe;
using namespace disklathe::job;

namespace {

constexpr uid_t nobody = 65534;

// ---- attempts: 0 when it was possible, else the errno

int result_of(long result) { return result >= 0 ? 0 : errno; }

int open_a_file() { return result_of(open("/etc/passwd", O_RDONLY)); }
int open_the_root() { return result_of(open("/", O_RDONLY | O_DIRECTORY)); }
int make_a_file() { return result_of(open("/tmp/disklathe-sandbox-test", O_WRONLY | O_CREAT, 0600)); }
int look_at_a_file() {
  struct stat status{};
  return result_of(stat("/etc/passwd", &status));
}
int make_a_socket() { return result_of(socket(AF_INET, SOCK_STREAM, 0)); }
int start_a_program() {
  char* none[] = {nullptr};
  return result_of(execve("/bin/true", none, none));
}
int start_a_process() {
  const long child = syscall(SYS_fork);
  if (child == 0) _exit(0);
  return result_of(child);
}
int make_code() {
  return mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0;
}
int use_the_keyring() { return result_of(syscall(SYS_add_key, "user", "disklathe", "x", 1, -2)); }
int make_a_ring() {
  io_uring ring{};
  const int made = io_uring_queue_init(4, &ring, 0);
  return made < 0 ? -made : 0;
}
int load_a_program_into_the_kernel() { return result_of(syscall(SYS_bpf, 0, nullptr, 0)); }
int enter_a_namespace() { return result_of(syscall(SYS_unshare, CLONE_NEWUSER)); }
int push_input_to_a_terminal() { return result_of(ioctl(0, TIOCSTI, "x")); }
int send_a_scsi_command() { return result_of(ioctl(0, SG_IO, nullptr)); }
int send_an_nvme_command() { return result_of(ioctl(0, NVME_IOCTL_ADMIN_CMD, nullptr)); }

pid_t sibling = 0;  // a process beside the one that tries
int signal_a_sibling() { return result_of(kill(sibling, SIGUSR1)); }
int trace_a_sibling() { return result_of(ptrace(PTRACE_ATTACH, sibling, nullptr, nullptr)); }
int read_a_siblings_memory() {
  char byte = 0;
  iovec here{&byte, 1}, there{reinterpret_cast<void*>(environ), 1};
  return result_of(process_vm_readv(sibling, &here, 1, &there, 1, 0));
}

struct Attempt {
  const char* what;
  int (*make)();
  bool landlock;  // this layer refuses it; seccomp refuses all
};
constexpr Attempt attempts[] = {
    {"open a file", open_a_file, true},
    {"open the root folder", open_the_root, true},
    {"make a file", make_a_file, true},
    {"look at a file", look_at_a_file, false},
    {"make a socket", make_a_socket, false},
    {"start a program", start_a_program, true},
    {"start a process", start_a_process, false},
    {"make code", make_code, false},
    {"use the keyring", use_the_keyring, false},
    {"make a ring", make_a_ring, false},
    {"load a program into the kernel", load_a_program_into_the_kernel, false},
    {"enter a namespace", enter_a_namespace, false},
    {"push input to a terminal", push_input_to_a_terminal, false},
    {"send a SCSI command", send_a_scsi_command, false},
    {"send an NVMe command", send_an_nvme_command, false},
    {"signal a sibling", signal_a_sibling, true},
    {"trace a sibling", trace_a_sibling, true},
    {"read a sibling's memory", read_a_siblings_memory, true},
};

constexpr int not_sealed = 254;

const Attempt& attempt_named(const std::string& name) {
  return *std::ranges::find(attempts, name, [](const Attempt& attempt) { return std::string(attempt.what); });
}

int under_landlock(const std::string& name) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !restrict_by_landlock()) return not_sealed;
  return attempt_named(name).make();
}

int under_seccomp(const std::string& name) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (!restrict_by_seccomp({})) return not_sealed;
  return attempt_named(name).make();
}

int under_seccomp_of_a_server(const std::string& name) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (!restrict_by_seccomp({.accepts = true, .serves = 4})) return not_sealed;
  return attempt_named(name).make();
}

// What a server does with its clients, on descriptors that are none: which answer the filter gives, 0 the kernel.
int calls_of_a_server(const Seal& seal) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (!restrict_by_seccomp(seal)) return not_sealed;
  char byte = 0;
  const int on = 1;
  errno = 0;
  const long results[] = {accept4(-1, nullptr, nullptr, 0), recv(-1, &byte, 1, 0), sendfile(-1, -1, nullptr, 1),
                          shutdown(-1, SHUT_RD), setsockopt(-1, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on)};
  return std::ranges::count(results, -1) == 5 ? errno : 1;
}
int calls_of_a_server_in_a_server(const std::string&) { return calls_of_a_server({.serves = 4}); }
int calls_of_a_server_elsewhere(const std::string&) { return calls_of_a_server({}); }
int another_option_in_a_server(const std::string&) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (!restrict_by_seccomp({.serves = 4})) return not_sealed;
  const int on = 1;
  return setsockopt(-1, SOL_SOCKET, SO_BROADCAST, &on, sizeof on) < 0 ? errno : 0;
}

QString words(int result) {
  if (result == 0) return "ALLOWED";
  if (result == 256 + SIGSYS) return "ended";
  return result > 255 ? QString("signal %1").arg(result - 256) : QString::fromUtf8(strerrorname_np(result));
}

// Sleeps until it is killed; has nothing to do with those that try.
pid_t start_sibling() {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGUSR1, SIG_IGN);
    while (true) pause();
  }
  return child;
}

std::string read_whole(int fd) {
  std::string text(8192, '\0');
  const ssize_t length = pread(fd, text.data(), text.size(), 0);
  text.resize(length > 0 ? static_cast<size_t>(length) : 0);
  return text;
}

bool has_line(const std::string& text, const std::string& line) { return text.contains("\n" + line); }

// All layers; then what the kernel says of this process, from a file that was open before.
int sealed_state(const std::string&) {
  const int status = open("/proc/self/status", O_RDONLY);
  const bool root = geteuid() == 0;
  if (!drop_rights(root ? std::optional(nobody) : std::nullopt, nobody) || !forbid_tracing()) return not_sealed;
  if (const auto sealed = seal({}); !sealed) return not_sealed;
  const std::string text = read_whole(status);
  if (!has_line(text, "CapEff:\t0000000000000000") || !has_line(text, "CapPrm:\t0000000000000000")) return 1;
  if (root && !has_line(text, "CapBnd:\t0000000000000000")) return 2;
  if (!has_line(text, "NoNewPrivs:\t1")) return 3;
  if (!has_line(text, "Seccomp:\t2")) return 4;
  if (root && !has_line(text, "Uid:\t65534\t65534\t65534\t65534")) return 5;
  if (root && !has_line(text, "Groups:\t \n")) return 6;
  return 0;
}

int stay_root(const std::string&) { return drop_rights(std::nullopt, 0) ? 1 : 0; }
int become_root(const std::string&) { return drop_rights(0U, 0) ? 1 : 0; }
int come_back(const std::string&) {
  if (!drop_rights(nobody, nobody)) return not_sealed;
  return setuid(0) == 0 || seteuid(0) == 0 || setgid(0) == 0 ? 1 : 0;
}

int without_landlock_being_obeyed(const std::string&) {
  return test::deny_system_call(SYS_landlock_restrict_self, E2BIG) && !seal({}) ? 0 : 1;
}
int without_seccomp_being_obeyed(const std::string&) {
  return test::deny_system_call(SYS_seccomp, E2BIG) && !restrict_by_seccomp({}) ? 0 : 1;
}
int on_a_kernel_without_landlock(const std::string&) {
  if (!test::deny_system_call(SYS_landlock_create_ruleset, ENOSYS)) return not_sealed;
  const auto layer = restrict_by_landlock();
  return layer && !layer->on ? 0 : 1;
}
#if defined(__SANITIZE_THREAD__)
constexpr size_t others = 2;  // one is taken for the sanitizer's own, which a forked process does not have
#else
constexpr size_t others = 1;
#endif
int with_another_thread(const std::string&) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  std::array<std::jthread, others> threads;
  for (std::jthread& other : threads) {
    other = std::jthread([](const std::stop_token& stop) {
      while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  }
  return restrict_by_landlock() ? 1 : 0;
}

std::optional<int> ring_descriptor() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (std::filesystem::read_symlink(entry.path(), error) == "anon_inode:[io_uring]")
      return std::stoi(entry.path().filename());
  }
  return std::nullopt;
}

// What a request that is none of the engine's gets from a ring that was made beforehand: -errno, or 1: no such ring.
int foreign_request(void (*prepare)(io_uring_sqe*)) {
  if (reserve_rings(1) != 1) return 1;
  const auto fd = ring_descriptor();
  auto in_use = Ring::create(RingKind::uring);
  if (!fd || !in_use) return 1;
  // Another ring of the same size tells how the memory of the first is laid out.
  io_uring twin{}, ring{};
  io_uring_params parameters{};
  parameters.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
  parameters.cq_entries = 2048;
  if (io_uring_queue_init_params(256, &twin, &parameters) != 0) return 1;
  if (io_uring_queue_mmap(*fd, &parameters, &ring) != 0) return 1;
  ring.enter_ring_fd = *fd;
  prepare(io_uring_get_sqe(&ring));
  io_uring_cqe* completion = nullptr;
  if (io_uring_submit_and_wait(&ring, 1) < 0 || io_uring_peek_cqe(&ring, &completion) != 0) return 2;
  return completion->res;
}
int ring_opens(const std::string&) {
  return -foreign_request(
      [](io_uring_sqe* entry) { io_uring_prep_openat(entry, AT_FDCWD, "/etc/passwd", O_RDONLY, 0); });
}
int ring_makes_sockets(const std::string&) {
  return -foreign_request([](io_uring_sqe* entry) { io_uring_prep_socket(entry, AF_INET, SOCK_STREAM, 0, 0); });
}
int ring_sends(const std::string&) {
  return -foreign_request([](io_uring_sqe* entry) { io_uring_prep_send(entry, 0, "x", 1, 0); });
}

int handing_out(const std::string&) {
  if (reserve_rings(2) != 2) return 255;
  const auto first = Ring::create(), second = Ring::create(), third = Ring::create();
  if (!first || !second || !third) return 1;
  if ((*first)->kind() != RingKind::uring || (*second)->kind() != RingKind::uring) return 2;
  return (*third)->kind() == RingKind::threads && !Ring::create(RingKind::uring) ? 0 : 3;
}

}  // namespace

class SandboxTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { sibling = start_sibling(); }
  void cleanupTestCase() {
    kill(sibling, SIGKILL);
    waitpid(sibling, nullptr, 0);
  }

  void nothingButTheOpenDescriptorsCanBeTouched_data() {
    QTest::addColumn<QString>("what");
    for (const Attempt& attempt : attempts) QTest::newRow(attempt.what) << attempt.what;
  }
  void nothingButTheOpenDescriptorsCanBeTouched() {
    QFETCH(QString, what);
    const std::string name = what.toStdString();
    const bool by_landlock = attempt_named(name).landlock;
    const int landlock = test::in_child(under_landlock, name), seccomp = test::in_child(under_seccomp, name);
    qInfo("%-32s landlock: %-8s seccomp: %s", name.c_str(), by_landlock ? qPrintable(words(landlock)) : "-",
          qPrintable(words(seccomp)));
    QVERIFY(landlock != not_sealed && seccomp != not_sealed);
    QVERIFY(seccomp == EPERM || seccomp == 256 + SIGSYS);
    QCOMPARE(test::in_child(under_seccomp_of_a_server, name), seccomp);
    if (by_landlock) QVERIFY(landlock == EPERM || landlock == EACCES);
  }

  void onlyWhoServesAcceptsAndSends() {
    QCOMPARE(test::in_child(calls_of_a_server_in_a_server), EBADF);
    QCOMPARE(test::in_child(calls_of_a_server_elsewhere), EPERM);
    QCOMPARE(test::in_child(another_option_in_a_server), EPERM);
  }

  void ringsDoNothingButMoveBytes() {
    const int opens = test::in_child(ring_opens), sockets = test::in_child(ring_makes_sockets),
              sends = test::in_child(ring_sends);
    qInfo("by a ring: open %s, socket %s, send %s", qPrintable(words(opens)), qPrintable(words(sockets)),
          qPrintable(words(sends)));
    if (opens == 255) QSKIP("this kernel has no io_uring");
    QCOMPARE(opens, EACCES);
    QCOMPARE(sockets, EACCES);
    QCOMPARE(sends, EACCES);
  }

  void ringsAreThoseThatWereMadeBefore() {
    const int result = test::in_child(handing_out);
    if (result == 255) QSKIP("this kernel has no io_uring");
    QCOMPARE(result, 0);
  }

  void nothingIsLeftOfTheCallersRights() { QCOMPARE(test::in_child(sealed_state), 0); }

  void rootHasToBecomeSomebodyElse() {
    if (geteuid() != 0) QSKIP("only root can give up being root");
    QCOMPARE(test::in_child(stay_root), 0);
    QCOMPARE(test::in_child(become_root), 0);
    QCOMPARE(test::in_child(come_back), 0);
  }

  void aLayerThatCannotBePutOnEndsTheWorker() {
    QCOMPARE(test::in_child(without_landlock_being_obeyed), 0);
    QCOMPARE(test::in_child(without_seccomp_being_obeyed), 0);
    QCOMPARE(test::in_child(with_another_thread), 0);
  }

  void aLayerThatTheKernelDoesNotHaveIsTold() { QCOMPARE(test::in_child(on_a_kernel_without_landlock), 0); }
};

QTEST_GUILESS_MAIN(SandboxTest)
#include "sandbox_test.moc"
