// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/hotplug.h"

#include <libudev.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>

namespace disklathe {
namespace {

// Room for a burst: a hub full of card readers, or a table of a hundred partitions.
constexpr int receive_buffer = 4 << 20;

struct Closer {
  void operator()(udev* context) const { udev_unref(context); }
  void operator()(udev_monitor* monitor) const { udev_monitor_unref(monitor); }
  void operator()(udev_device* device) const { udev_device_unref(device); }
};

std::string_view text_or_empty(const char* text) { return text ? text : ""; }

// bind, unbind, online, offline, move and change all mean: look again.
HotplugEvent::Action action_of(std::string_view word) {
  if (word == "add") return HotplugEvent::Action::added;
  if (word == "remove") return HotplugEvent::Action::removed;
  return HotplugEvent::Action::changed;
}

HotplugEvent event_of(udev_device* device) {
  HotplugEvent event{.action = action_of(text_or_empty(udev_device_get_action(device))),
                     .name = std::string(text_or_empty(udev_device_get_sysname(device))),
                     .node = std::string(text_or_empty(udev_device_get_devnode(device)))};
  const std::string_view sequence = text_or_empty(udev_device_get_property_value(device, "DISKSEQ"));
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(sequence.data(), sequence.data() + sequence.size(), number);
  if (error == std::errc()) event.diskseq = number;
  return event;
}

}  // namespace

struct Hotplug::State {
  std::unique_ptr<udev, Closer> context;
  std::unique_ptr<udev_monitor, Closer> monitor;
};

Hotplug::Hotplug(std::unique_ptr<State> state) : state_(std::move(state)) {}
Hotplug::~Hotplug() = default;

Result<std::unique_ptr<Hotplug>> Hotplug::open() {
  constexpr std::string_view operation = "watch devices";
  auto state = std::make_unique<State>();
  state->context.reset(udev_new());
  if (!state->context) return failure(os_failure(ENOMEM, operation, {}));
  // Where udevd listens, its own group; udev itself answers by this file whether it runs.
  const bool managed = access("/run/udev/control", F_OK) == 0;
  state->monitor.reset(udev_monitor_new_from_netlink(state->context.get(), managed ? "udev" : "kernel"));
  if (!state->monitor) return failure(os_failure(errno, operation, {}));
  udev_monitor_set_receive_buffer_size(state->monitor.get(), receive_buffer);  // as much as we may have
  int wrong = udev_monitor_filter_add_match_subsystem_devtype(state->monitor.get(), "block", nullptr);
  if (wrong >= 0) wrong = udev_monitor_enable_receiving(state->monitor.get());
  if (wrong < 0) return failure(os_failure(-wrong, operation, {}));
  return std::unique_ptr<Hotplug>(new Hotplug(std::move(state)));
}

int Hotplug::descriptor() const { return udev_monitor_get_fd(state_->monitor.get()); }

void Hotplug::take(const std::function<void(const HotplugEvent&)>& each) {
  while (true) {
    errno = 0;
    const std::unique_ptr<udev_device, Closer> device(udev_monitor_receive_device(state_->monitor.get()));
    if (device) {
      each(event_of(device.get()));
    } else if (errno == ENOBUFS) {
      each({.action = HotplugEvent::Action::lost});
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace disklathe
