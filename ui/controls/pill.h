// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace disklathe::ui {

// A badge: where a job goes.
class Pill : public QWidget {
  Q_OBJECT
 public:
  explicit Pill(const QString& text = {}, QWidget* parent = nullptr);
  void set_text(const QString& text);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString text_;
};

}  // namespace disklathe::ui
