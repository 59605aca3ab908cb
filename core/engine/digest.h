// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace disklathe {

// A digest of bytes that come one after the other. One thread at a time.
class Digest {
 public:
  virtual ~Digest() = default;

  virtual void add(Bytes bytes) = 0;
  // Of all bytes so far, as lower-case hexadecimal digits. Once, in the end.
  virtual std::string finish() = 0;
};

// As `sha256sum` prints it (FIPS 180-4). `unsupported` where Nettle, which is loaded for it, is not installed.
Result<std::unique_ptr<Digest>> make_sha256();
// As `xxh128sum` prints it: XXH3, 128 bits, no seed, the canonical order of bytes.
std::unique_ptr<Digest> make_xxh128();

}  // namespace disklathe
