// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBitArray>
#include <array>
#include <optional>
#include <vector>

#include "core/job/outcome.h"
#include "ui/pictures/paint.h"
#include "ui/pictures/picture.h"

namespace disklathe::ui {

// The content of a disk in at most 1024 cells of a power of two bytes each.
class ContentCells {
 public:
  static constexpr size_t kinds = 8;
  struct Cell {
    std::array<uint64_t, kinds> bytes{};  // by ContentKind
    std::optional<uint64_t> host;         // where its first stored byte is, in the layer below
    uint64_t layer = 0;
    ContentKind main() const;
    // What has the second most, where that can be seen; and its share.
    std::optional<std::pair<ContentKind, double>> second() const;
    bool known() const;
  };

  ContentCells() = default;
  explicit ContentCells(uint64_t size);
  void add(const job::MapEntry& entry);
  void add(Range range, ContentKind kind);

  uint64_t size() const { return size_; }
  uint64_t cell_bytes() const { return cell_bytes_; }
  const std::vector<Cell>& cells() const { return cells_; }
  uint64_t total(ContentKind kind) const { return totals_[static_cast<size_t>(kind)]; }
  bool empty() const { return cells_.empty(); }

 private:
  void add(Range range, ContentKind kind, std::optional<uint64_t> host, uint64_t layer);

  uint64_t size_ = 0, cell_bytes_ = 1;
  std::vector<Cell> cells_;
  std::array<uint64_t, kinds> totals_{};
};

QString name_of_kind(ContentKind kind);

// The cells in rows of 64, so that each row begins at a round offset; what a job has written and read back under them,
// and where it is.
class AllocationMap : public Picture {
  Q_OBJECT
 public:
  explicit AllocationMap(QWidget* parent = nullptr);
  void set_cells(const ContentCells& cells);
  const ContentCells& cells() const { return cells_; }
  // A job paints: what is not written yet is pale. Nothing: a still picture.
  struct Job {
    uint64_t written = 0, verified = 0;    // bytes from the start
    uint64_t ends = UINT64_MAX;            // what lies behind is not touched by it
    std::optional<uint64_t> now, differs;  // offsets
  };
  void set_job(std::optional<Job> job);
  const std::optional<Job>& job() const { return job_; }
  // Offsets that differ are crossed without a job.
  void set_difference(std::optional<uint64_t> offset);
  // Lent to clients: what they have read stands out, the rest is pale. Nothing: not lent.
  void set_touched(const std::optional<std::vector<Range>>& ranges);
  PictureTable table() const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  bool hasHeightForWidth() const override { return false; }
  // Left of the cells; plots below share it.
  static int gutter(int width);

 protected:
  void paintEvent(QPaintEvent* event) override;
  int mark_count() const override { return static_cast<int>(cells_.cells().size()); }
  int mark_at(QPoint point) const override;
  QString reading_of(int mark) const override;
  QRectF place_of(int mark) const override;
  int row_length() const override { return 64; }

 private:
  int rows() const;
  int pitch() const;
  void paint_cell(QPainter& painter, int index) const;

  ContentCells cells_;
  std::optional<uint64_t> differs() const;

  std::optional<Job> job_;
  std::optional<uint64_t> difference_;
  bool lent_ = false;
  QBitArray touched_;  // by cell, where lent_
};

}  // namespace disklathe::ui
