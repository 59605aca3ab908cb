// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace disklathe::job {

// CBOR (RFC 8949) from the other side: maps with text keys that differ, arrays, texts, integers, floats, booleans.
// Anything else, and what is nested deeper or has more items than a message of ours, is refused (`invalid`) before a
// value is made of it.
Result<nlohmann::json> parse_cbor(Bytes bytes);
std::vector<std::byte> cbor_of(const nlohmann::json& value);

}  // namespace disklathe::job
