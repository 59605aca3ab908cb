// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/digest.h"

#include <fmt/format.h>
#include <nettle/sha2.h>
#include <xxhash.h>

#include <array>
#include <span>

#include "core/base/late_library.h"

namespace disklathe {
namespace {

std::string hexadecimal(std::span<const uint8_t> bytes) { return fmt::format("{:02x}", fmt::join(bytes, "")); }

// Of the library's own names, as its header has them behind macros.
struct Nettle {
  decltype(&::nettle_sha256_init) init;
  decltype(&::nettle_sha256_update) update;
  decltype(&::nettle_sha256_digest) digest;
};

Result<Nettle> load_now() {
  LateLibrary library("libnettle.so.8");
  Nettle api{};
  library.find("nettle_sha256_init", api.init);
  library.find("nettle_sha256_update", api.update);
  library.find("nettle_sha256_digest", api.digest);
  if (!library.missing()) return api;
  return failure(ErrorKind::unsupported, "take a digest",
                 "SHA-256 needs Nettle 3, which is not installed here; xxh128 alone does without");
}

class Sha256 final : public Digest {
 public:
  explicit Sha256(const Nettle& nettle) : nettle_(nettle) { nettle_.init(&state_); }

  void add(Bytes bytes) override {
    nettle_.update(&state_, bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
  }
  std::string finish() override {
    std::array<uint8_t, SHA256_DIGEST_SIZE> digest{};
    nettle_.digest(&state_, digest.size(), digest.data());
    return hexadecimal(digest);
  }

 private:
  const Nettle& nettle_;
  sha256_ctx state_{};
};

class Xxh128 final : public Digest {
 public:
  Xxh128() : state_(XXH3_createState()) { XXH3_128bits_reset(state_.get()); }

  void add(Bytes bytes) override { XXH3_128bits_update(state_.get(), bytes.data(), bytes.size()); }
  std::string finish() override {
    XXH128_canonical_t canonical{};
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
    return hexadecimal(canonical.digest);
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

}  // namespace

Result<std::unique_ptr<Digest>> make_sha256() {
  static const Result<Nettle> nettle = load_now();
  if (!nettle) return std::unexpected(nettle.error());
  return std::make_unique<Sha256>(*nettle);
}

std::unique_ptr<Digest> make_xxh128() { return std::make_unique<Xxh128>(); }

}  // namespace disklathe
