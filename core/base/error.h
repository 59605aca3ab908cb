// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace disklathe {

// What went wrong, coarse enough to pick an exit code and a sentence from.
enum class ErrorKind : uint8_t {
  io,           // the kernel, a device or a server failed a request
  not_found,    // no such file or device
  permission,   // the caller may not do this
  busy,         // held by somebody else
  no_space,     // the target is full
  vanished,     // the device or server went away
  changed,      // the source is not what it was when the job began
  corrupt,      // bytes break their format's own rules
  unsupported,  // valid, but nothing this program handles
  invalid,      // the request itself makes no sense
  refused,      // possible, but not done until the user says so
  differs,      // a comparison found a difference
  stopped,      // the user stopped it
  crashed,      // the process that did the work ended without a word
};

// Errors are values: facts only, no sentences for people. Only app/ and ui/ speak, from these parts.
struct Error {
  ErrorKind kind = ErrorKind::io;
  std::string operation;           // what was being done, a verb: "open", "read", "map"
  std::string subject;             // the file, device or URI it was done to; may be empty until a caller knows
  std::optional<uint64_t> offset;  // bytes into the subject (for a format: into the image file)
  int os_error = 0;                // errno, 0 when the kernel did not say it
  std::string cause;               // detail in the field's words: "L2 table 3 starts past the end of the file"
};

// An error from errno; the kind follows from it (ENOSPC: no_space, EACCES: permission, ENODEV: vanished, ...).
Error os_failure(int os_error, std::string_view operation, std::string_view subject,
                 std::optional<uint64_t> offset = std::nullopt);

ErrorKind kind_of_os_error(int os_error);

}  // namespace disklathe
