// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <span>

#include "core/job/frame.h"
#include "core/job/message.h"

namespace disklathe::job {

// One end of a stream socket that carries messages. One thread at a time.
template <class Out, class In>
class Channel {
 public:
  // Takes the socket over; it does not block from here on.
  explicit Channel(Descriptor socket);

  int descriptor() const { return socket_.get(); }

  struct Received {
    In message;
    std::vector<Descriptor> descriptors;  // as many as belong to it
  };
  // The next message that is there as a whole; nothing: there is none yet, poll for POLLIN. Errors: `vanished`, the
  // other end is gone; `invalid`, it broke the protocol: nothing more can be said to it.
  Result<std::optional<Received>> receive();

  // As many descriptors as belong to the message; they stay the caller's. Waits for room in the socket at most that
  // long; then it is `busy`, and as good as gone if a part of the message was taken.
  Result<void> send(const Out& message, std::span<const int> descriptors = {},
                    std::chrono::milliseconds patience = std::chrono::seconds(1));

 private:
  Descriptor socket_;
  FrameReader reader_;
  bool ended_ = false;
};

using WorkerChannel = Channel<FromWorker, FromClient>;  // the worker's end
using ClientChannel = Channel<FromClient, FromWorker>;

extern template class Channel<FromWorker, FromClient>;
extern template class Channel<FromClient, FromWorker>;

struct SocketPair {
  Descriptor client, worker;
};
Result<SocketPair> make_socket_pair();

}  // namespace disklathe::job
