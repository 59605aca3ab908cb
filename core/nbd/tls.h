// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace disklathe::nbd {

// What a server proves itself by, and asks clients for. GnuTLS does the work, and is loaded when the first of these is
// made. Any thread.
class TlsCredentials {
 public:
  // A folder with server-cert.pem, server-key.pem and ca-cert.pem, as QEMU and nbdkit name them. verify_clients: only
  // who has a certificate of that authority may come.
  static Result<std::unique_ptr<TlsCredentials>> from_certificates(const std::string& folder, bool verify_clients);
  // A file of lines "user:key in hexadecimal", as psktool(1) makes them.
  static Result<std::unique_ptr<TlsCredentials>> from_keys(const std::string& file);
  ~TlsCredentials();
  TlsCredentials(const TlsCredentials&) = delete;
  TlsCredentials& operator=(const TlsCredentials&) = delete;

 private:
  friend class TlsSession;
  struct State;
  explicit TlsCredentials(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// TLS on one connected socket that blocks. One thread.
class TlsSession {
 public:
  // The server's side of its handshake, to the end. Null: it failed, the connection is of no use any more. Both outlive
  // the session.
  static std::unique_ptr<TlsSession> accept(const TlsCredentials& credentials, int socket);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  size_t receive(MutableBytes into);  // 0: there will be nothing more
  bool send(Bytes bytes);

 private:
  struct State;
  explicit TlsSession(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace disklathe::nbd
