// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QHBoxLayout;

namespace disklathe::ui {

class TextLabel;

// A row of the jobs pane: 44 high, a mark, two lines of words, what it does at the end. Clicking it, or Enter, shows
// what it is about.
class PaneRow : public QWidget {
  Q_OBJECT
 public:
  explicit PaneRow(QWidget* parent = nullptr);

 Q_SIGNALS:
  void chosen();

 protected:
  QHBoxLayout& row() { return *row_; }
  // The title, and under it a line that is returned.
  TextLabel* add_words(const QString& title);
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QHBoxLayout* row_;
};

}  // namespace disklathe::ui
