// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/range.h"
#include "ui/devices/device.h"
#include "ui/pictures/picture.h"

namespace disklathe::ui {

// A device from its first byte to its last: its partitions to scale (the small ones kept wide enough to be seen), what
// is on each, and what is in none.
class DeviceMap : public Picture {
  Q_OBJECT
 public:
  explicit DeviceMap(QWidget* parent = nullptr);
  void set_device(const DevicePtr& device);
  PictureTable table() const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {320, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  int mark_count() const override { return static_cast<int>(parts_.size()); }
  int mark_at(QPoint point) const override;
  QString reading_of(int mark) const override;
  QRectF place_of(int mark) const override;

 private:
  struct Part {
    Range range;
    QString name, content;  // no name: in no partition
    bool mounted = false;
  };
  QVector<Part> parts_;
  uint64_t size_ = 0;
};

}  // namespace disklathe::ui
