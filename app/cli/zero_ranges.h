// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"

namespace disklathe::cli {

// "AT+LENGTH" each, as "1G+64M"; none: all of it. In order, apart and inside `size`; those that meet become one.
Result<std::vector<Range>> parse_ranges(const std::vector<std::string>& words, uint64_t size);

}  // namespace disklathe::cli
