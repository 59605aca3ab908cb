// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/jobs/export_server.h"
#include "ui/panes/pane_row.h"

class QToolButton;

namespace disklathe::ui {

class TextLabel;

// An image that is being served, in the jobs pane.
class ExportRow : public PaneRow {
  Q_OBJECT
 public:
  explicit ExportRow(ExportServer& server, QWidget* parent = nullptr);

 private:
  void show_state();

  ExportServer& server_;
  TextLabel* state_;
  TextLabel* rate_;
};

}  // namespace disklathe::ui
