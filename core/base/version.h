// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace disklathe {

std::string_view version();  // "0.1.0"

}  // namespace disklathe
