// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace disklathe {

// What writing costs a device: a time a byte in large requests, and on top of it a fixed time each small one.
class WritePrice {
 public:
  static constexpr uint64_t large = 256 << 10;  // requests from here on tell the rate

  // A write held the device for so many seconds.
  void record(uint64_t length, double seconds);

  // Until a large request was measured per_byte() is only a guess.
  bool known() const { return large_bytes_ > 0; }
  double per_byte() const;
  double fixed() const;
  double of(uint64_t length) const { return fixed() + static_cast<double>(length) * per_byte(); }

 private:
  // Sums in which older requests fade.
  double large_bytes_ = 0, large_seconds_ = 0;
  double small_count_ = 0, small_bytes_ = 0, small_seconds_ = 0;
};

// What zero commands cost a device: a fixed time each (t) and a time a byte (1/R), fitted to what commands of several
// lengths took. With one length known so far other lengths have bounds: of() the upper one, at_least() the lower.
class CommandPrice {
 public:
  void record(uint64_t length, double seconds);

  bool known() const { return longest_ > 0; }
  uint64_t longest() const { return longest_; }
  // How many commands of about this length were measured.
  unsigned samples(uint64_t length) const { return sorts_[sort_of(length)].count; }

  double of(uint64_t length) const;
  double at_least(uint64_t length) const;

  // Several lengths are known: the fit says it all.
  bool fitted() const { return fitted_; }
  double fixed() const { return fixed_; }
  double per_byte() const { return per_byte_; }

 private:
  // Lengths within a factor of four are of one sort.
  struct Sort {
    unsigned count = 0;
    double length = 0, seconds = 0;
  };
  static size_t sort_of(uint64_t length);
  void fit();

  std::array<Sort, 12> sorts_{};
  uint64_t longest_ = 0;
  bool fitted_ = false;
  double fixed_ = 0, per_byte_ = 0;         // where fitted
  double only_length_ = 0, only_cost_ = 0;  // where not
};

}  // namespace disklathe
