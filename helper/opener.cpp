// SPDX-License-Identifier: GPL-3.0-or-later
//
// disklathe-opener ACTION UID GID KIB IDENTITY...: opens the one device that was authorised, as root, hands it to a
// worker that becomes the caller, and ends. Descriptor 3 is the socket that came with the request: why not is told
// there, in the worker's protocol. Started by disklathe-helper; without root's rights it can do no more than its
// caller.
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/fs.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "core/base/version.h"
#include "core/device/after_write.h"
#include "core/device/identity_words.h"
#include "core/device/max_sectors.h"
#include "core/device/system_files.h"
#include "core/device/target_guard.h"
#include "core/job/channel.h"
#include "core/job/launch.h"

namespace disklathe::helper {
namespace {

constexpr int socket_fd = 3;

// What an action has the device opened for; the worker does this kind of job with it and no other.
struct Action {
  std::string_view name;
  bool writes = false;
  std::optional<job::Kind> kind;  // nothing: no worker
};
constexpr Action actions[] = {
    {"convert", true, job::Kind::convert},
    {"convert.read", false, job::Kind::convert},
    {"zero", true, job::Kind::zero},
    {"inspect", false, job::Kind::inspect},
    {"sweep.read", false, job::Kind::sweep},
    {"sweep.write", true, job::Kind::sweep},
    {"export.read", false, job::Kind::export_},
    {"export.write", true, job::Kind::export_},
    {"flush", false, std::nullopt},
    {"tune", false, std::nullopt},
};

struct Order {
  Action action;
  uid_t uid = 0;
  gid_t gid = 0;
  uint64_t max_sectors_kib = 0;
  Identity device;
};

std::optional<Order> read_order(std::span<const std::string> words) {
  constexpr size_t own_words = 4;
  if (words.size() != own_words + identity_word_count) return std::nullopt;
  const auto action = std::ranges::find(actions, words[0], &Action::name);
  const auto device = identity_of_words(words.subspan(own_words));
  Order order;
  const auto read = [](const std::string& word, auto& into) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), into);
    return error == std::errc{} && end == word.data() + word.size();
  };
  if (action == std::end(actions) || !device || !read(words[1], order.uid) || !read(words[2], order.gid) ||
      !read(words[3], order.max_sectors_kib))
    return std::nullopt;
  order.action = *action;
  order.device = *device;
  return order;
}

// The facts of a denial, by Denial::Reason; the client says them in words.
Error error_of(const Denial& denial, const Identity& device) {
  if (denial.reason == Denial::Reason::failed) return denial.error;
  static constexpr std::pair<ErrorKind, const char*> facts[] = {
      {},
      {ErrorKind::busy, "the kernel does not list it"},
      {ErrorKind::invalid, "there is no medium in it"},
      {ErrorKind::permission, "it is read-only"},
      {ErrorKind::busy, "the running system stands on it"},
      {ErrorKind::busy, "in use"},
      {ErrorKind::refused, "it is not the device that was chosen any more"}};
  const auto& [kind, cause] = facts[static_cast<size_t>(denial.reason)];
  Error error{.kind = kind, .operation = "open", .subject = device_number_text(device.number), .cause = cause};
  if (kind == ErrorKind::busy) error.os_error = EBUSY;
  if (!denial.usage.holds.empty())
    error.cause += fmt::format(": {} {}", name_of(denial.usage.holds[0].kind), denial.usage.holds[0].by);
  return error;
}

void act_as(uid_t uid, gid_t gid) {
  if (seteuid(0) != 0 || setegid(gid) != 0 || seteuid(uid) != 0) std::abort();
}

// While this lives no more is looked at than the caller may: libblkid, which is asked what is on a disk that udev has
// no record of, must not read that as root; and identities are what the caller saw.
struct AsCaller {
  explicit AsCaller(const Order& order) { act_as(order.uid, order.gid); }
  ~AsCaller() { act_as(0, 0); }
};

// The wanted device, and no other behind its number; for writing O_EXCL, and after who uses it was looked at: the last
// word.
Guarded<std::unique_ptr<FileDevice>> open_device(const Order& order) {
  const auto denied = [](Denial::Reason reason) { return std::unexpected(Denial{.reason = reason}); };
  const auto failed = [](Error error) { return std::unexpected(Denial{.error = std::move(error)}); };
  const auto named = identity_of_number(order.device.number);
  if (!named) return failed(named.error());
  std::string path = "/dev/" + named->name;
  std::ranges::replace(path, '!', '/');  // how sysfs writes names with a slash
  auto device = FileDevice::open({.path = path, .writable = order.action.writes});
  if (!device && device.error().kind != ErrorKind::busy) return failed(std::move(device.error()));
  const AsCaller caller(order);
  if (order.action.writes)
    if (const auto chosen = choose_device_number(order.device.number); !chosen) return std::unexpected(chosen.error());
  if (!device) return denied(Denial::Reason::held);
  const auto opened = identity_of_descriptor((*device)->descriptor());
  if (!opened) return failed(opened.error());
  // Where the kernel numbers its disks the request has to say the number.
  if (!differences(order.device, *opened).empty() || order.device.diskseq.has_value() != opened->diskseq.has_value())
    return denied(Denial::Reason::replaced);
  return std::move(*device);
}

Result<void> launch(const Order& order, const FileDevice& device) {
  const std::string itself = fmt::format("/proc/self/fd/{}", device.descriptor());
  const Descriptor direct(open(itself.c_str(), (order.action.writes ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC));
  if (!direct.open()) return failure(os_failure(errno, "open", device.name()));
  const auto launched =
      job::launch_worker({.socket = socket_fd,
                          .uid = order.uid,
                          .gid = order.gid,
                          .only = order.action.kind,
                          .grants = {{.role = order.action.writes ? job::Role::target : job::Role::source,
                                      .fd = device.descriptor(),
                                      .direct_fd = direct.get()}},
                          .orphan = true});
  return launched ? Result<void>() : std::unexpected(launched.error());
}

Result<void> flush(const FileDevice& device) {
  if (ioctl(device.descriptor(), BLKFLSBUF, 0) != 0) return failure(os_failure(errno, "flush", device.name()));
  const TableReread table = reread_partition_table(device.descriptor());
  if (table == TableReread::done || table == TableReread::none) return {};
  return failure(os_failure(EBUSY, "read the partitions of", device.name()));
}

// Whether the other end of the socket is gone; -1: waits for that.
bool gone(int socket, int patience) {
  pollfd watched{socket, POLLRDHUP, 0};
  return poll(&watched, 1, patience) != 0;
}

Result<void> obey(const Order& order, job::WorkerChannel& client) {
  auto device = open_device(order);
  if (!device) return failure(error_of(device.error(), order.device));
  if (order.action.kind) return launch(order, **device);
  std::optional<MaxSectorsOverride> tuned;
  if (order.action.name == "tune") {
    auto set = MaxSectorsOverride::set((*device)->descriptor(), order.max_sectors_kib);
    if (!set) return failure(set);
    tuned.emplace(std::move(*set));
  } else if (auto flushed = flush(**device); !flushed) {
    return flushed;
  }
  if (auto told = client.send(job::Hello{.program = std::string(version())}); !told) return told;
  if (tuned) gone(client.descriptor(), -1);  // the old value comes back with the end of this function
  return {};
}

}  // namespace
}  // namespace disklathe::helper

int main(int count, char** arguments) {
  using namespace disklathe;
  const std::vector<std::string> words(arguments + 1, arguments + std::max(count, 1));
  const auto order = helper::read_order(words);
  if (!order || setgroups(0, nullptr) != 0 || helper::gone(helper::socket_fd, 0)) return EXIT_FAILURE;
  job::WorkerChannel client{Descriptor(helper::socket_fd)};
  if (const auto done = helper::obey(*order, client); !done) {
    [[maybe_unused]] const auto told = client.send(job::Failed{done.error()});
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
