// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/copy.h"
#include "core/engine/piece_source.h"
#include "core/engine/plan.h"
#include "core/engine/tuner.h"

namespace disklathe {

// The pieces of an image: cut from its map, read by the slots themselves, in the size that the tuner finds best.
class ImagePieces final : public Pieces {
 public:
  ImagePieces(const CopyJob& job, const Plan& plan, Progress& progress);

  std::unique_ptr<PieceSource> source_for_slot() override;

 private:
  class Source;

  Image& image_;
  const Clock& clock_;
  const Plan plan_;
  PieceCutter cutter_;
  BufferPool buffers_;
  Tuner tuner_;
  Progress& progress_;
};

}  // namespace disklathe
