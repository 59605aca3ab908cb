// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/jobs/progress_meter.h"
#include "ui/pictures/picture.h"

namespace disklathe::ui {

// MB/s over the position on the target: a full cache and slow regions show. The axis is that of the map above it.
class RatePlot : public Picture {
  Q_OBJECT
 public:
  explicit RatePlot(QWidget* parent = nullptr);
  // running: where it is now is marked.
  void set_rates(const RateSeries& writing, const RateSeries& verifying, uint64_t size, bool running);
  PictureTable table() const override;
  QSize sizeHint() const override { return {900, 108}; }
  QSize minimumSizeHint() const override { return {440, 84}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  int mark_count() const override;
  int mark_at(QPoint point) const override;
  QString reading_of(int mark) const override;
  QRectF place_of(int mark) const override;

 private:
  const RateSeries& shown() const { return verifying_.rates.isEmpty() ? writing_ : verifying_; }
  QRectF plot() const;
  double top() const;
  void paint_series(QPainter& painter, const RateSeries& series, const QColor& color, bool filled) const;

  RateSeries writing_, verifying_;
  uint64_t size_ = 0;
  bool running_ = false;
};

}  // namespace disklathe::ui
