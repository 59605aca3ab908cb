// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/nbd/export.h"
#include "core/nbd/protocol.h"

namespace disklathe::nbd {

// What client and server have agreed on when transmission begins.
struct Agreement {
  Dialect dialect = Dialect::simple;
  size_t export_index = 0;         // into the exports the handshake was made with
  std::vector<uint32_t> contexts;  // selected, into ExportInfo::contexts. Their id is that + 1
};

uint16_t transmission_flags(const ExportInfo& info, Dialect dialect);

enum class TlsMode : uint8_t {
  none,      // not offered
  required,  // nothing but STARTTLS is answered before it
};

// The server's side of the fixed newstyle handshake, as a function from bytes to bytes: it knows no socket. Bounded:
// in the length of an option, in their number, and in what it answers at a time.
class Handshake {
 public:
  // The exports' infos outlive it.
  Handshake(std::vector<const ExportInfo*> exports, TlsMode tls) : exports_(std::move(exports)), tls_(tls) {}

  enum class State : uint8_t {
    negotiating,
    start_tls,     // the answer is out; TLS begins at once, then tls_started()
    transmitting,  // the answer that says so is out, agreement() holds
    closing,       // send what there is to send, and close
  };
  State state() const { return state_; }
  const Agreement& agreement() const { return agreement_; }

  // The first bytes, which the server sends unasked.
  static std::vector<std::byte> greeting();

  // Takes what it can of `input`, whole messages only, and appends what is to be sent. Returns how many bytes it took;
  // 0 with state negotiating: it needs more than there are. max_message bytes are always enough.
  size_t advance(Bytes input, std::vector<std::byte>& output);

  // Forgets whatever was said before TLS.
  void tls_started();

  static constexpr size_t max_message = 16 + (32 << 10);

 private:
  size_t take(Bytes input, std::vector<std::byte>& output);
  void answer(Option option, Bytes data, std::vector<std::byte>& output);
  void answer_export_name(Bytes data, std::vector<std::byte>& output);
  void answer_list(Bytes data, std::vector<std::byte>& output) const;
  void answer_info(Option option, Bytes data, std::vector<std::byte>& output);
  void answer_dialect(Option option, Bytes data, std::vector<std::byte>& output);
  void answer_meta_context(Option option, Bytes data, std::vector<std::byte>& output);
  std::optional<size_t> find_export(std::string_view name) const;
  void begin_transmission(size_t export_index);

  const std::vector<const ExportInfo*> exports_;
  const TlsMode tls_;
  State state_ = State::negotiating;
  bool secure_ = false;
  bool greeted_ = false;  // the client's flags have come
  bool sends_zeroes_ = true;
  unsigned options_ = 0;
  uint64_t skipping_ = 0;  // bytes of an option that is too long
  Option skipped_{};
  std::optional<size_t> meta_export_;  // that the contexts were selected of
  Agreement agreement_;
};

}  // namespace disklathe::nbd
