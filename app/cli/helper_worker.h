// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/cli/job.h"
#include "core/device/identity.h"
#include "core/job/client.h"

namespace disklathe::cli {

// Devices that this user may not open: the privileged helper opens them for a worker, when polkit says so (which may
// ask for a password, on the desktop or on this terminal). docs/security.md

// Whether it is a block device that this user may not open so, where there is a helper that may.
bool needs_helper(const std::string& path, bool writes);

// To be added to a Handover: what the helper gives the worker.
job::GivenFile granted_file(job::Role role, const std::string& path, CacheMode cache);

// Runs the job in a worker that has the device: action is the helper's ("convert", "zero"), path is what it is called
// here. Errors: `permission` (it was not allowed), `busy` and `refused` (it is not opened: in words), and the job's.
Result<job::Outcome> run_by_helper(std::string_view action, const std::string& path, const Identity& device,
                                   const job::Spec& spec, std::span<const int> descriptors, job::Callbacks callbacks,
                                   Job& job);

}  // namespace disklathe::cli
