// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/controls/surfaces.h"
#include "ui/jobs/job_queue.h"

class QBoxLayout;
class QPushButton;

namespace disklathe::ui {

class GlyphView;
class TextLabel;

// How a job ended: its sentence, what that means, and what can be done next.
class ResultCard : public Card {
  Q_OBJECT
 public:
  explicit ResultCard(QWidget* parent = nullptr);
  void show_result(const JobRequest& request, const JobResult& result);

 Q_SIGNALS:
  void save_report();
  void eject();
  void compare();
  void again();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  // The buttons stand beside the words where these have room enough, else below them.
  void place_buttons();

  QBoxLayout* row_;
  QWidget* buttons_;
  GlyphView* mark_;
  TextLabel* sentence_;
  TextLabel* meaning_;
  QPushButton* report_;
  QPushButton* eject_;
  QPushButton* compare_;
  QPushButton* again_;
};

}  // namespace disklathe::ui
