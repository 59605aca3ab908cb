// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/range.h"
#include "core/device/enumerate.h"
#include "ui/pictures/picture.h"

namespace disklathe::ui {

// What is on a device now, and what it will be: two bars on one scale with a guide where the image ends. Where the
// image is a sliver of the device the scale is broken, and marked so, and the image's part drawn larger.
class BeforeAfter : public Picture {
  Q_OBJECT
 public:
  explicit BeforeAfter(QWidget* parent = nullptr);
  // image_size: bytes that will be written from the start; more than the disk has: all of it.
  void set(const Disk& disk, const QString& image_name, uint64_t image_size);
  PictureTable table() const override;
  QSize sizeHint() const override { return {680, static_cast<int>(2 * row_height + 2 * caption_height() + 34)}; }
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;
  int mark_count() const override { return static_cast<int>(parts_.size()); }
  int mark_at(QPoint point) const override;
  QString reading_of(int mark) const override;
  QRectF place_of(int mark) const override;

 private:
  static constexpr double row_height = 28;
  static double caption_height();
  struct Part {
    Range range;
    QString words;
  };
  bool broken() const;
  double x_of(uint64_t offset) const;
  void paint_break(QPainter& painter, double top) const;

  QVector<Part> parts_;
  QString image_name_;
  uint64_t image_size_ = 0, size_ = 0;
};

}  // namespace disklathe::ui
