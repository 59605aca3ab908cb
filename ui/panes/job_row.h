// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "ui/jobs/job_queue.h"
#include "ui/panes/pane_row.h"

class QToolButton;

namespace disklathe::ui {

class GlyphView;
class PhaseBar;
class TextLabel;

// One job of the pane.
class JobRow : public PaneRow {
  Q_OBJECT
 public:
  explicit JobRow(QueuedJob& job, QWidget* parent = nullptr);

 Q_SIGNALS:
  void dismissed();

 private:
  void show_state();
  void show_progress();
  void show_pause();

  QueuedJob& job_;
  GlyphView* mark_;
  TextLabel* state_;
  TextLabel* rate_;
  TextLabel* left_;
  PhaseBar* bar_;
  QToolButton* pause_;
  QToolButton* end_;
  std::optional<bool> resumes_;  // what the button for pausing does now
};

}  // namespace disklathe::ui
