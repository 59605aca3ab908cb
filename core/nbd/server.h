// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/descriptor.h"
#include "core/io/io_backend.h"
#include "core/nbd/export.h"
#include "core/nbd/handshake.h"
#include "core/nbd/session_threads.h"
#include "core/nbd/tls.h"
#include "core/nbd/touch_map.h"

namespace disklathe::nbd {

struct ServerLimits {
  unsigned connections = 64;                    // at a time
  std::chrono::milliseconds handshake{10'000};  // that a client has to say what it wants
  std::chrono::milliseconds idle{0};            // after so long without a request a client is sent away; 0: never
  std::chrono::milliseconds drain{5'000};       // at the end, for requests under way
};

// What is known of a client that is there.
struct ClientInfo {
  uint64_t id = 0;  // of no other client of this server
  std::string peer;
  std::optional<size_t> export_index;  // nothing: it has not chosen one yet
  bool secure = false;                 // by TLS
  double seconds = 0;                  // since it came
  uint64_t requests = 0, bytes_read = 0, bytes_written = 0;
  double read_rate = 0, write_rate = 0;  // bytes a second, of the last one or two
  std::vector<Range> read, written;      // parts of the export that it touched, roughly
};

// What the clients of an export that have left asked for, all together.
struct Departed {
  uint64_t clients = 0;
  uint64_t requests = 0, bytes_read = 0, bytes_written = 0;
  TouchMap read_parts, written_parts;
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

  // A client that needs no handshake: it knows the export, and speaks with simple replies. Before run(), which goes on
  // with it; it is served from here on.
  void adopt(Descriptor socket, size_t export_index);

  // Something outside that may end the serving: asked when its descriptor is readable.
  struct Event {
    int fd;
    std::function<bool()> ends;
  };
  // Until an event ends it, or with once: until the first client that used an export has left, and no other is there.
  // Then what is under way is answered, and all clients are sent away.
  // Listeners do not block.
  void run(std::span<const Descriptor> listeners, std::span<const Event> events, bool once);

  // From an event, that is, within run(): who is there.
  std::vector<ClientInfo> clients() const;
  // The same: who was there. A client is told of by clients() or counted here, never both.
  const Departed& departed(size_t export_index) const { return departed_[export_index]; }
  // The same: sends a client away, and does not let it in again (Peer::host). False: there is none of that id.
  bool revoke(uint64_t id);

 private:
  struct Client;
  using Time = std::chrono::steady_clock::time_point;

  Server(std::vector<Export*> exports, const ServerLimits& limits, const TlsCredentials* tls, WakeEvent wake);
  bool accept_client(int listener);
  void begin(Client& client, std::optional<size_t> chosen);
  void serve(Client& client, std::optional<size_t> chosen, const SessionThreads::RingOf& ring_of);
  void wait_for_end_of(const Client& client);
  std::optional<Agreement> negotiate(Client& client, std::vector<std::byte>& received);
  bool make_room();
  void reap();
  void count_departed(const Client& client);
  void look_after(Time now);
  bool is_kept_out(const std::string& host) const;
  void drain();

  const std::vector<Export*> exports_;
  const ServerLimits limits_;
  const TlsCredentials* const tls_;
  const WakeEvent wake_;  // a client has left
  std::list<Client> clients_;
  std::vector<Departed> departed_;  // of each export
  uint64_t last_id_ = 0;
  std::deque<std::string> kept_out_;  // the latest of them
  bool served_ = false;               // a client that used an export has left
  std::mutex mutex_;
  std::condition_variable ended_;  // a client's thread is done with it
  SessionThreads threads_;
};

}  // namespace disklathe::nbd
