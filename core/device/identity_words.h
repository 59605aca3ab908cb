// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device/identity.h"

namespace disklathe {

// An identity as words of a command line, between a program that names a device and one that opens it:
//   8:16  42 (diskseq; - for none)  size  start  serial  wwn
// The name is not among them: it is looked up anew.
inline constexpr size_t identity_word_count = 6;
std::vector<std::string> words_of(const Identity& identity);
// Nothing: they are no such words, or more than a device says of itself.
std::optional<Identity> identity_of_words(std::span<const std::string> words);

}  // namespace disklathe
