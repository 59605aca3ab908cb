// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/device/request_shape.h"
#include "ui/pictures/picture.h"

namespace disklathe::ui {

// One request end to end: the commands that the kernel makes of it, and the ends that cost a read first, hatched.
class RequestSplit : public Picture {
  Q_OBJECT
 public:
  explicit RequestSplit(QWidget* parent = nullptr);
  void set_shape(const RequestShape& shape, Range request);
  PictureTable table() const override;
  QSize sizeHint() const override { return {600, 26}; }
  QSize minimumSizeHint() const override { return {300, 26}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  int mark_count() const override { return static_cast<int>(parts_.size()); }
  int mark_at(QPoint point) const override;
  QString reading_of(int mark) const override;

 private:
  struct Part {
    Range range;        // as on the device
    uint64_t more = 0;  // stands for so many commands that are not listed
    bool reads_before = false, reads_after = false;
  };
  QRectF box_of(int mark) const;

  QVector<Part> parts_;
};

}  // namespace disklathe::ui
