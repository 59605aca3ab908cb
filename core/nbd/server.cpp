// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/server.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

#include "core/nbd/cached_session.h"
#include "core/nbd/queued_session.h"

namespace disklathe::nbd {
namespace {

constexpr std::chrono::milliseconds look_interval{250};
constexpr unsigned most_accepted = 32;  // between looks at the others

enum class Phase : uint8_t { handshake, transmission, gone };

}  // namespace

struct Server::Client {
  Client(Descriptor socket, Time now) : connection(std::move(socket)), since(now), active(now) {}

  Connection connection;
  const Time since;
  std::atomic<Phase> phase{Phase::handshake};
  std::atomic<bool> used_export{false};
  Traffic traffic;
  // Of the watching thread.
  Time active;
  uint64_t requests_seen = 0;
  std::thread thread;
};

Result<std::unique_ptr<Server>> Server::create(std::vector<Export*> exports, const ServerLimits& limits,
                                               const TlsCredentials* tls) {
  auto wake = WakeEvent::create();
  if (!wake) return failure(wake);
  return std::unique_ptr<Server>(new Server(std::move(exports), limits, tls, std::move(*wake)));
}

Server::Server(std::vector<Export*> exports, const ServerLimits& limits, const TlsCredentials* tls, WakeEvent wake)
    : exports_(std::move(exports)), limits_(limits), tls_(tls), wake_(std::move(wake)) {}

Server::~Server() = default;

void Server::run(std::span<const Descriptor> listeners, std::span<const Event> events, bool once) {
  std::vector<pollfd> watched{{.fd = wake_.fd(), .events = POLLIN, .revents = 0}};
  for (const Descriptor& listener : listeners)
    watched.push_back({.fd = listener.get(), .events = POLLIN, .revents = 0});
  for (const Event& event : events) watched.push_back({.fd = event.fd, .events = POLLIN, .revents = 0});
  const std::span<const pollfd> outside = std::span(watched).subspan(1 + listeners.size());
  for (bool over = false; !over;) {
    const int timeout = clients_.empty() ? -1 : static_cast<int>(look_interval.count());
    if (poll(watched.data(), watched.size(), timeout) < 0) continue;
    if (watched[0].revents != 0) wake_.drain();
    reap();
    look_after(std::chrono::steady_clock::now());
    over = once && served_ && clients_.empty();
    for (size_t i = 0; i < events.size(); ++i) over |= outside[i].revents != 0 && events[i].ends();
    for (size_t i = 0; i < listeners.size() && !over; ++i) {
      for (unsigned k = 0; k < most_accepted && watched[i + 1].revents != 0 && accept_client(listeners[i].get()); ++k) {
      }
    }
  }
  drain();
}

// False: nobody was there.
bool Server::accept_client(int listener) {
  Descriptor socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.open()) {
    // Out of descriptors or memory: the client waits in the kernel, and this thread is not to spin.
    if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) std::this_thread::sleep_for(look_interval / 5);
    return false;
  }
  if (!make_room()) return true;
  Client& client = clients_.emplace_back(std::move(socket), std::chrono::steady_clock::now());
  try {
    client.thread = std::thread([this, &client] {
      try {
        serve(client);
      } catch (const std::exception&) {
        // No memory for this client: it is sent away.
      }
      client.connection.cut();
      client.phase = Phase::gone;
      wake_.raise();
    });
  } catch (const std::system_error&) {
    clients_.pop_back();
  }
  return true;
}

bool Server::make_room() {
  const auto present = [](const Client& client) { return client.phase != Phase::gone; };
  if (static_cast<unsigned>(std::ranges::count_if(clients_, present)) < limits_.connections) return true;
  const auto gives_way = [](Client& client) {
    Phase expected = Phase::handshake;
    return client.phase.compare_exchange_strong(expected, Phase::gone);
  };
  const auto oldest = std::ranges::find_if(clients_, gives_way);
  if (oldest == clients_.end()) return false;
  oldest->connection.cut();
  oldest->thread.join();
  clients_.erase(oldest);
  return true;
}

void Server::reap() {
  for (auto client = clients_.begin(); client != clients_.end();) {
    if (client->phase != Phase::gone) {
      ++client;
      continue;
    }
    client->thread.join();
    served_ |= client->used_export;
    client = clients_.erase(client);
  }
}

// Sends away who takes too long. What waits for a client needs no clock of its own.
void Server::look_after(Time now) {
  for (Client& client : clients_) {
    if (client.phase == Phase::handshake && now - client.since > limits_.handshake) client.connection.cut();
    if (client.phase != Phase::transmission || limits_.idle.count() == 0) continue;
    if (const uint64_t requests = client.traffic.requests; requests != client.requests_seen) {
      client.requests_seen = requests;
      client.active = now;
    } else if (now - std::max(client.active, client.since) > limits_.idle) {
      client.connection.end_requests();
    }
  }
}

void Server::drain() {
  for (Client& client : clients_) {
    if (client.phase == Phase::transmission)
      client.connection.end_requests();
    else
      client.connection.cut();
  }
  const Time deadline = std::chrono::steady_clock::now() + limits_.drain;
  while (!clients_.empty()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd woken{.fd = wake_.fd(), .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || poll(&woken, 1, static_cast<int>(left.count())) == 0) {
      for (Client& client : clients_) client.connection.cut();
      for (Client& client : clients_) client.thread.join();
      clients_.clear();
      return;
    }
    wake_.drain();
    reap();
  }
}

// On the client's thread, to its end.
void Server::serve(Client& client) {
  std::vector<const ExportInfo*> infos;
  for (Export* one : exports_) infos.push_back(&one->info());
  Handshake handshake(std::move(infos), tls_ ? TlsMode::required : TlsMode::none);
  std::vector<std::byte> received;
  if (!negotiate(client, handshake, received)) return;
  client.used_export = true;

  Export& chosen = *exports_[handshake.agreement().export_index];
  const std::unique_ptr<Access> access = chosen.access();
  const Terms terms{.info = chosen.info(), .agreement = handshake.agreement()};
  // TLS takes bytes in order; what is gained by many requests in flight is lost to it many times over.
  if (chosen.info().queued && !client.connection.is_secure())
    QueuedSession(client.connection, *access, terms, received, client.traffic).run();
  else
    CachedSession(client.connection, *access, terms, received, client.traffic).run();
}

// False: no transmission comes of it. received: what the client has sent after it already.
bool Server::negotiate(Client& client, Handshake& handshake, std::vector<std::byte>& received) {
  std::vector<std::byte> output = Handshake::greeting();
  for (;;) {
    if (handshake.state() == Handshake::State::transmitting) {
      // Before it is told so: from then on it does not make room for others. Or it just had to.
      Phase expected = Phase::handshake;
      if (!client.phase.compare_exchange_strong(expected, Phase::transmission)) return false;
    }
    if (!output.empty()) {
      iovec part{output.data(), output.size()};
      if (!client.connection.send({&part, 1})) return false;
      output.clear();
    }
    if (handshake.state() == Handshake::State::transmitting) return true;
    if (handshake.state() == Handshake::State::start_tls) {
      // What came in the clear after STARTTLS was said by nobody knows whom.
      if (!received.empty()) return false;
      auto session = TlsSession::accept(*tls_, client.connection.fd());
      if (!session) return false;
      client.connection.secure(std::move(session));
      handshake.tls_started();
    }
    if (handshake.state() != Handshake::State::negotiating) return false;
    const size_t taken = handshake.advance(received, output);
    received.erase(received.begin(), received.begin() + static_cast<std::ptrdiff_t>(taken));
    if (taken > 0) continue;
    const size_t before = received.size();
    received.resize(Handshake::max_message);
    const size_t count = client.connection.receive(MutableBytes(received).subspan(before));
    received.resize(before + count);
    if (count == 0) return false;
  }
}

}  // namespace disklathe::nbd
