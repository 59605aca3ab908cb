// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace disklathe::cli {

// An error in words: what could not be done to which file or device, why, and what the person can do about it.
// No program name, no line end.
std::string sentence(const Error& error);

// Names from images, devices and the command line on their way to a terminal: what could steer it as an escape.
std::string printable(std::string_view text);

// The name a script sees in --progress=json: "no_space".
std::string_view name_of(ErrorKind kind);

// "disklathe: ..." on stderr; what could steer a terminal is shown as an escape.
void print_message(std::string_view text);
// The same for an error; returns what to exit with.
int report(const Error& error);
// "disklathe: warning: ..." on stderr.
void print_warning(std::string_view text);

}  // namespace disklathe::cli
