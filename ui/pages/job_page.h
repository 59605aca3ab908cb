// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "ui/controls/surfaces.h"
#include "ui/images/image_model.h"
#include "ui/jobs/job_queue.h"

class QLabel;
class QPushButton;

namespace disklathe::ui {

class AllocationMap;
class Figure;
class MapLegend;
class PhaseBar;
class RatePlot;
class ResultCard;
class TextLabel;

// One job: how far it is, each phase with its own truth, what cancelling would leave; and its result.
class JobPage : public Page {
  Q_OBJECT
 public:
  explicit JobPage(QWidget* parent = nullptr);
  // image: what the job reads, if it is open here; null: the map is not shown.
  void set_job(QueuedJob* job, const ImagePtr& image);
  QueuedJob* job() const { return job_; }

 Q_SIGNALS:
  void eject_wanted(const QString& node);
  void compare_wanted(disklathe::ui::QueuedJob* job);
  void save_report_wanted(disklathe::ui::QueuedJob* job);
  void again_wanted(disklathe::ui::QueuedJob* job);

 private:
  void show_state();
  void show_progress();
  void show_map();
  void show_pause();
  void show_totals(bool ended);

  QPointer<QueuedJob> job_;
  ImagePtr image_;
  ResultCard* result_;
  QWidget* figures_;
  Figure* share_;
  Figure* bytes_;
  Figure* rate_;
  Figure* left_;
  QWidget* totals_;
  QVector<Figure*> total_figures_;
  TextLabel* rest_;
  QPushButton* pause_;
  QPushButton* cancel_;
  std::optional<bool> resumes_, harmless_;  // what the button for pausing does, and the sign says, now
  PhaseBar* phases_;
  QWidget* warning_;
  QLabel* warning_sign_;
  TextLabel* warning_words_;
  TextLabel* notes_;
  MapLegend* legend_;
  AllocationMap* map_;
  RatePlot* plot_;
};

}  // namespace disklathe::ui
