// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLatin1String>
#include <QPushButton>
#include <QToolButton>

namespace disklathe::ui {

// Never the one that Enter presses, unless its dialog says so.
QPushButton* make_button(const QString& text, QLatin1String icon = {});
// Flat, with its word beside the icon; without a word `name` is its accessible name and tool tip.
QToolButton* make_tool(const QString& text, const QIcon& icon, const QString& name = {});

// The one filled button of the program, on the last step of erasing. A click and Space press it, Enter never does.
class DangerButton : public QPushButton {
  Q_OBJECT
 public:
  explicit DangerButton(const QString& text, QWidget* parent = nullptr);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
};

// Two or three exclusive choices in one frame.
class Segments : public QWidget {
  Q_OBJECT
 public:
  explicit Segments(const QStringList& choices, const QString& name, QWidget* parent = nullptr);
  int current() const;
  void set_current(int choice);

 Q_SIGNALS:
  void changed(int choice);

 private:
  QList<QToolButton*> buttons_;
};

}  // namespace disklathe::ui
