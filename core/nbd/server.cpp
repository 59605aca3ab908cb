// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/server.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>

#include "core/nbd/cached_session.h"
#include "core/nbd/listener.h"
#include "core/nbd/queued_session.h"

namespace disklathe::nbd {
namespace {

constexpr std::chrono::milliseconds look_interval{250};
constexpr unsigned most_accepted = 32;  // between looks at the others
constexpr std::chrono::milliseconds rate_interval{1000};
constexpr size_t most_kept_out = 1000;

enum class Phase : uint8_t { handshake, transmission, gone };

}  // namespace

struct Server::Client {
  Client(Descriptor socket, uint64_t number, Peer who, Time now)
      : connection(std::move(socket)), id(number), peer(std::move(who)), since(now), active(now), sampled(now) {}

  Connection connection;
  const uint64_t id;
  const Peer peer;
  const Time since;
  std::atomic<Phase> phase{Phase::handshake};
  std::atomic<int64_t> export_index{-1};  // chosen; -1: none
  std::atomic<bool> secure{false};
  Traffic traffic;
  // Of the watching thread.
  Time active;
  uint64_t requests_seen = 0;
  Time sampled;
  uint64_t read_seen = 0, written_seen = 0;
  double read_rate = 0, write_rate = 0;
  bool over = false;  // no thread has to do with it any more; of Server::mutex_

  void sample(Time now) {
    const double seconds = std::chrono::duration<double>(now - sampled).count();
    const uint64_t read = traffic.bytes_read, written = traffic.bytes_written;
    read_rate = static_cast<double>(read - std::exchange(read_seen, read)) / seconds;
    write_rate = static_cast<double>(written - std::exchange(written_seen, written)) / seconds;
    sampled = now;
  }
};

Result<std::unique_ptr<Server>> Server::create(std::vector<Export*> exports, const ServerLimits& limits,
                                               const TlsCredentials* tls) {
  auto wake = WakeEvent::create();
  if (!wake) return failure(wake);
  return std::unique_ptr<Server>(new Server(std::move(exports), limits, tls, std::move(*wake)));
}

Server::Server(std::vector<Export*> exports, const ServerLimits& limits, const TlsCredentials* tls, WakeEvent wake)
    : exports_(std::move(exports)), limits_(limits), tls_(tls), wake_(std::move(wake)), departed_(exports_.size()) {
  for (size_t i = 0; i < exports_.size(); ++i) {
    departed_[i].read_parts.cover(exports_[i]->info().size);
    departed_[i].written_parts.cover(exports_[i]->info().size);
  }
}

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
  Accepted accepted = accept_from(listener);
  if (!accepted.socket.open()) {
    // Out of descriptors or memory: the client waits in the kernel, and this thread is not to spin.
    if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) std::this_thread::sleep_for(look_interval / 5);
    return false;
  }
  if (is_kept_out(accepted.peer.host) || !make_room()) return true;
  const Time now = std::chrono::steady_clock::now();
  begin(clients_.emplace_back(std::move(accepted.socket), ++last_id_, std::move(accepted.peer), now), std::nullopt);
  return true;
}

void Server::adopt(Descriptor socket, size_t export_index) {
  Peer peer{.text = "the kernel", .host = {}};
  begin(clients_.emplace_back(std::move(socket), ++last_id_, std::move(peer), std::chrono::steady_clock::now()),
        export_index);
}

// The client is the last of them.
void Server::begin(Client& client, std::optional<size_t> chosen) {
  if (chosen) client.phase = Phase::transmission;
  const bool started = threads_.start([this, &client, chosen](const SessionThreads::RingOf& ring_of) {
    try {
      serve(client, chosen, ring_of);
    } catch (const std::exception&) {
      // No memory for this client: it is sent away.
    }
    client.connection.cut();
    client.phase = Phase::gone;
    {
      const std::scoped_lock lock(mutex_);
      client.over = true;
    }
    ended_.notify_all();
    wake_.raise();
  });
  if (!started) clients_.pop_back();
}

void Server::wait_for_end_of(const Client& client) {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return client.over; });
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
  wait_for_end_of(*oldest);
  clients_.erase(oldest);
  return true;
}

void Server::reap() {
  for (auto client = clients_.begin(); client != clients_.end();) {
    if (client->phase != Phase::gone) {
      ++client;
      continue;
    }
    wait_for_end_of(*client);
    count_departed(*client);
    client = clients_.erase(client);
  }
}

void Server::count_departed(const Client& client) {
  const int64_t index = client.export_index;
  if (index < 0) return;
  served_ = true;
  Departed& all = departed_[static_cast<size_t>(index)];
  ++all.clients;
  all.requests += client.traffic.requests;
  all.bytes_read += client.traffic.bytes_read;
  all.bytes_written += client.traffic.bytes_written;
  for (const Range& range : client.traffic.read_parts.ranges()) all.read_parts.mark(range);
  for (const Range& range : client.traffic.written_parts.ranges()) all.written_parts.mark(range);
}

// Sends away who takes too long. What waits for a client needs no clock of its own.
void Server::look_after(Time now) {
  for (Client& client : clients_) {
    if (client.phase == Phase::handshake && now - client.since > limits_.handshake) client.connection.cut();
    if (now - client.sampled >= rate_interval) client.sample(now);
    if (client.phase != Phase::transmission || limits_.idle.count() == 0) continue;
    if (const uint64_t requests = client.traffic.requests; requests != client.requests_seen) {
      client.requests_seen = requests;
      client.active = now;
    } else if (now - std::max(client.active, client.since) > limits_.idle) {
      client.connection.end_requests();
    }
  }
}

bool Server::is_kept_out(const std::string& host) const {
  return !host.empty() && std::ranges::find(kept_out_, host) != kept_out_.end();
}

std::vector<ClientInfo> Server::clients() const {
  const Time now = std::chrono::steady_clock::now();
  std::vector<ClientInfo> found;
  for (const Client& client : clients_) {
    const int64_t index = client.export_index;
    found.push_back({.id = client.id,
                     .peer = client.peer.text,
                     .export_index = index < 0 ? std::nullopt : std::optional(static_cast<size_t>(index)),
                     .secure = client.secure,
                     .seconds = std::chrono::duration<double>(now - client.since).count(),
                     .requests = client.traffic.requests,
                     .bytes_read = client.traffic.bytes_read,
                     .bytes_written = client.traffic.bytes_written,
                     .read_rate = client.read_rate,
                     .write_rate = client.write_rate,
                     .read = client.traffic.read_parts.ranges(),
                     .written = client.traffic.written_parts.ranges()});
  }
  return found;
}

bool Server::revoke(uint64_t id) {
  const auto client = std::ranges::find(clients_, id, &Client::id);
  if (client == clients_.end() || client->phase == Phase::gone) return false;
  if (!client->peer.host.empty()) kept_out_.push_back(client->peer.host);
  if (kept_out_.size() > most_kept_out) kept_out_.pop_front();
  // Its other connections with it.
  for (Client& other : clients_)
    if (other.id == id || is_kept_out(other.peer.host)) other.connection.cut();
  return true;
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
      for (const Client& client : clients_) wait_for_end_of(client);
      clients_.clear();
      return;
    }
    wake_.drain();
    reap();
  }
}

// On the client's thread, to its end.
void Server::serve(Client& client, std::optional<size_t> chosen_before, const SessionThreads::RingOf& ring_of) {
  std::vector<std::byte> received;
  std::optional<Agreement> agreed;
  if (chosen_before)
    agreed = Agreement{.export_index = *chosen_before};
  else
    agreed = negotiate(client, received);
  if (!agreed) return;
  const Agreement& agreement = *agreed;
  Export& chosen = *exports_[agreement.export_index];
  client.traffic.read_parts.cover(chosen.info().size);
  client.traffic.written_parts.cover(chosen.info().size);
  client.export_index = static_cast<int64_t>(agreement.export_index);
  const std::unique_ptr<Access> access = chosen.access();
  const Terms terms{.info = chosen.info(), .agreement = agreement};
  // TLS takes bytes in order; what is gained by many requests in flight is lost to it many times over.
  if (chosen.info().queued && !client.connection.is_secure()) {
    if (const auto ring = ring_of())
      QueuedSession(client.connection, *access, terms, received, client.traffic, **ring).run();
  } else {
    CachedSession(client.connection, *access, terms, received, client.traffic).run();
  }
}

// Nothing: no transmission comes of it. received: what the client has sent after it already.
std::optional<Agreement> Server::negotiate(Client& client, std::vector<std::byte>& received) {
  std::vector<const ExportInfo*> infos;
  infos.reserve(exports_.size());
  for (Export* one : exports_) infos.push_back(&one->info());
  Handshake handshake(std::move(infos), tls_ ? TlsMode::required : TlsMode::none);
  std::vector<std::byte> output = Handshake::greeting();
  for (;;) {
    if (handshake.state() == Handshake::State::transmitting) {
      // Before it is told so: from then on it does not make room for others. Or it just had to.
      Phase expected = Phase::handshake;
      if (!client.phase.compare_exchange_strong(expected, Phase::transmission)) return std::nullopt;
    }
    if (!output.empty()) {
      iovec part{output.data(), output.size()};
      if (!client.connection.send({&part, 1})) return std::nullopt;
      output.clear();
    }
    if (handshake.state() == Handshake::State::transmitting) return handshake.agreement();
    if (handshake.state() == Handshake::State::start_tls) {
      // What came in the clear after STARTTLS was said by nobody knows whom.
      if (!received.empty()) return std::nullopt;
      auto session = TlsSession::accept(*tls_, client.connection.fd());
      if (!session) return std::nullopt;
      client.connection.secure(std::move(session));
      client.secure = true;
      handshake.tls_started();
    }
    if (handshake.state() != Handshake::State::negotiating) return std::nullopt;
    const size_t taken = handshake.advance(received, output);
    received.erase(received.begin(), received.begin() + static_cast<std::ptrdiff_t>(taken));
    if (taken > 0) continue;
    const size_t before = received.size();
    received.resize(Handshake::max_message);
    const size_t count = client.connection.receive(MutableBytes(received).subspan(before));
    received.resize(before + count);
    if (count == 0) return std::nullopt;
  }
}

}  // namespace disklathe::nbd
