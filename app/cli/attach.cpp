// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <functional>
#include <thread>

#include "app/cli/command_line.h"
#include "app/cli/exit_codes.h"
#include "app/cli/image_options.h"
#include "app/cli/kernel_device.h"
#include "app/cli/sentences.h"
#include "app/cli/signals.h"
#include "app/cli/verbs.h"
#include "core/nbd/handshake.h"
#include "core/nbd/kernel_client.h"
#include "core/nbd/server.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view help =
    R"(disklathe attach [OPTIONS] IMAGE [/dev/nbdN]

Makes a block device of the disk in IMAGE (a file, a device, an address), to read
unless --rw, and prints its name. Goes on in the background until it is detached.
Needs root, and the kernel's driver nbd.

  -f, --format FORMAT     what IMAGE is; otherwise that is looked at
      --rw                it may be written to;  --yes-erase ID: if it is a device
      --cow               it may, and the image stays: in a layer that ends with it
  -l, --snapshot TAG      an internal snapshot instead of the disk
      --partition N       one partition;  --offset N --length N: any part
  -t, --cache MODE        auto, none, writeback, directsync or unsafe
      --connections N     over which the kernel asks (1 to 16; one a processor)
      --timeout SECONDS   after which the kernel gives a request up (never)
      --foreground        stay until it is detached; Ctrl-C does that
      --backing POLICY, --data-file POLICY, -U, --force-share: as with map
      --allow-file FILE   opened if an image names it, whatever the policy
)";

constexpr std::string_view detach_help =
    R"(disklathe detach /dev/nbdN

Ends what attach began, when all that was written has reached the image. A device
that is mounted, or otherwise held, stays. Needs root.
)";

constexpr unsigned most_timeout = 1'000'000;
constexpr unsigned most_connections = 16;
constexpr int most_wait_ms = 30'000;  // for a server to close its image

struct Attaching {
  ServedImage image;
  OpenPolicy policy;
  std::optional<unsigned> index;
  unsigned connections = 0, timeout = 0;
};

struct Pairs {
  std::vector<Descriptor> ours, kernels;
};

Result<Pairs> make_pairs(unsigned count) {
  Pairs pairs;
  for (unsigned i = 0; i < count; ++i) {
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return failure(os_failure(errno, "attach", ""));
    pairs.ours.emplace_back(ends[0]);
    pairs.kernels.emplace_back(ends[1]);
  }
  return pairs;
}

// As large as the sectors that the export asks for, which the kernel takes up to a page.
Result<uint32_t> block_of(const nbd::ExportInfo& info) {
  const uint32_t block = std::max<uint32_t>(info.minimum_block, 512);
  if (block <= static_cast<uint32_t>(sysconf(_SC_PAGESIZE))) return block;
  return failure(ErrorKind::unsupported, "attach",
                 fmt::format("it has sectors of {} bytes, which is more than the kernel's driver takes", block));
}

// Serves the kernel until it says goodbye. attached: told the device, once it is there.
Result<void> serve_kernel(const Attaching& asked, const std::function<void(unsigned index)>& attached) {
  load_nbd_driver();
  auto made = open_export(asked.image, asked.policy);
  if (!made) return failure(made);
  nbd::Export& exported = **made;
  const nbd::ExportInfo& info = exported.info();
  const auto block = block_of(info);
  if (!block) return std::unexpected(block.error());
  if (info.size < *block) return failure(ErrorKind::invalid, "attach", "its disk is shorter than a sector");
  if (const uint64_t rest = info.size % *block; rest != 0)
    print_warning(
        fmt::format("'{}': the last {} bytes are no whole sector, and not on the device", asked.image.path, rest));

  std::signal(SIGPIPE, SIG_IGN);
  SignalWatch signals;  // before there are threads
  auto server = nbd::Server::create({&exported}, {});
  if (!server) return failure(server);
  auto pairs = make_pairs(asked.connections);
  if (!pairs) return failure(pairs);
  std::vector<int> sockets;
  for (Descriptor& end : pairs->ours) (*server)->adopt(std::move(end), 0);
  for (const Descriptor& end : pairs->kernels) sockets.push_back(end.get());
  const auto index = nbd::connect_kernel({.index = asked.index,
                                          .size = info.size,
                                          .block = *block,
                                          .flags = nbd::transmission_flags(info, nbd::Dialect::simple),
                                          .timeout = asked.timeout},
                                         sockets);
  pairs->kernels.clear();  // the kernel has them, or nobody, and then the sessions end
  if (index) attached(*index);
  // Not by force: what is on the device would be cut off from whoever has it mounted.
  const nbd::Server::Event signalled{signals.descriptor(), [&] {
                                       const auto signal = signals.take();
                                       if (!signal || *signal == SIGUSR1 || !index) return false;
                                       if (auto released = release_nbd_device(*index, true); !released)
                                         report(released.error());
                                       return false;
                                     }};
  (*server)->run({}, {&signalled, 1}, true);
  if (auto finished = exported.finish(); !finished) return finished;
  if (!index) return std::unexpected(index.error());
  return {};
}

int attach_here(const Attaching& asked, const std::function<void(unsigned index)>& attached) {
  const auto served = serve_kernel(asked, attached);
  return served ? exit_ok : report(served.error());
}

void print_device(unsigned index) {
  fmt::print("{}\n", nbd_device_node(index));
  std::fflush(stdout);
}

// Nothing of the terminal and the folder that it was started from is held any more.
void leave() {
  setsid();
  if (chdir("/") != 0) return;
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing.get(), stream);
}

// The same in a process of its own: returns when the device is there, or will not be.
int attach_behind(const Attaching& asked) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return report(os_failure(errno, "attach", ""));
  Descriptor told(ends[0]), tells(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) return report(os_failure(errno, "attach", ""));
  if (pid == 0) {
    told = Descriptor();
    const int code = attach_here(asked, [&](unsigned index) {
      print_device(index);
      leave();
      const char done = 1;
      [[maybe_unused]] const ssize_t sent = write(tells.get(), &done, 1);
      tells = Descriptor();
    });
    std::fflush(stdout);
    _exit(code);
  }
  tells = Descriptor();
  char done = 0;
  ssize_t count = -1;
  do {
    count = read(told.get(), &done, 1);
  } while (count < 0 && errno == EINTR);
  if (count == 1) return exit_ok;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : exit_crashed;
}

}  // namespace

int run_attach(Arguments arguments) {
  Attaching asked;
  ImageOptions options;
  std::vector<std::string> words;
  bool foreground = false;
  CommandLine line("attach", help);
  options.add_to(line);
  line.number("--connections", asked.connections, 1, most_connections);
  line.number("--timeout", asked.timeout, 1, most_timeout);
  line.flag("--foreground", foreground);
  line.words(words, 1, 2, "one image, and no more than a device");
  if (const auto code = line.parse(arguments)) return *code;
  auto image = options.image();
  if (!image) return report(image.error());
  asked.image = std::move(*image);
  asked.image.path = words[0];
  asked.policy = options.policy();
  asked.policy.named = {words[0]};
  if (asked.connections == 0) asked.connections = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  if (words.size() > 1) {
    const auto index = index_of_nbd_device(words[1]);
    if (!index) return report(index.error());
    asked.index = *index;
  }
  return foreground ? attach_here(asked, print_device) : attach_behind(asked);
}

int run_detach(Arguments arguments) {
  std::vector<std::string> words;
  CommandLine line("detach", detach_help);
  line.words(words, 1, 1, "one device");
  if (const auto code = line.parse(arguments)) return *code;
  const auto index = index_of_nbd_device(words[0]);
  if (!index) return report(index.error());
  const auto server = server_of_nbd_device(*index);
  if (!server)
    return report({.kind = ErrorKind::not_found,
                   .operation = "detach",
                   .subject = words[0],
                   .cause = "nothing is attached there"});
  const Descriptor ends(static_cast<int>(syscall(SYS_pidfd_open, *server, 0)));
  pollfd watched{.fd = ends.get(), .events = POLLIN, .revents = 0};
  const bool lives = ends.open() && poll(&watched, 1, 0) == 0;
  if (auto released = release_nbd_device(*index, lives); !released) return report(released.error());
  // The image is whole when its server has ended.
  if (lives && poll(&watched, 1, most_wait_ms) == 0)
    print_warning(fmt::format("process {}, which served it, has not ended yet", *server));
  return exit_ok;
}

}  // namespace disklathe::cli
