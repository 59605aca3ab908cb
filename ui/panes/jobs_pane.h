// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QWidget>

#include "ui/images/image_model.h"
#include "ui/jobs/job_queue.h"

class QVBoxLayout;

namespace disklathe::ui {

class ExportRow;
class ExportServer;
class Exports;
class JobRow;
class TextLabel;

// Below everything: what runs, what waits and why, and what is served. Nothing but its title when nothing does.
class JobsPane : public QWidget {
  Q_OBJECT
 public:
  JobsPane(JobQueue& queue, Exports& exports, QWidget* parent = nullptr);
  void set_compact(bool compact);  // the first one only, the rest counted

 Q_SIGNALS:
  void history_wanted();
  void chosen(disklathe::ui::QueuedJob* job);
  void export_chosen(const disklathe::ui::ImagePtr& image);

 private:
  void add(QueuedJob* job);
  void remove(QueuedJob* job);
  void count();
  void show_exports();

  JobQueue& queue_;
  Exports& exports_;
  bool compact_ = false;
  TextLabel* counts_;
  QVBoxLayout* rows_;
  QHash<QueuedJob*, JobRow*> row_of_;
  QHash<ExportServer*, ExportRow*> export_row_of_;
};

}  // namespace disklathe::ui
