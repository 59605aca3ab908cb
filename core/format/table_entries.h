// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/bytes.h"

namespace disklathe {

// How many entries from the first on have only zero bits. Tables of sparse images are mostly this. entry_size: a
// multiple of 8, bytes.
uint64_t leading_empty(Bytes entries, uint64_t entry_size);

}  // namespace disklathe
