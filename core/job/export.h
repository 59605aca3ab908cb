// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/job/host.h"

namespace disklathe::job {

// See Export. What is under way when it is stopped has a moment to be answered.
Result<Outcome> perform_export(Host& host, const Export& asked, Progress& progress, const Stop& stop);

}  // namespace disklathe::job
