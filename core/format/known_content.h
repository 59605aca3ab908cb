// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/bytes.h"

namespace disklathe {

// What begins at a place of a disk, by its signature: for showing, nothing else rests on it.
struct KnownContent {
  std::string type;   // "ext4", as blkid names it; empty: none that is known here
  std::string label;  // its own name, as far as it has one at a fixed place. UTF-8, made harmless by who shows it

  friend bool operator==(const KnownContent&, const KnownContent&) = default;
};

// Bytes that are looked at; less may be there.
inline constexpr size_t known_content_head = 68 << 10;

KnownContent known_content(Bytes head);

}  // namespace disklathe
