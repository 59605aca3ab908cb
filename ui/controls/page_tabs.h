// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTabBar>

namespace disklathe::ui {

// Words, and a line under the current one.
class PageTabs : public QTabBar {
  Q_OBJECT
 public:
  explicit PageTabs(const QString& name, QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;
  QSize tabSizeHint(int index) const override;
  QSize minimumTabSizeHint(int index) const override;
};

}  // namespace disklathe::ui
