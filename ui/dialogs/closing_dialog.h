// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <cstdint>

namespace disklathe::ui {

class ExportServer;
class JobQueue;

// The window is closed while jobs run or images are served: they go on without it, are stopped, or the window stays.
class ClosingDialog {
 public:
  ClosingDialog(const JobQueue& queue, const QList<ExportServer*>& exports, QWidget* parent)
      : queue_(queue), exports_(exports), parent_(parent) {}
  enum class Choice : uint8_t { keep_running, stop, cancel };
  Choice ask();

 private:
  const JobQueue& queue_;
  const QList<ExportServer*> exports_;
  QWidget* parent_;
};

}  // namespace disklathe::ui
