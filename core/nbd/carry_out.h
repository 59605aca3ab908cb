// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/ring.h"
#include "core/nbd/connection.h"
#include "core/nbd/export.h"
#include "core/nbd/protocol.h"

namespace disklathe::nbd {

// Carries out a request that passed check() and has no payload in either direction: flush, trim, cache, write zeroes;
// durably, where it has FUA. Long ranges go in steps: a connection that is cut meanwhile ends it.
Task<Code> carry_out(Access& access, Ring& ring, const Connection& connection, Request request);

}  // namespace disklathe::nbd
