// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/target_guard.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace disklathe {
namespace {

using Reason = Denial::Reason;

std::unexpected<Denial> failed(Error error) {
  return std::unexpected(Denial{.reason = Reason::failed, .usage = {}, .differs = {}, .error = std::move(error)});
}

std::unexpected<Denial> denied(Reason reason, Usage usage = {}) {
  return std::unexpected(Denial{.reason = reason, .usage = std::move(usage), .differs = {}, .error = {}});
}

Guarded<void> same(const Identity& chosen, const Identity& now) {
  std::vector<IdentityPart> differs = differences(chosen, now);
  if (differs.empty()) return {};
  return std::unexpected(Denial{.reason = Reason::replaced, .usage = {}, .differs = std::move(differs), .error = {}});
}

Guarded<void> nobody_has(const Usage& usage) {
  if (usage.system) return denied(Reason::system, usage);
  if (usage.in_use) return denied(Reason::held, usage);
  return {};
}

// Who has it now; refused when somebody does.
Guarded<void> free_now(const ChosenDevice& chosen) {
  const auto disks = disks_around(chosen.identity.number);
  if (!disks) return failed(disks.error());
  if (!disk_of_number(*disks, chosen.identity.number)) return denied(Reason::unlisted);
  return nobody_has(UsageMap(*disks).of(chosen.identity.name));
}

constexpr std::chrono::milliseconds passing_look{300};

std::vector<Opener> openers_of(const ChosenDevice& chosen) {
  std::vector<dev_t> devices{chosen.disk.number};
  if (chosen.whole())
    for (const Partition& partition : chosen.disk.partitions) devices.push_back(partition.number);
  else
    devices.push_back(chosen.identity.number);
  std::vector<Opener> openers = programs_with_open(devices);
  if (openers.empty()) return openers;
  // Whatever looks at every disk (udev, a list of devices) has this one open for a moment; that is worth no word.
  std::this_thread::sleep_for(passing_look);
  const std::vector<Opener> still = programs_with_open(devices);
  std::erase_if(openers,
                [&](const Opener& opener) { return !std::ranges::contains(still, opener.process, &Opener::process); });
  return openers;
}

Guarded<ChosenDevice> choose_identified(const Identity& identity, const std::string& root) {
  auto disks = disks_around(identity.number, root);
  if (!disks) return failed(std::move(disks.error()));
  const Disk* disk = disk_of_number(*disks, identity.number);
  if (!disk) return denied(Reason::unlisted);
  ChosenDevice chosen{.path = {}, .identity = identity, .disk = *disk, .id = {}, .usage = {}, .openers = {}};
  chosen.id = chosen.whole() ? disk->id : id_by_size(identity.name, identity.size);
  chosen.usage = UsageMap(*disks, root).of(identity.name);
  // All that was read in between is of the same device only if it is the same at both ends.
  const auto after = identity_of_number(identity.number, root);
  if (!after) return failed(after.error());
  if (auto unchanged = same(identity, *after); !unchanged) return std::unexpected(std::move(unchanged.error()));
  if (auto free = nobody_has(chosen.usage); !free) return std::unexpected(std::move(free.error()));
  if (identity.size == 0) return denied(Reason::no_medium);
  if (chosen.node().read_only || disk->read_only) return denied(Reason::read_only);
  return chosen;
}

}  // namespace

const BlockNode& ChosenDevice::node() const {
  const auto own = std::ranges::find(disk.partitions, identity.number, &Partition::number);
  return own == disk.partitions.end() ? static_cast<const BlockNode&>(disk) : *own;
}

Guarded<ChosenDevice> choose_device(const std::string& path) {
  const auto identity = identity_of(path);
  if (!identity) return failed(identity.error());
  auto chosen = choose_identified(*identity, {});
  if (!chosen) return chosen;
  chosen->path = path;
  chosen->openers = openers_of(*chosen);
  return chosen;
}

Guarded<ChosenDevice> choose_device_number(dev_t number, const std::string& root) {
  const auto identity = identity_of_number(number, root);
  if (!identity) return failed(identity.error());
  auto chosen = choose_identified(*identity, root);
  if (chosen) chosen->path = chosen->node().node;
  return chosen;
}

Guarded<void> still_chosen(const ChosenDevice& chosen, int fd) {
  const auto now = identity_of_descriptor(fd);
  if (!now) return failed(now.error());
  return same(chosen.identity, *now);
}

Guarded<std::unique_ptr<FileDevice>> open_chosen(const ChosenDevice& chosen, CacheMode cache) {
  auto device = FileDevice::open({.path = chosen.path, .writable = true, .cache = cache});
  if (!device && device.error().kind != ErrorKind::busy) return failed(std::move(device.error()));
  if (!device) {
    // Whatever has the name now is in use; by whom is told only of the device that was chosen.
    const auto now = identity_of(chosen.path);
    if (!now) return failed(now.error());
    if (auto unchanged = same(chosen.identity, *now); !unchanged) return std::unexpected(std::move(unchanged.error()));
    if (auto free = free_now(chosen); !free) return std::unexpected(std::move(free.error()));
    return denied(Reason::held);
  }
  if (!(*device)->is_block_device()) return denied(Reason::replaced);
  if (auto it = still_chosen(chosen, (*device)->descriptor()); !it) return std::unexpected(std::move(it.error()));
  // O_EXCL does not keep out what takes no claim: a loop device on it, a pool.
  if (auto free = free_now(chosen); !free) return std::unexpected(std::move(free.error()));
  return std::move(*device);
}

}  // namespace disklathe
