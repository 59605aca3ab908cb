// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/remote_connection.h"

#include <poll.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "core/io/background_thread.h"
#include "core/nbd/block_status.h"
#include "core/nbd/protocol.h"

namespace disklathe::nbd {
namespace {

// What libnbd says in words, without the name of its function before it.
Error failure_of(const LibNbd& api, std::string_view operation) {
  Error error = os_failure(api.get_errno(), operation, {});
  const char* text = api.get_error();
  std::string_view words = text ? text : "";
  if (const size_t colon = words.find(": "); words.starts_with("nbd_") && colon != std::string_view::npos)
    words.remove_prefix(colon + 2);
  if (words.empty()) return error;
  error.cause = words;
  error.os_error = 0;  // its words have it
  return error;
}

int complete_command(void* data, int* error) {
  auto& call = *static_cast<OutsideCall*>(data);
  if (call.complete(*error)) call.finish();
  return 1;  // nobody else asks for it
}

nbd_completion_callback completion_of(OutsideCall& call) {
  return {.callback = complete_command, .user_data = &call, .free = nullptr};
}

struct Told {
  RemoteConnection::TellRun tell;
  void* told;
};

int tell_extents(void* data, const char* context, uint64_t, nbd_extent* entries, size_t count, int* error) {
  if (std::string_view(context) != allocation_context) return 0;
  const auto& told = *static_cast<const Told*>(data);
  for (size_t i = 0; i < count; ++i) {
    if (told.tell(told.told, entries[i].length, entries[i].flags)) continue;
    *error = EPROTO;
    return -1;
  }
  return 0;
}

}  // namespace

Result<std::unique_ptr<RemoteConnection>> RemoteConnection::open(const std::string& uri,
                                                                 std::chrono::milliseconds patience) {
  const auto api = LibNbd::load();
  if (!api) return std::unexpected(api.error());
  auto wake = WakeEvent::create();
  if (!wake) return failure(wake);
  nbd_handle* handle = (*api)->create();
  if (!handle) return failure(failure_of(**api, "open"));
  std::unique_ptr<RemoteConnection> connection(new RemoteConnection(**api, handle, std::move(*wake)));
  // The URI is the user's own words, so it may name files of theirs (keys).
  if ((*api)->set_uri_allow_local_file(handle, true) != 0 || (*api)->add_meta_context(handle, allocation_context) != 0)
    return failure(failure_of(**api, "open"));
  if (auto connected = connection->connect(uri, patience); !connected) return failure(connected);
  if (auto found = connection->find_facts(); !found) return failure(found);
  connection->thread_ = background_thread(&RemoteConnection::run, connection.get());
  return connection;
}

RemoteConnection::RemoteConnection(const LibNbd& api, nbd_handle* handle, WakeEvent wake)
    : api_(api), handle_(handle), wake_(std::move(wake)) {}

RemoteConnection::~RemoteConnection() {
  if (thread_.joinable()) {
    ending_ = true;
    wake_.raise();
    thread_.join();
    (void)api_.aio_disconnect(handle_, 0);
  }
  api_.close(handle_);
}

Result<void> RemoteConnection::connect(const std::string& uri, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  if (api_.aio_connect_uri(handle_, uri.c_str()) != 0) return failure(failure_of(api_, "open"));
  while (api_.aio_is_connecting(handle_) > 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    // Some servers let all connect, and speak to the next when another has left.
    if (left.count() <= 0)
      return failure(ErrorKind::busy, "open", "the server has let it connect, and does not speak to it");
    if (api_.poll(handle_, static_cast<int>(left.count())) < 0) return failure(failure_of(api_, "open"));
  }
  if (api_.aio_is_ready(handle_) > 0) return {};
  return failure(failure_of(api_, "open"));
}

Result<void> RemoteConnection::find_facts() {
  const int64_t size = api_.get_size(handle_);
  if (size < 0) return failure(failure_of(api_, "open"));
  const int64_t minimum = api_.get_block_size(handle_, LIBNBD_SIZE_MINIMUM);
  const int64_t maximum = api_.get_block_size(handle_, LIBNBD_SIZE_MAXIMUM);
  facts_.size = static_cast<uint64_t>(size);
  if (minimum > 0) facts_.minimum_block = static_cast<uint64_t>(minimum);
  if (maximum > 0) facts_.max_payload = std::min(facts_.max_payload, static_cast<uint64_t>(maximum));
  if (!std::has_single_bit(facts_.minimum_block) || facts_.minimum_block > (64 << 10) ||
      facts_.max_payload < facts_.minimum_block || facts_.size % facts_.minimum_block != 0)
    return failure(ErrorKind::corrupt, "open", "the server's sizes make no sense");
  facts_.max_payload -= facts_.max_payload % facts_.minimum_block;
  facts_.read_only = api_.is_read_only(handle_) > 0;
  facts_.rotational = api_.is_rotational(handle_) > 0;
  facts_.can_zero = api_.can_zero(handle_) > 0;
  facts_.can_trim = api_.can_trim(handle_) > 0;
  facts_.can_flush = api_.can_flush(handle_) > 0;
  facts_.can_multi_conn = api_.can_multi_conn(handle_) > 0;
  facts_.has_allocation = api_.can_meta_context(handle_, allocation_context) > 0;
  facts_.long_lengths = api_.get_extended_headers_negotiated(handle_) > 0;
  return {};
}

// Until the connection is over; libnbd then fails what was under way, and all that comes later.
void RemoteConnection::run() {
  while (!ending_ && api_.aio_is_dead(handle_) == 0 && api_.aio_is_closed(handle_) == 0) {
    const unsigned direction = api_.aio_get_direction(handle_);
    const int events = ((direction & LIBNBD_AIO_DIRECTION_READ) ? POLLIN : 0) |
                       ((direction & LIBNBD_AIO_DIRECTION_WRITE) ? POLLOUT : 0);
    pollfd watched[] = {{.fd = api_.aio_get_fd(handle_), .events = static_cast<short>(events), .revents = 0},
                        {.fd = wake_.fd(), .events = POLLIN, .revents = 0}};
    if (poll(watched, std::size(watched), -1) < 0) continue;
    if (watched[1].revents != 0) wake_.drain();
    // It may have changed while this thread waited: another one submitted.
    const unsigned now = api_.aio_get_direction(handle_);
    if ((watched[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && (now & LIBNBD_AIO_DIRECTION_READ) != 0)
      (void)api_.aio_notify_read(handle_);
    else if ((watched[0].revents & (POLLOUT | POLLHUP | POLLERR)) != 0 && (now & LIBNBD_AIO_DIRECTION_WRITE) != 0)
      (void)api_.aio_notify_write(handle_);
  }
}

void RemoteConnection::submitted(OutsideCall& call, int64_t cookie) {
  if (cookie < 0) {
    const int error = api_.get_errno();
    // Of a connection that has ended libnbd says that it is in no state for commands.
    const bool ended = api_.aio_is_dead(handle_) != 0 || api_.aio_is_closed(handle_) != 0;
    // The submitter still holds its own share, so this is not the end.
    (void)call.complete(ended ? ENOTCONN : error ? error : EIO);
    return;
  }
  if ((api_.aio_get_direction(handle_) & LIBNBD_AIO_DIRECTION_WRITE) != 0) wake_.raise();
}

void RemoteConnection::read(OutsideCall& call, uint64_t at, MutableBytes into) {
  call.add();
  submitted(call, api_.aio_pread(handle_, into.data(), into.size(), at, completion_of(call), 0));
}

void RemoteConnection::write(OutsideCall& call, uint64_t at, Bytes from) {
  call.add();
  submitted(call, api_.aio_pwrite(handle_, from.data(), from.size(), at, completion_of(call), 0));
}

void RemoteConnection::zero(OutsideCall& call, uint64_t at, uint64_t length, bool keep) {
  call.add();
  const uint32_t flags = keep ? LIBNBD_CMD_FLAG_NO_HOLE : 0;
  submitted(call, api_.aio_zero(handle_, length, at, completion_of(call), flags));
}

void RemoteConnection::trim(OutsideCall& call, uint64_t at, uint64_t length) {
  call.add();
  submitted(call, api_.aio_trim(handle_, length, at, completion_of(call), 0));
}

void RemoteConnection::flush(OutsideCall& call) {
  call.add();
  submitted(call, api_.aio_flush(handle_, completion_of(call), 0));
}

void RemoteConnection::block_status(OutsideCall& call, uint64_t at, uint64_t length, TellRun tell, void* told) {
  call.add();
  const nbd_extent64_callback each{.callback = tell_extents,
                                   .user_data = new Told{.tell = tell, .told = told},
                                   .free = [](void* data) { delete static_cast<Told*>(data); }};
  submitted(call, api_.aio_block_status_64(handle_, length, at, each, completion_of(call), 0));
}

}  // namespace disklathe::nbd
