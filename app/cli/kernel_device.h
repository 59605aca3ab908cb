// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"

namespace disklathe::cli {

// The N of /dev/nbdN; `invalid` for any other name.
Result<unsigned> index_of_nbd_device(const std::string& node);
std::string nbd_device_node(unsigned index);

// Who serves it; nothing: nobody does.
std::optional<int> server_of_nbd_device(unsigned index);

// Loads the driver, where that can be done by this user and has not been done yet.
void load_nbd_driver();

// Takes the device from the kernel when what was written to it has reached its server; of one whose server is gone, at
// once. `busy` while something holds it.
Result<void> release_nbd_device(unsigned index, bool has_server);

}  // namespace disklathe::cli
