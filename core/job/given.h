// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/device/descriptor.h"
#include "core/device/file_device.h"
#include "core/device/identify.h"
#include "core/job/launch.h"
#include "core/job/spec.h"

namespace disklathe::job {

// A file of the spec with its descriptors, as a worker has it.
struct Given {
  const GivenFile* file = nullptr;
  Descriptor fd, direct;
  std::unique_ptr<FileDevice> device;  // until it is taken; null: a pipe, or a socket
  std::vector<DeviceAnswer> answers;   // of a device that was asked what it is

  bool pipe() const;
};

// Another descriptor for the same; -1 of none.
int copy_of(const Descriptor& descriptor);

// The descriptors of each file: of the message, or of who started this process. The spec outlives what is returned.
Result<std::vector<Given>> assign(const Spec& spec, std::vector<Descriptor> descriptors,
                                  std::span<const Launch::Grant> grants);

// Before the seal: reads the limits in /sys, which is not to be seen later, and asks devices what they are where the
// work wants to know: a filter could not tell these commands from others. No byte of a file is looked at, nor of an
// answer.
Result<void> open_devices(std::vector<Given>& all, const Work& work);

}  // namespace disklathe::job
