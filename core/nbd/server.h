// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/device/descriptor.h"
#include "core/io/io_backend.h"
#include "core/nbd/export.h"
#include "core/nbd/handshake.h"
#include "core/nbd/tls.h"

namespace disklathe::nbd {

struct ServerLimits {
  unsigned connections = 64;                    // at a time
  std::chrono::milliseconds handshake{10'000};  // that a client has to say what it wants
  std::chrono::milliseconds idle{0};            // after so long without a request a client is sent away; 0: never
  std::chrono::milliseconds drain{5'000};       // at the end, for requests under way
};

// Serves exports to whoever connects: a thread a client. Clients cannot harm each other: when all places are taken, the
// one that has been in its handshake longest makes room.
class Server {
 public:
  // The exports and credentials outlive it. tls: who does not speak it is served nothing; null: nobody does.
  static Result<std::unique_ptr<Server>> create(std::vector<Export*> exports, const ServerLimits& limits,
                                                const TlsCredentials* tls = nullptr);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Something outside that may end the serving: asked when its descriptor is readable.
  struct Event {
    int fd;
    std::function<bool()> ends;
  };
  // Until an event ends it, or with once: until the first client that used an export has left, and no other is there.
  // Then what is under way is answered, and all clients are sent away.
  // Listeners do not block.
  void run(std::span<const Descriptor> listeners, std::span<const Event> events, bool once);

 private:
  struct Client;
  using Time = std::chrono::steady_clock::time_point;

  Server(std::vector<Export*> exports, const ServerLimits& limits, const TlsCredentials* tls, WakeEvent wake);
  bool accept_client(int listener);
  void serve(Client& client);
  bool negotiate(Client& client, Handshake& handshake, std::vector<std::byte>& received);
  bool make_room();
  void reap();
  void look_after(Time now);
  void drain();

  const std::vector<Export*> exports_;
  const ServerLimits limits_;
  const TlsCredentials* const tls_;
  const WakeEvent wake_;  // a client has left
  std::list<Client> clients_;
  bool served_ = false;  // a client that used an export has left
};

}  // namespace disklathe::nbd
