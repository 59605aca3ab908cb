// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pictures/picture.h"

namespace disklathe::ui {

// Prepare, Write, Flush, Verify: one bar, four truths. Written is a solid bar, verified a double one, as in the map.
class PhaseBar : public Picture {
  Q_OBJECT
 public:
  struct Phase {
    QString name, note;
    double done = 0;    // 0 to 1
    double weight = 1;  // of its length
    bool reads_back = false;
    bool failed = false;
  };
  explicit PhaseBar(bool compact, QWidget* parent = nullptr);  // compact: the bar alone
  void set_phases(const QVector<Phase>& phases);
  PictureTable table() const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {compact_ ? 120 : 420, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const bool compact_;
  QVector<Phase> phases_;
};

}  // namespace disklathe::ui
