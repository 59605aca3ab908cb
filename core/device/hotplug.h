// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace disklathe {

struct HotplugEvent {
  // `lost`: more happened than was taken in time; look at all devices again.
  enum class Action : uint8_t { added, removed, changed, lost } action = Action::changed;
  std::string name;                 // the kernel's: "sdb1"
  std::string node;                 // "/dev/sdb1"
  std::optional<uint64_t> diskseq;  // of the disk this is about
};

// Disks and partitions that come, go and change (a medium put in, a size, a table read anew). With udevd its events,
// which come when its database and the nodes are ready; without it the kernel's own. No rights are needed.
class Hotplug {
 public:
  static Result<std::unique_ptr<Hotplug>> open();
  ~Hotplug();
  Hotplug(const Hotplug&) = delete;
  Hotplug& operator=(const Hotplug&) = delete;

  // To poll for reading. Owned by this.
  int descriptor() const;
  // Hands over what has arrived, without waiting.
  void take(const std::function<void(const HotplugEvent&)>& each);

 private:
  struct State;
  explicit Hotplug(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace disklathe
