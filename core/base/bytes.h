// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>

namespace disklathe {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

}  // namespace disklathe
