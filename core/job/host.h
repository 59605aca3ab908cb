// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "core/device/descriptor.h"
#include "core/device/file_device.h"
#include "core/device/identify.h"
#include "core/io/stop.h"
#include "core/job/message.h"

namespace disklathe::job {

// What a running job has of the world outside: a worker's channel and the descriptors it was given. Called on the
// thread that performs the job.
class Host {
 public:
  virtual ~Host() = default;

  virtual const Spec& spec() const = 0;

  // A given file, to be used once. `invalid` for one that is a pipe: pipe() has its descriptor then, else -1.
  virtual Result<std::unique_ptr<FileDevice>> take(Role role) = 0;
  virtual int pipe(Role role) const = 0;
  // What a device answered when it was asked what it is; none: it was not asked, or has not answered.
  virtual const std::vector<DeviceAnswer>& answers(Role role) const = 0;
  // The sockets where clients of an export come; they do not block. Once.
  virtual std::vector<Descriptor> take_sockets(Role role) = 0;
  // What was written, to be read back: from the medium where that can be had.
  virtual Result<std::unique_ptr<FileDevice>> again(Role role) = 0;

  // A file that an image names. Waits for the answer.
  virtual Result<std::unique_ptr<FileDevice>> ask(Question question) = 0;

  virtual void note(Note note) = 0;
  virtual Result<void> piece(Piece piece) = 0;
};

// Does what the spec says. Blocks; progress and stop are for other threads.
Result<Outcome> perform(Host& host, Progress& progress, const Stop& stop);

}  // namespace disklathe::job
