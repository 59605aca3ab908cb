// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/libnbd.h"

#include <dlfcn.h>

#include <string>

namespace disklathe::nbd {
namespace {

constexpr const char* library_name = "libnbd.so.0";

template <class Function>
void find(void* library, const char* name, Function& into, std::string& missing) {
  into = reinterpret_cast<Function>(dlsym(library, name));
  if (!into) missing = name;
}

std::unexpected<Error> unavailable(std::string cause) {
  return failure(ErrorKind::unsupported, "open", std::move(cause));
}

Result<LibNbd> load_now() {
  void* library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return unavailable("NBD addresses need libnbd, which is not installed here");
  LibNbd api{};
  std::string missing;
  find(library, "nbd_create", api.create, missing);
  find(library, "nbd_close", api.close, missing);
  find(library, "nbd_get_error", api.get_error, missing);
  find(library, "nbd_get_errno", api.get_errno, missing);
  find(library, "nbd_connect_uri", api.connect_uri, missing);
  find(library, "nbd_set_uri_allow_local_file", api.set_uri_allow_local_file, missing);
  find(library, "nbd_add_meta_context", api.add_meta_context, missing);
  find(library, "nbd_can_meta_context", api.can_meta_context, missing);
  find(library, "nbd_get_extended_headers_negotiated", api.get_extended_headers_negotiated, missing);
  find(library, "nbd_get_size", api.get_size, missing);
  find(library, "nbd_get_block_size", api.get_block_size, missing);
  find(library, "nbd_is_read_only", api.is_read_only, missing);
  find(library, "nbd_is_rotational", api.is_rotational, missing);
  find(library, "nbd_can_zero", api.can_zero, missing);
  find(library, "nbd_can_flush", api.can_flush, missing);
  find(library, "nbd_can_multi_conn", api.can_multi_conn, missing);
  find(library, "nbd_aio_pread", api.aio_pread, missing);
  find(library, "nbd_aio_pwrite", api.aio_pwrite, missing);
  find(library, "nbd_aio_zero", api.aio_zero, missing);
  find(library, "nbd_aio_flush", api.aio_flush, missing);
  find(library, "nbd_aio_block_status_64", api.aio_block_status_64, missing);
  find(library, "nbd_aio_disconnect", api.aio_disconnect, missing);
  find(library, "nbd_aio_get_fd", api.aio_get_fd, missing);
  find(library, "nbd_aio_get_direction", api.aio_get_direction, missing);
  find(library, "nbd_aio_notify_read", api.aio_notify_read, missing);
  find(library, "nbd_aio_notify_write", api.aio_notify_write, missing);
  find(library, "nbd_aio_is_dead", api.aio_is_dead, missing);
  find(library, "nbd_aio_is_closed", api.aio_is_closed, missing);
  if (!missing.empty()) return unavailable("the libnbd that is installed here is too old: it has no " + missing);
  return api;
}

}  // namespace

Result<const LibNbd*> LibNbd::load() {
  static const Result<LibNbd> loaded = load_now();
  if (!loaded) return std::unexpected(loaded.error());
  return &*loaded;
}

}  // namespace disklathe::nbd
