// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/nbd/export.h"
#include "core/nbd/handshake.h"
#include "core/nbd/protocol.h"

namespace disklathe::nbd {

// By what one connection's requests are judged: the export it chose, and what was agreed on.
struct Terms {
  const ExportInfo& info;
  const Agreement& agreement;

  Dialect dialect() const { return agreement.dialect; }
};

// Whether the request may be carried out: ok, or what to answer. The one gate between a client and an export: what
// passes it lies inside the export, is no larger than max_payload where it has a payload in either direction, and
// writes only where that is allowed.
Code check(const Request& request, const Terms& terms);

// Whether it changes the export.
bool writes(const Request& request);

// Bytes that follow the request, whatever check() says of it.
uint64_t payload_of(const Request& request, const Terms& terms);

// A client that announces a longer one is dropped: no answer is worth reading that much.
inline constexpr uint64_t most_payload_read = 2 * uint64_t{max_payload};

}  // namespace disklathe::nbd
