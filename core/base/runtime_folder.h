// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/result.h"

namespace disklathe {

// A folder for sockets that nobody else can have put something into: "disklathe" in the user's runtime folder, or one
// in /tmp where there is no such thing. Made when it is missing. `refused` when others may write there.
Result<std::string> own_runtime_folder();

}  // namespace disklathe
