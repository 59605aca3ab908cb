// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/device/limit_report.h"
#include "ui/pictures/picture.h"

namespace disklathe::ui {

// The limits as boxes that nest on a scale of powers of two, thin rulers for what has its own scale (segments, memory,
// discard), and the request as a handle on the axis: dragged, or moved by the arrow keys.
class LimitsPicture : public Picture {
  Q_OBJECT
 public:
  explicit LimitsPicture(QWidget* parent = nullptr);
  void set_report(const LimitReport& report);
  void set_request(uint64_t bytes);
  uint64_t request() const { return request_; }
  PictureTable table() const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {480, sizeHint().height()}; }

 Q_SIGNALS:
  void request_moved(uint64_t bytes);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Box {
    uint64_t end = 0;
    QString name;
    bool soft = false;  // dashed: does not bind us, the kernel splits there
    bool odd = false;   // what the device said was replaced
  };
  QVector<Box> boxes() const;  // outermost first
  double x_of(double bytes) const;
  uint64_t size_at(double x) const;
  void move_to(uint64_t bytes);
  double request_x() const;
  QRectF place_of_box(const Box& box, int depth) const;
  void paint_boxes(QPainter& painter) const;
  void paint_box_names(QPainter& painter) const;
  void paint_rulers(QPainter& painter) const;
  void paint_axis(QPainter& painter) const;
  void paint_request(QPainter& painter) const;
  double boxes_bottom() const;
  double axis_y() const;

  LimitReport report_;
  uint64_t request_ = 1 << 20;
  int low_ = 6, high_ = 26;  // powers of two at the ends of the scale
};

}  // namespace disklathe::ui
