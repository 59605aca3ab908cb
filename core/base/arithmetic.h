// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

namespace disklathe {

// Arithmetic on numbers that came from outside: nullopt where it does not fit.
template <std::unsigned_integral T>
constexpr std::optional<T> checked_add(T a, T b) {
  T sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

template <std::unsigned_integral T>
constexpr std::optional<T> checked_multiply(T a, T b) {
  T product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// The sum, or the largest number where it does not fit.
template <std::unsigned_integral T>
constexpr T saturated_add(T a, T b) {
  return checked_add(a, b).value_or(std::numeric_limits<T>::max());
}

// On numbers already bounded: unit > 0, and the result fits.
constexpr uint64_t divide_up(uint64_t value, uint64_t unit) { return value / unit + (value % unit != 0); }
constexpr uint64_t round_up(uint64_t value, uint64_t unit) { return divide_up(value, unit) * unit; }
constexpr uint64_t round_down(uint64_t value, uint64_t unit) { return value / unit * unit; }
constexpr bool is_multiple(uint64_t value, uint64_t unit) { return value % unit == 0; }

}  // namespace disklathe
