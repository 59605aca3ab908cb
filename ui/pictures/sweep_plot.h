// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainterPath>
#include <functional>
#include <optional>
#include <vector>

#include "core/device/limits.h"
#include "core/engine/sweep.h"
#include "ui/pictures/picture.h"
#include "ui/theme/theme.h"

namespace disklathe::ui {

// A sweep that was done, with the name it is known by.
struct SweepRun {
  QString name;
  QString mode;  // what was measured: "read 4"; runs of another one are not laid over it
  std::vector<SweepPoint> points;
};

// MB/s over the size of requests, the latency under it on the same axis, the device's limits dashed through both, and
// the knee: the size beyond which nothing is gained. Round it the band of the slowest and fastest rounds; saved runs
// lie under it.
class SweepPlot : public Picture {
  Q_OBJECT
 public:
  explicit SweepPlot(QWidget* parent = nullptr);
  void set_run(const SweepRun& run);
  void set_saved(const QVector<SweepRun>& runs);
  void set_limits(const Limits& limits);
  PictureTable table() const override;
  QSize sizeHint() const override { return {720, 420}; }
  QSize minimumSizeHint() const override { return {420, 300}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  int mark_count() const override { return static_cast<int>(run_.points.size()); }
  int mark_at(QPoint point) const override;
  QString reading_of(int mark) const override;
  QRectF place_of(int mark) const override;

 private:
  struct Panels {
    QRectF rate, latency;
  };
  QString what_is_drawn() const;
  double right_margin() const;  // of what the curves are called
  Panels panels() const;
  double x_of(double size) const;
  double y_of_rate(double rate) const;
  double y_of_latency(double milliseconds) const;
  double top_rate() const;
  void paint_axes(QPainter& painter) const;
  void paint_limits(QPainter& painter) const;
  void paint_band(QPainter& painter) const;
  void paint_saved(QPainter& painter) const;
  void paint_curves(QPainter& painter) const;
  QPainterPath line(const std::vector<SweepPoint>& points, const std::function<double(const SweepPoint&)>& y) const;
  void paint_label(QPainter& painter, double y, const QString& name, const QString& under, Face face) const;
  void paint_knee(QPainter& painter) const;

  SweepRun run_;
  QVector<SweepRun> saved_;
  Limits limits_;
};

}  // namespace disklathe::ui
