// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/controls/surfaces.h"
#include "ui/jobs/history.h"

class QVBoxLayout;

namespace disklathe::ui {

// What was done, the newest first: its result, its report, and the same dialog again. Again never starts anything.
class HistoryPage : public QWidget {
  Q_OBJECT
 public:
  explicit HistoryPage(History& history, QWidget* parent = nullptr);

 Q_SIGNALS:
  void again(const disklathe::ui::History::Entry& entry);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void rebuild();

  History& history_;
  Page* page_;
  QVBoxLayout* rows_;
  bool stale_ = true;
};

}  // namespace disklathe::ui
