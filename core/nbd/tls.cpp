// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/tls.h"

#include <gnutls/gnutls.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "core/base/late_library.h"

namespace disklathe::nbd {
namespace {

constexpr const char* library_name = "libgnutls.so.30";
// What the library calls normal, and no older protocol; keys of users besides, where those are the credentials.
constexpr const char* certificate_priority = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
constexpr const char* key_priority = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:+ECDHE-PSK:+DHE-PSK:+PSK";

struct GnuTls {
  decltype(&::gnutls_strerror) strerror;
  decltype(&::gnutls_error_is_fatal) error_is_fatal;
  decltype(&::gnutls_certificate_allocate_credentials) certificate_allocate_credentials;
  decltype(&::gnutls_certificate_free_credentials) certificate_free_credentials;
  decltype(&::gnutls_certificate_set_x509_key_file) certificate_set_x509_key_file;
  decltype(&::gnutls_certificate_set_x509_trust_file) certificate_set_x509_trust_file;
  decltype(&::gnutls_certificate_server_set_request) certificate_server_set_request;
  decltype(&::gnutls_psk_allocate_server_credentials) psk_allocate_server_credentials;
  decltype(&::gnutls_psk_free_server_credentials) psk_free_server_credentials;
  decltype(&::gnutls_psk_set_server_credentials_function) psk_set_server_credentials_function;
  decltype(&::gnutls_session_set_ptr) session_set_ptr;
  decltype(&::gnutls_session_get_ptr) session_get_ptr;
  decltype(&::gnutls_init) init;
  decltype(&::gnutls_deinit) deinit;
  decltype(&::gnutls_priority_set_direct) priority_set_direct;
  decltype(&::gnutls_credentials_set) credentials_set;
  decltype(&::gnutls_session_set_verify_cert) session_set_verify_cert;
  decltype(&::gnutls_transport_set_int2) transport_set_int2;
  decltype(&::gnutls_handshake) handshake;
  decltype(&::gnutls_record_recv) record_recv;
  decltype(&::gnutls_record_send) record_send;
  decltype(&::gnutls_bye) bye;
};

Result<GnuTls> load_now() {
  LateLibrary library(library_name);
  GnuTls api{};
  library.find("gnutls_strerror", api.strerror);
  library.find("gnutls_error_is_fatal", api.error_is_fatal);
  library.find("gnutls_certificate_allocate_credentials", api.certificate_allocate_credentials);
  library.find("gnutls_certificate_free_credentials", api.certificate_free_credentials);
  library.find("gnutls_certificate_set_x509_key_file", api.certificate_set_x509_key_file);
  library.find("gnutls_certificate_set_x509_trust_file", api.certificate_set_x509_trust_file);
  library.find("gnutls_certificate_server_set_request", api.certificate_server_set_request);
  library.find("gnutls_psk_allocate_server_credentials", api.psk_allocate_server_credentials);
  library.find("gnutls_psk_free_server_credentials", api.psk_free_server_credentials);
  library.find("gnutls_psk_set_server_credentials_function", api.psk_set_server_credentials_function);
  library.find("gnutls_session_set_ptr", api.session_set_ptr);
  library.find("gnutls_session_get_ptr", api.session_get_ptr);
  library.find("gnutls_init", api.init);
  library.find("gnutls_deinit", api.deinit);
  library.find("gnutls_priority_set_direct", api.priority_set_direct);
  library.find("gnutls_credentials_set", api.credentials_set);
  library.find("gnutls_session_set_verify_cert", api.session_set_verify_cert);
  library.find("gnutls_transport_set_int2", api.transport_set_int2);
  library.find("gnutls_handshake", api.handshake);
  library.find("gnutls_record_recv", api.record_recv);
  library.find("gnutls_record_send", api.record_send);
  library.find("gnutls_bye", api.bye);
  if (!library.missing()) return api;
  return failure(ErrorKind::unsupported, "use TLS", "it needs GnuTLS 3, which is not installed here");
}

Result<const GnuTls*> load() {
  static const Result<GnuTls> loaded = load_now();
  if (!loaded) return std::unexpected(loaded.error());
  return &*loaded;
}

std::unexpected<Error> unusable(const std::string& path, std::string cause) {
  return failure(Error{.kind = ErrorKind::invalid, .operation = "use", .subject = path, .cause = std::move(cause)});
}

// The users of a file as psktool(1) makes it: "name:key in hexadecimal" a line.
struct Keys {
  std::map<std::string, std::string, std::less<>> of;  // bytes
};

std::optional<std::string> bytes_of(std::string_view hexadecimal) {
  std::string bytes;
  if (hexadecimal.empty() || hexadecimal.size() % 2 != 0) return std::nullopt;
  for (size_t at = 0; at < hexadecimal.size(); at += 2) {
    unsigned char byte = 0;
    const auto [end, error] = std::from_chars(hexadecimal.data() + at, hexadecimal.data() + at + 2, byte, 16);
    if (error != std::errc() || end != hexadecimal.data() + at + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

Result<Keys> read_keys(const std::string& file) {
  Keys keys;
  std::ifstream lines(file);
  if (!lines) return failure(os_failure(errno, "read", file));
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(':');
    const auto key = colon == std::string::npos ? std::nullopt : bytes_of(std::string_view(line).substr(colon + 1));
    if (line.empty()) continue;
    if (!key) return unusable(file, "a line is not a name, a colon and a key in hexadecimal");
    keys.of[line.substr(0, colon)] = *key;
  }
  if (keys.of.empty()) return unusable(file, "there is no key in it");
  return keys;
}

}  // namespace

struct TlsCredentials::State {
  const GnuTls& api;
  Keys known;
  gnutls_certificate_credentials_t certificates = nullptr;
  gnutls_psk_server_credentials_t keys = nullptr;
  bool verify_clients = false;

  ~State() {
    if (certificates) api.certificate_free_credentials(certificates);
    if (keys) api.psk_free_server_credentials(keys);
  }
};

namespace {

// For GnuTLS, which frees the key. Who is not known gets a key all the same, as he is not to learn that he is not.
int find_key(gnutls_session_t session, const char* name, gnutls_datum_t* key) {
  constexpr size_t length = 32;
  const GnuTls* api = load().value();
  const auto& known = *static_cast<const Keys*>(api->session_get_ptr(session));
  const auto found = known.of.find(std::string_view(name));
  const size_t size = found == known.of.end() ? length : found->second.size();
  key->data = static_cast<unsigned char*>(std::malloc(size));
  if (!key->data) return -1;
  key->size = static_cast<unsigned>(size);
  if (found != known.of.end())
    std::memcpy(key->data, found->second.data(), size);
  else if (getrandom(key->data, size, 0) != static_cast<ssize_t>(size))
    return -1;
  return 0;
}

}  // namespace

TlsCredentials::TlsCredentials(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsCredentials::~TlsCredentials() = default;

Result<std::unique_ptr<TlsCredentials>> TlsCredentials::from_certificates(const std::string& folder,
                                                                          bool verify_clients) {
  const auto api = load();
  if (!api) return std::unexpected(api.error());
  auto state = std::make_unique<State>(**api);
  state->verify_clients = verify_clients;
  const std::string certificate = folder + "/server-cert.pem", key = folder + "/server-key.pem",
                    authority = folder + "/ca-cert.pem";
  for (const std::string& file : {certificate, key})
    if (access(file.c_str(), R_OK) != 0) return failure(os_failure(errno, "read", file));
  if (verify_clients && access(authority.c_str(), R_OK) != 0) return failure(os_failure(errno, "read", authority));
  if ((*api)->certificate_allocate_credentials(&state->certificates) != 0)
    return failure(ErrorKind::io, "use TLS", "out of memory");
  const int pair =
      (*api)->certificate_set_x509_key_file(state->certificates, certificate.c_str(), key.c_str(), GNUTLS_X509_FMT_PEM);
  if (pair < 0) return unusable(certificate, (*api)->strerror(pair));
  if (verify_clients) {
    const int count =
        (*api)->certificate_set_x509_trust_file(state->certificates, authority.c_str(), GNUTLS_X509_FMT_PEM);
    if (count <= 0) return unusable(authority, count < 0 ? (*api)->strerror(count) : "there is no certificate in it");
  }
  return std::unique_ptr<TlsCredentials>(new TlsCredentials(std::move(state)));
}

Result<std::unique_ptr<TlsCredentials>> TlsCredentials::from_keys(const std::string& file) {
  const auto api = load();
  if (!api) return std::unexpected(api.error());
  auto state = std::make_unique<State>(**api);
  if (access(file.c_str(), R_OK) != 0) return failure(os_failure(errno, "read", file));
  if ((*api)->psk_allocate_server_credentials(&state->keys) != 0)
    return failure(ErrorKind::io, "use TLS", "out of memory");
  auto known = read_keys(file);
  if (!known) return failure(known);
  state->known = std::move(*known);
  (*api)->psk_set_server_credentials_function(state->keys, find_key);
  return std::unique_ptr<TlsCredentials>(new TlsCredentials(std::move(state)));
}

struct TlsSession::State {
  const GnuTls& api;
  gnutls_session_t session = nullptr;
  bool established = false;

  ~State() {
    if (!session) return;
    // Without waiting for the other's answer: it may never come.
    if (established) (void)api.bye(session, GNUTLS_SHUT_WR);
    api.deinit(session);
  }
};

TlsSession::TlsSession(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsSession::~TlsSession() = default;

std::unique_ptr<TlsSession> TlsSession::accept(const TlsCredentials& credentials, int socket) {
  const TlsCredentials::State& proof = *credentials.state_;
  auto state = std::make_unique<State>(proof.api);
  if (proof.api.init(&state->session, GNUTLS_SERVER | GNUTLS_NO_SIGNAL) != 0) return nullptr;
  gnutls_session_t session = state->session;
  const bool by_key = proof.keys != nullptr;
  proof.api.session_set_ptr(session, const_cast<Keys*>(&proof.known));
  const int set = by_key ? proof.api.credentials_set(session, GNUTLS_CRD_PSK, proof.keys)
                         : proof.api.credentials_set(session, GNUTLS_CRD_CERTIFICATE, proof.certificates);
  if (set != 0 || proof.api.priority_set_direct(session, by_key ? key_priority : certificate_priority, nullptr) != 0)
    return nullptr;
  if (proof.verify_clients) {
    proof.api.certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
    proof.api.session_set_verify_cert(session, nullptr, 0);
  }
  proof.api.transport_set_int2(session, socket, socket);
  int result = 0;
  do {
    result = proof.api.handshake(session);
  } while (result < 0 && proof.api.error_is_fatal(result) == 0);
  if (result < 0) return nullptr;
  state->established = true;
  return std::unique_ptr<TlsSession>(new TlsSession(std::move(state)));
}

size_t TlsSession::receive(MutableBytes into) {
  for (;;) {
    const ssize_t count = state_->api.record_recv(state_->session, into.data(), into.size());
    if (count >= 0) return static_cast<size_t>(count);
    // A client that wants to negotiate anew is no client of NBD.
    if (count != GNUTLS_E_INTERRUPTED && count != GNUTLS_E_AGAIN) return 0;
  }
}

bool TlsSession::send(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t count = state_->api.record_send(state_->session, bytes.data(), bytes.size());
    if (count > 0) bytes = bytes.subspan(static_cast<size_t>(count));
    if (count <= 0 && count != GNUTLS_E_INTERRUPTED && count != GNUTLS_E_AGAIN) return false;
  }
  return true;
}

}  // namespace disklathe::nbd
