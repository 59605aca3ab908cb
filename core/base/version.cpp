// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/version.h"

#include "core/base/version_number.h"

namespace disklathe {

std::string_view version() { return DISKLATHE_VERSION; }

}  // namespace disklathe
