// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/device/target_guard.h"

namespace disklathe::cli {

// The rule (docs/adr/0011): a device is overwritten only after its ID, the column of `disklathe devices`, was typed on
// the terminal or said by --yes-erase.
struct EraseRequest {
  std::vector<Range> ranges;  // of the device that will be overwritten; empty: all of it
  std::string yes_erase;      // --yes-erase; empty: ask
};

// What is on the device and will be lost: a line each, "loop0p1  64 MB  ext4 'my data'".
std::vector<std::string> lines_of(const ChosenDevice& chosen, const EraseRequest& request);

// Who has it open: a warning each, as nothing keeps them from writing to it, or reading it, meanwhile.
std::vector<std::string> opener_warnings(const ChosenDevice& chosen);

// Shows that on stderr and takes the answer. Error `refused`: another ID, no terminal to ask on, or no answer.
Result<void> confirm_erase(const ChosenDevice& chosen, const EraseRequest& request);

}  // namespace disklathe::cli
