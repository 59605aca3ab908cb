// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/devices/device.h"
#include "ui/pictures/picture.h"

namespace disklathe::ui {

// For each partition the largest power of two that its start is a multiple of, on one scale with the physical block and
// 1 MiB: a start left of the physical block costs a read with each write, and the row says how far to move it.
class AlignmentPicture : public Picture {
  Q_OBJECT
 public:
  explicit AlignmentPicture(QWidget* parent = nullptr);
  void set_device(const DevicePtr& device, uint64_t physical_block);
  PictureTable table() const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {320, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  int mark_count() const override { return static_cast<int>(rows_.size()); }
  int mark_at(QPoint point) const override;
  QString reading_of(int mark) const override;
  QRectF place_of(int mark) const override;

 private:
  struct Row {
    QString name;
    uint64_t start = 0;
    bool aligned() const { return off == 0; }
    uint64_t off = 0;  // bytes past the last multiple of the physical block
  };
  double x_of(uint64_t size) const;
  static uint64_t alignment_of(uint64_t start);

  QVector<Row> rows_;
  uint64_t physical_ = 4096;
};

}  // namespace disklathe::ui
