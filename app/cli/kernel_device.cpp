// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/kernel_device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>

#include "app/cli/device_target.h"
#include "app/cli/sentences.h"
#include "core/device/descriptor.h"
#include "core/nbd/kernel_client.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view prefix = "/dev/nbd";

// Why it cannot be had to itself, in the words of who looks who has it.
Error in_use(const std::string& node) {
  Error error{.kind = ErrorKind::busy, .operation = "detach", .subject = node, .cause = "something holds it"};
  if (const auto chosen = choose_target_device(node); !chosen && chosen.error().kind == ErrorKind::busy)
    error.cause = chosen.error().cause;
  return error;
}

}  // namespace

std::string nbd_device_node(unsigned index) { return fmt::format("{}{}", prefix, index); }

Result<unsigned> index_of_nbd_device(const std::string& node) {
  unsigned index = 0;
  if (node.starts_with(prefix)) {
    const auto [end, error] = std::from_chars(node.data() + prefix.size(), node.data() + node.size(), index);
    if (error == std::errc() && end == node.data() + node.size()) return index;
  }
  return failure(ErrorKind::invalid, "attach", fmt::format("'{}' is no network block device, such as /dev/nbd0", node));
}

std::optional<int> server_of_nbd_device(unsigned index) {
  int pid = 0;
  std::ifstream file(fmt::format("/sys/block/nbd{}/pid", index));
  return file >> pid ? std::optional(pid) : std::nullopt;
}

void load_nbd_driver() {
  if (access("/sys/module/nbd", F_OK) == 0) return;
  std::string words[] = {"modprobe", "-q", "nbd"};
  char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  char* const environment[] = {path, nullptr};
  for (const char* program : {"/usr/sbin/modprobe", "/sbin/modprobe"}) {
    pid_t pid = -1;
    if (posix_spawn(&pid, program, nullptr, nullptr, arguments, environment) != 0) continue;
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return;
  }
}

Result<void> release_nbd_device(unsigned index, bool has_server) {
  const std::string node = nbd_device_node(index);
  const Descriptor device(open(node.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
  if (!device.open() && errno == EBUSY) return failure(in_use(node));
  if (!device.open()) return failure(os_failure(errno, "detach", node));
  if (fsync(device.get()) != 0) {
    if (has_server) return failure(os_failure(errno, "flush", node));
    print_warning(fmt::format("the server of '{}' is gone; what had not reached its image is lost", node));
  }
  (void)ioctl(device.get(), BLKFLSBUF, 0);
  return nbd::disconnect_kernel(index);
}

}  // namespace disklathe::cli
