// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pictures/picture.h"

namespace disklathe::ui {

// What a conversion will do with the disk's bytes: write, zero, skip.
class PlanBar : public Picture {
  Q_OBJECT
 public:
  enum class Mark : uint8_t { write, zero, skip };
  struct Part {
    Mark mark = Mark::write;
    uint64_t bytes = 0;
    QString name;
  };
  explicit PlanBar(QWidget* parent = nullptr);
  void set_parts(const QVector<Part>& parts);
  PictureTable table() const override;
  static void paint_mark(QPainter& painter, QRectF at, Mark mark);
  QSize sizeHint() const override { return {280, 20}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QVector<Part> parts_;
};

}  // namespace disklathe::ui
