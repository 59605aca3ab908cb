// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/stream/input.h"

namespace disklathe::stream {

// Turns stored bytes into decoded ones, a bounded step at a time. One thread at a time.
class Decoder {
 public:
  virtual ~Decoder() = default;

  struct Step {
    size_t taken = 0, made = 0;  // bytes of `in` and of `out`
    bool ended = false;  // a member (gzip), frame (zstd), stream (bzip2), file (xz) ended here, checksum and all
  };
  // last: no bytes follow `in`. A step that takes and makes nothing needs more input. Errors: corrupt; refused, where
  // more memory would be needed than the limits allow; unsupported.
  virtual Result<Step> decode(Bytes in, MutableBytes out, bool last) = 0;
};

// A stream names the memory that decoding it takes: hostile input until it is bounded.
struct DecoderLimits {
  uint64_t most_window = 128 << 20;  // bytes of history (zstd: window, xz: dictionary)
};

// One row a compression.
struct Encoding {
  std::string_view name;         // as in -f: "gz"
  std::string_view description;  // "gzip"

  // Whether a stream may begin with these bytes: never by more than chance for anything else.
  bool (*begins)(Bytes head) = nullptr;
  Result<std::unique_ptr<Decoder>> (*make_decoder)(const DecoderLimits& limits) = nullptr;

  // The decoded bytes of all of the input, as its structure says; only of an input that has a size. Null, or no answer:
  // nothing that can be believed says so.
  std::optional<uint64_t> (*decoded_size)(Input& input) = nullptr;

  // Whether what follows a whole stream and is none is passed over, as this compression's own program does.
  bool passes_over_garbage = false;
};

std::span<const Encoding> encodings();
const Encoding* find_encoding(std::string_view name);  // null: unknown

// What the first bytes (512 are enough) say; null: no compression known here.
const Encoding* detect_encoding(Bytes head);

// The rows.
Encoding bz2();
Encoding gz();
Encoding xz();
Encoding zst();

}  // namespace disklathe::stream
