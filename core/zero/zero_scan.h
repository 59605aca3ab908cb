// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

#include "core/base/bytes.h"

namespace disklathe {

// Whether all bytes are zero. Uses the widest vectors the processor has; stops at the first 256 bytes that are not.
bool all_zero(Bytes bytes);

// The offset of the first byte that is not zero, or bytes.size().
size_t first_nonzero(Bytes bytes);

}  // namespace disklathe
