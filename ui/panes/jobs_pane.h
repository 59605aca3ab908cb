// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QWidget>

#include "ui/jobs/job_queue.h"

class QVBoxLayout;

namespace disklathe::ui {

class JobRow;
class TextLabel;

// Below everything: what runs, what waits and why. Nothing but its title when nothing does.
class JobsPane : public QWidget {
  Q_OBJECT
 public:
  explicit JobsPane(JobQueue& queue, QWidget* parent = nullptr);
  void set_compact(bool compact);  // the first one only, the rest counted

 Q_SIGNALS:
  void history_wanted();
  void chosen(disklathe::ui::QueuedJob* job);

 private:
  void add(QueuedJob* job);
  void remove(QueuedJob* job);
  void count();

  JobQueue& queue_;
  bool compact_ = false;
  TextLabel* counts_;
  QVBoxLayout* rows_;
  QHash<QueuedJob*, JobRow*> row_of_;
};

}  // namespace disklathe::ui
