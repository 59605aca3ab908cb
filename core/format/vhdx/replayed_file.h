// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/device/block_device.h"

namespace disklathe::vhdx {

// What a log puts in the place of some bytes of its file. All of it is in the file as well: nothing is copied.
struct Patch {
  uint64_t end = 0;  // in the file
  // Of a page of 4096 bytes: the first 8 and the last 4 are in the log's descriptor, what is between in its data
  // sector. Both at 0: zeroes, any number of pages.
  uint64_t descriptor_at = 0, sector_at = 0;

  bool is_zero() const { return sector_at == 0; }
};

// The patches of a whole log, in file order; later ones take the place of earlier ones.
class Patches {
 public:
  // Together with the map they take 32 MiB at most.
  static constexpr size_t max_count = 256 << 10;

  void put(Range range, Patch patch);
  bool full() const { return patches_.size() >= max_count; }

  // What is to be read for the file's byte `at`, and how far that goes: another place in the file, zeroes, or the byte
  // itself.
  struct Piece {
    uint64_t length = 0;
    std::optional<uint64_t> from;  // nothing: zeroes
  };
  Piece piece(uint64_t at) const;

 private:
  std::map<uint64_t, Patch> patches_;  // by where they begin; they do not overlap
};

// A file as it would be had its log been replayed. For metadata: only read_now() is there.
class ReplayedFile final : public BlockDevice {
 public:
  // size: what the log lets the file grow to; reads as zeroes where the file ends before.
  ReplayedFile(BlockDevice& file, Patches patches, uint64_t size)
      : file_(file), patches_(std::move(patches)), size_(size) {}

  const Patches& patches() const { return patches_; }

  std::string_view name() const override { return file_.name(); }
  uint64_t size() const override { return size_; }
  const Limits& limits() const override { return file_.limits(); }
  IoMode io_mode() const override { return file_.io_mode(); }
  Task<Result<void>> readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> zero(Ring& ring, Range range, ZeroMethod method) override;
  Task<Result<void>> flush(Ring& ring) override;
  Result<void> read_now(uint64_t at, MutableBytes into) override;
  Result<void> write_now(uint64_t at, Bytes from) override;
  Result<void> flush_now() override;
  Result<Allocation> allocation(uint64_t at) override;
  Result<void> resize(uint64_t size) override;

 private:
  static Error only_read() { return failure(ErrorKind::unsupported, "use", "a replayed file is only read").error(); }

  BlockDevice& file_;
  const Patches patches_;
  const uint64_t size_;
};

}  // namespace disklathe::vhdx
