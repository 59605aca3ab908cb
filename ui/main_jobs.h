// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QCloseEvent;

namespace disklathe::ui {

class KeptJobs;
class MainWindow;
class QueuedJob;

// What the window does about its jobs: remembers them, lets their pages' buttons work, and does not close over those
// that run without asking.
class MainJobs : public QObject {
  Q_OBJECT
 public:
  explicit MainJobs(MainWindow& window);
  void find_kept();
  // Of the window: ignored where something runs that is to go on.
  void closing(QCloseEvent* event);
  void stay();  // the window is wanted again

 private:
  void began(QueuedJob* job);
  void ended(QueuedJob* job);
  void connect_page();
  void save_report(QueuedJob* job);
  // The last that ends takes the program with it; shown again before, it stays.
  void quit_after_all();
  void quit_if_idle();

  MainWindow& window_;
  KeptJobs* kept_;
  bool quitting_ = false;
};

}  // namespace disklathe::ui
