// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/jobs/job_queue.h"

class QToolButton;

namespace disklathe::ui {

class GlyphView;
class PhaseBar;
class TextLabel;

// One job of the pane. Clicking it, or Enter, shows it.
class JobRow : public QWidget {
  Q_OBJECT
 public:
  explicit JobRow(QueuedJob& job, QWidget* parent = nullptr);

 Q_SIGNALS:
  void chosen();
  void dismissed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void show_state();
  void show_progress();

  QueuedJob& job_;
  GlyphView* mark_;
  TextLabel* state_;
  TextLabel* rate_;
  TextLabel* left_;
  PhaseBar* bar_;
  QToolButton* end_;
};

}  // namespace disklathe::ui
