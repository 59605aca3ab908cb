// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/job/outcome.h"

namespace disklathe::cli {

// Says what a job found worth knowing, on stderr.
void print_note(const job::Note& note);

}  // namespace disklathe::cli
