// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/edited_tables.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"

namespace disklathe::qcow2 {
namespace {

constexpr uint64_t most_piece = 4096;
constexpr size_t capacity = 16 << 20;  // bytes; changes that are not written yet are kept also beyond it

}  // namespace

EditedTables::EditedTables(BlockDevice& file, uint64_t cluster_size)
    : file_(file), piece_size_(std::min(cluster_size, most_piece)) {}

EditedTables::Piece* EditedTables::find(uint64_t host) {
  const auto known = by_host_.find(host);
  if (known == by_host_.end()) return nullptr;
  pieces_.splice(pieces_.begin(), pieces_, known->second);
  return &pieces_.front();
}

Result<EditedTables::Piece*> EditedTables::piece_at(uint64_t at) {
  const uint64_t host = round_down(at, piece_size_);
  Piece* piece = find(host);
  // One that the end of the file cut off is read again: the file may have grown.
  if (piece && piece->bytes->size() == piece_size_) return piece;
  if (at >= file_.size()) return failure(ErrorKind::corrupt, "map", "a table does not lie inside the file", at);
  auto bytes = std::make_shared<std::vector<std::byte>>(std::min(piece_size_, file_.size() - host));
  if (auto read = file_.read_now(host, *bytes); !read) return failure(read);
  if (!piece) {
    make_room();
    pieces_.push_front({.host = host});
    by_host_.emplace(host, pieces_.begin());
    piece = &pieces_.front();
  }
  piece->bytes = std::move(bytes);
  piece->lent = false;
  return piece;
}

void EditedTables::make_room() {
  auto oldest = pieces_.end();
  while (oldest != pieces_.begin() && pieces_.size() * piece_size_ >= capacity) {
    --oldest;
    if (oldest->changed || oldest->writing) continue;
    by_host_.erase(oldest->host);
    oldest = pieces_.erase(oldest);
  }
}

Result<Tables::Part> EditedTables::from(uint64_t at) {
  const std::scoped_lock lock(mutex_);
  auto piece = piece_at(at);
  if (!piece) return failure(piece);
  (*piece)->lent = true;
  return Part{(*piece)->bytes, Bytes(*(*piece)->bytes).subspan(at % piece_size_)};
}

Result<uint64_t> EditedTables::load(uint64_t at) {
  const std::scoped_lock lock(mutex_);
  auto piece = piece_at(at);
  if (!piece) return failure(piece);
  const Bytes bytes = Bytes(*(*piece)->bytes).subspan(at % piece_size_);
  if (bytes.size() < 8) return failure(ErrorKind::corrupt, "map", "a table is cut off by the end of the file", at);
  return load_be<uint64_t>(bytes);
}

Result<void> EditedTables::store(uint64_t at, uint64_t value, Stage stage) {
  return change(at, stage, [value](MutableBytes piece, size_t index) { store_be(piece, index, value); });
}

Result<void> EditedTables::change(uint64_t at, Stage stage,
                                  const std::function<void(MutableBytes piece, size_t at)>& edit) {
  const std::scoped_lock lock(mutex_);
  auto found = piece_at(at);
  if (!found) return failure(found);
  Piece& piece = **found;
  if (piece.bytes->size() != piece_size_)
    return failure(ErrorKind::corrupt, "write to", "a table is cut off by the end of the file", at);
  if (piece.lent) piece.bytes = std::make_shared<std::vector<std::byte>>(*piece.bytes);
  piece.lent = false;
  piece.stage = stage;
  mark_changed(piece);
  edit(*piece.bytes, at % piece_size_);
  return {};
}

void EditedTables::mark_changed(Piece& piece) {
  if (!piece.changed) ++changed_;
  piece.changed = true;
}

void EditedTables::forget(Range host) {
  const std::scoped_lock lock(mutex_);
  for (uint64_t at = host.at; at < host.end(); at += piece_size_) {
    const auto known = by_host_.find(at);
    if (known == by_host_.end()) continue;
    if (known->second->changed) --changed_;
    pieces_.erase(known->second);
    by_host_.erase(known);
  }
}

uint64_t EditedTables::changed_bytes() const {
  const std::scoped_lock lock(mutex_);
  return changed_ * piece_size_;
}

void EditedTables::begin_writing() {
  const std::scoped_lock lock(mutex_);
  for (Piece& piece : pieces_) {
    if (!piece.changed) continue;
    writing_[static_cast<size_t>(piece.stage)].push_back({piece.host, piece.bytes});
    piece.lent = piece.writing = true;
    piece.changed = false;
  }
  changed_ = 0;
  for (auto& stage : writing_) std::ranges::sort(stage, {}, &Writing::host);
}

Result<void> EditedTables::write(Stage stage) {
  std::vector<Writing>& all = writing_[static_cast<size_t>(stage)];
  std::vector<std::byte> run;
  for (size_t i = 0; i < all.size();) {
    const uint64_t at = all[i].host;
    run.clear();
    for (; i < all.size() && all[i].host == at + run.size(); ++i)
      run.insert(run.end(), all[i].bytes->begin(), all[i].bytes->end());
    if (auto written = file_.write_now(at, run); !written) return written;
  }
  const std::scoped_lock lock(mutex_);
  for (const Writing& one : all) {
    if (Piece* piece = find(one.host)) piece->writing = false;
  }
  all.clear();
  return {};
}

void EditedTables::cancel_writing() {
  const std::scoped_lock lock(mutex_);
  for (auto& stage : writing_) {
    for (const Writing& one : stage) {
      Piece* piece = find(one.host);
      if (!piece || !piece->writing) continue;
      piece->writing = false;
      mark_changed(*piece);
    }
    stage.clear();
  }
}

}  // namespace disklathe::qcow2
