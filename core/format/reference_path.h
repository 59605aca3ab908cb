// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace disklathe {

// Where a name written inside an image leads: absolute as it is, relative from the folder the image is in, without a
// leading "file:". Nothing is looked up.
std::string resolve_reference(std::string_view image_path, std::string_view name);

}  // namespace disklathe
