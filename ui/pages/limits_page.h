// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "core/device/limit_report.h"
#include "ui/controls/surfaces.h"

class QComboBox;

namespace disklathe::ui {

class DiskAnswers;
class FactTable;
class LimitsPicture;
class RequestSplit;
class TextLabel;

// What a device asks of requests, drawn and told; and what becomes of a request that one chooses.
class LimitsPage : public Page {
  Q_OBJECT
 public:
  explicit LimitsPage(QWidget* parent = nullptr);
  // `path` is a device or a file. Reads on a thread; what came for another path meanwhile is dropped.
  void set_path(const QString& path);
  void set_report(const QString& path, const LimitReport& report);
  const std::optional<LimitReport>& report() const { return report_; }
  void copy_json() const;
  DiskAnswers& answers() { return *answers_; }

 Q_SIGNALS:
  void reported();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void show_failure(const QString& sentence);
  void show_request();
  void take_typed();

  QString path_;
  int asked_ = 0;  // counts what was asked for: an answer to an earlier question is dropped
  std::optional<LimitReport> report_;
  TextLabel* failure_;
  TextLabel* findings_;
  LimitsPicture* picture_;
  Card* request_panel_;
  TextLabel* headline_;
  TextLabel* why_;
  QComboBox* size_;
  QComboBox* offset_;
  RequestSplit* split_;
  FactTable* table_;
  DiskAnswers* answers_;
};

}  // namespace disklathe::ui
