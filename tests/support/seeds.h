// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

namespace disklathe::test {

// Whether what fuzzing of a target starts from (tests/fuzz/corpus/TARGET/seed-NAME) is exactly this: else what is
// wrong. With DISKLATHE_WRITE_SEEDS=1 in the environment the files are written anew first.
std::string wrong_with_seeds(const std::string& target, const std::map<std::string, std::vector<std::byte>>& seeds);

}  // namespace disklathe::test
