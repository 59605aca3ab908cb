// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/range.h"

namespace disklathe {

// Pieces cut holes in parts; a part a command would cost a device more than the hole is worth. Puts the parts together
// again: the last range of a piece waits for what the next one says. Any thread.
class ZeroJoiner {
 public:
  // `ranges` of the target, in order, are what piece `index` wants zero; every piece must say, also when there is none.
  // Afterwards they are those, of whatever piece, that are known to be whole.
  void report(uint64_t index, std::vector<Range>& ranges);

  // After the last piece: the range that still waits.
  std::optional<Range> rest();

 private:
  void append(const std::vector<Range>& ranges, std::vector<Range>& whole);

  std::mutex mutex_;
  uint64_t next_ = 0;                             // the piece whose turn it is
  std::map<uint64_t, std::vector<Range>> early_;  // of later ones; not more than there are slots
  std::optional<Range> open_;
};

}  // namespace disklathe
