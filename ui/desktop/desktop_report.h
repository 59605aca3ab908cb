// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "ui/jobs/job_queue.h"

class KJobTrackerInterface;
class QSystemTrayIcon;

namespace disklathe::ui {

class SleepInhibitor;

// What the desktop is told of jobs: Plasma's tracker where there is one, the launcher's progress bar elsewhere, a
// notification when one ends and the window is not in front, and that the machine must stay awake while one writes.
// While the window is hidden an icon in the tray says how far they are, and brings it back.
class DesktopReport : public QObject {
  Q_OBJECT
 public:
  DesktopReport(JobQueue& queue, QWidget& window);

 Q_SIGNALS:
  void activated();  // a notification or the tray icon was clicked

 private:
  void begun(QueuedJob* job);
  void ended(QueuedJob* job);
  void update();
  void tell_launcher(double share, bool visible);
  void update_tray();

  JobQueue& queue_;
  QWidget& window_;
  KJobTrackerInterface* tracker_;
  SleepInhibitor* awake_;
  QSystemTrayIcon* tray_ = nullptr;
};

}  // namespace disklathe::ui
