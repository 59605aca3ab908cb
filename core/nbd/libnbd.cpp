// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/libnbd.h"

#include <string>

#include "core/base/late_library.h"

namespace disklathe::nbd {
namespace {

constexpr const char* library_name = "libnbd.so.0";

std::unexpected<Error> unavailable(std::string cause) {
  return failure(ErrorKind::unsupported, "open", std::move(cause));
}

Result<LibNbd> load_now() {
  LateLibrary library(library_name);
  if (!library.loaded()) return unavailable("NBD addresses need libnbd, which is not installed here");
  LibNbd api{};
  library.find("nbd_create", api.create);
  library.find("nbd_close", api.close);
  library.find("nbd_get_error", api.get_error);
  library.find("nbd_get_errno", api.get_errno);
  library.find("nbd_aio_connect_uri", api.aio_connect_uri);
  library.find("nbd_aio_is_connecting", api.aio_is_connecting);
  library.find("nbd_aio_is_ready", api.aio_is_ready);
  library.find("nbd_poll", api.poll);
  library.find("nbd_set_uri_allow_local_file", api.set_uri_allow_local_file);
  library.find("nbd_add_meta_context", api.add_meta_context);
  library.find("nbd_can_meta_context", api.can_meta_context);
  library.find("nbd_get_extended_headers_negotiated", api.get_extended_headers_negotiated);
  library.find("nbd_get_size", api.get_size);
  library.find("nbd_get_block_size", api.get_block_size);
  library.find("nbd_is_read_only", api.is_read_only);
  library.find("nbd_is_rotational", api.is_rotational);
  library.find("nbd_can_zero", api.can_zero);
  library.find("nbd_can_trim", api.can_trim);
  library.find("nbd_can_flush", api.can_flush);
  library.find("nbd_can_multi_conn", api.can_multi_conn);
  library.find("nbd_aio_pread", api.aio_pread);
  library.find("nbd_aio_pwrite", api.aio_pwrite);
  library.find("nbd_aio_zero", api.aio_zero);
  library.find("nbd_aio_trim", api.aio_trim);
  library.find("nbd_aio_flush", api.aio_flush);
  library.find("nbd_aio_block_status_64", api.aio_block_status_64);
  library.find("nbd_aio_disconnect", api.aio_disconnect);
  library.find("nbd_aio_get_fd", api.aio_get_fd);
  library.find("nbd_aio_get_direction", api.aio_get_direction);
  library.find("nbd_aio_notify_read", api.aio_notify_read);
  library.find("nbd_aio_notify_write", api.aio_notify_write);
  library.find("nbd_aio_is_dead", api.aio_is_dead);
  library.find("nbd_aio_is_closed", api.aio_is_closed);
  if (library.missing())
    return unavailable(std::string("the libnbd that is installed here is too old: it has no ") + library.missing());
  return api;
}

}  // namespace

Result<const LibNbd*> LibNbd::load() {
  static const Result<LibNbd> loaded = load_now();
  if (!loaded) return std::unexpected(loaded.error());
  return &*loaded;
}

}  // namespace disklathe::nbd
