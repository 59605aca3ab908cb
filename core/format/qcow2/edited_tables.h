// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/base/range.h"
#include "core/format/qcow2/tables.h"

namespace disklathe::qcow2 {

// What a table is, which decides when its changes may be written: those of the first stage are durable before any of
// the second is written, and so on.
enum class Stage : uint8_t {
  counts,       // refcount blocks
  count_table,  // the refcount table
  maps,         // L1 and L2 tables
};

// The tables of an image that is changed, in pieces: changes stay in memory until they are written, stage by stage;
// other pieces as long as there is room. Who reads a piece keeps what he has, also when it is changed meanwhile.
// Thread-safe; but one caller at a time changes and one writes.
class EditedTables final : public Tables {
 public:
  EditedTables(BlockDevice& file, uint64_t cluster_size);

  Result<Part> from(uint64_t at) override;
  // The 64-bit entry at a multiple of 8.
  Result<uint64_t> load(uint64_t at);
  Result<void> store(uint64_t at, uint64_t value, Stage stage);
  // edit(piece, index of `at` in it). A piece has all the bytes from one multiple of piece_size() to the next.
  Result<void> change(uint64_t at, Stage stage, const std::function<void(MutableBytes piece, size_t at)>& edit);
  // What lies there is another thing from now on, and is no change to be written.
  void forget(Range host);

  uint64_t piece_size() const { return piece_size_; }
  uint64_t changed_bytes() const;

  // Takes the changes up to now as those that write() writes.
  void begin_writing();
  bool has(Stage stage) const { return !writing_[static_cast<size_t>(stage)].empty(); }
  Result<void> write(Stage stage);
  // What was not written is a change as before.
  void cancel_writing();

 private:
  struct Piece {
    uint64_t host = 0;
    std::shared_ptr<std::vector<std::byte>> bytes;
    bool lent = false;  // somebody else may be looking at the bytes: to change them takes a copy
    bool changed = false;
    bool writing = false;
    Stage stage = Stage::maps;
  };
  using Pieces = std::list<Piece>;
  struct Writing {
    uint64_t host;
    std::shared_ptr<const std::vector<std::byte>> bytes;
  };

  // With the mutex held.
  Result<Piece*> piece_at(uint64_t at);
  Piece* find(uint64_t host);
  void make_room();
  void mark_changed(Piece& piece);

  BlockDevice& file_;
  const uint64_t piece_size_;
  mutable std::mutex mutex_;
  Pieces pieces_;  // the most recently used first
  std::unordered_map<uint64_t, Pieces::iterator> by_host_;
  uint64_t changed_ = 0;                           // pieces
  std::array<std::vector<Writing>, 3> writing_{};  // a stage each; of the writing caller
};

}  // namespace disklathe::qcow2
