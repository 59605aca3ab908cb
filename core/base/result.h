// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <expected>
#include <utility>

#include "core/base/error.h"

namespace disklathe {

template <class T>
using Result = std::expected<T, Error>;

// Hands an error on as it is: `if (!r) return failure(r);` (or co_return).
template <class T>
std::unexpected<Error> failure(Result<T>& result) {
  return std::unexpected(std::move(result.error()));
}

inline std::unexpected<Error> failure(Error error) { return std::unexpected(std::move(error)); }

// A failure the kernel has no number for.
inline std::unexpected<Error> failure(ErrorKind kind, std::string_view operation, std::string cause,
                                      std::optional<uint64_t> offset = std::nullopt) {
  return std::unexpected(Error{.kind = kind,
                               .operation = std::string(operation),
                               .subject = {},
                               .offset = offset,
                               .os_error = 0,
                               .cause = std::move(cause)});
}

}  // namespace disklathe
