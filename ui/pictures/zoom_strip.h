// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "core/base/range.h"
#include "ui/devices/device.h"
#include "ui/pictures/picture.h"

namespace disklathe::ui {

// A whole device in one bar, to scale: its partitions, what a job has written of it, and the part that the map below
// magnifies, with guides to the map's edges.
class ZoomStrip : public Picture {
  Q_OBJECT
 public:
  explicit ZoomStrip(QWidget* parent = nullptr);
  void set_device(const DevicePtr& device);
  // shown: bytes from the start that the map below draws; the device's size: all, no guides.
  void set_job(std::optional<uint64_t> written, uint64_t shown);
  PictureTable table() const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {440, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  int mark_count() const override { return static_cast<int>(parts_.size()); }
  int mark_at(QPoint point) const override;
  QString reading_of(int mark) const override;
  QRectF place_of(int mark) const override;

 private:
  struct Part {
    Range range;
    QString words;
  };
  bool magnifies() const { return shown_ < size_; }
  QRectF bar() const;
  double x_of(uint64_t offset) const;

  QVector<Part> parts_;
  uint64_t size_ = 1, shown_ = 1;
  std::optional<uint64_t> written_;
};

}  // namespace disklathe::ui
