// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "ui/pictures/picture.h"

namespace disklathe::ui {

// A bar a method: how long the whole device takes. Solid where all of it was measured, hatched where that follows from
// a part, an empty frame where nobody has measured it; and what the method promises.
class MethodBars : public Picture {
  Q_OBJECT
 public:
  struct Method {
    QString name, promise;
    std::optional<double> seconds;
    bool extrapolated = false;
    bool offered = true;  // false: the device has no such command
  };
  explicit MethodBars(QWidget* parent = nullptr);
  void set_methods(const QVector<Method>& methods);
  PictureTable table() const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {400, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  int mark_count() const override { return static_cast<int>(methods_.size()); }
  int mark_at(QPoint point) const override;
  QString reading_of(int mark) const override;
  QRectF place_of(int mark) const override;

 private:
  QString time_of(const Method& method) const;

  QVector<Method> methods_;
};

}  // namespace disklathe::ui
