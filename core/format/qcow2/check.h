// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/check.h"

namespace disklathe::qcow2 {

// Counts the references to every cluster of the file and compares them with its refcounts; entries that lead nowhere;
// the "copied" flags of the active state. Numbers are those of qemu-img check. Memory: 32 MiB of counters at most, for
// 2^24 clusters at a time; a larger file has its tables read once for each such part that something refers to.
Result<CheckReport> check(const CheckRequest& request);

}  // namespace disklathe::qcow2
