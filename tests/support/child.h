// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace disklathe::test {

// Runs the function in a forked process, and returns what it returned (0..255), or 256 + the signal it died of.
// For what cannot be undone in one's own process: filters, mounts.
int in_child(int (*function)(const std::string& argument), const std::string& argument = {});

// From here on, in this process, the system call fails with this errno. False where the kernel has no filters.
bool deny_system_call(long number, int os_error);
// The same, only when all bits of the mask are set in the argument (counted from 0).
bool deny_system_call(long number, unsigned argument, uint32_t mask, int os_error);

// Gives this process its own mounts, and a tmpfs of this size there. False where that is not allowed.
bool mount_small_tmpfs(const std::string& folder, uint64_t size);

}  // namespace disklathe::test
