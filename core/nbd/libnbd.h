// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <libnbd.h>

#include "core/base/result.h"

namespace disklathe::nbd {

// What is used of libnbd. It is loaded when the first URI is opened, with GnuTLS behind it: a command that meets none
// starts without the milliseconds that takes.
struct LibNbd {
  static Result<const LibNbd*> load();  // `unsupported` where it is not installed

  decltype(&::nbd_create) create;
  decltype(&::nbd_close) close;
  decltype(&::nbd_get_error) get_error;
  decltype(&::nbd_get_errno) get_errno;
  decltype(&::nbd_aio_connect_uri) aio_connect_uri;
  decltype(&::nbd_aio_is_connecting) aio_is_connecting;
  decltype(&::nbd_aio_is_ready) aio_is_ready;
  decltype(&::nbd_poll) poll;
  decltype(&::nbd_set_uri_allow_local_file) set_uri_allow_local_file;
  decltype(&::nbd_add_meta_context) add_meta_context;
  decltype(&::nbd_can_meta_context) can_meta_context;
  decltype(&::nbd_get_extended_headers_negotiated) get_extended_headers_negotiated;
  decltype(&::nbd_get_size) get_size;
  decltype(&::nbd_get_block_size) get_block_size;
  decltype(&::nbd_is_read_only) is_read_only;
  decltype(&::nbd_is_rotational) is_rotational;
  decltype(&::nbd_can_zero) can_zero;
  decltype(&::nbd_can_trim) can_trim;
  decltype(&::nbd_can_flush) can_flush;
  decltype(&::nbd_can_multi_conn) can_multi_conn;
  decltype(&::nbd_aio_pread) aio_pread;
  decltype(&::nbd_aio_pwrite) aio_pwrite;
  decltype(&::nbd_aio_zero) aio_zero;
  decltype(&::nbd_aio_trim) aio_trim;
  decltype(&::nbd_aio_flush) aio_flush;
  decltype(&::nbd_aio_block_status_64) aio_block_status_64;
  decltype(&::nbd_aio_disconnect) aio_disconnect;
  decltype(&::nbd_aio_get_fd) aio_get_fd;
  decltype(&::nbd_aio_get_direction) aio_get_direction;
  decltype(&::nbd_aio_notify_read) aio_notify_read;
  decltype(&::nbd_aio_notify_write) aio_notify_write;
  decltype(&::nbd_aio_is_dead) aio_is_dead;
  decltype(&::nbd_aio_is_closed) aio_is_closed;
};

}  // namespace disklathe::nbd
