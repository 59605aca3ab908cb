// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "app/cli/serving.h"
#include "core/nbd/export.h"

namespace disklathe::cli {

// From here on nothing is needed but the files that are open and the sockets that listen: this process gives up all
// else (docs/security.md). Not where a disk is another server's, which libraries bring by threads and connections of
// theirs.
Result<void> lock_in(const Serving& serving, const std::vector<nbd::Export*>& exports);

}  // namespace disklathe::cli
