// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QHBoxLayout;
class QVBoxLayout;

namespace disklathe::ui {

// The frame of every dialog of ours: paper with margins of 24, and a foot in window colour. Escape and the button
// Cancel close it; Cancel is the default unless a dialog says otherwise.
class DialogFrame : public QDialog {
  Q_OBJECT
 public:
  DialogFrame(const QString& title, int width, QWidget* parent);

 protected:
  QVBoxLayout& content() { return *content_; }
  QHBoxLayout& foot() { return *foot_; }  // buttons go to its end, before Cancel
  QPushButton& cancel_button() { return *cancel_; }
  void add_button(QPushButton* button);
  void showEvent(QShowEvent* event) override;

 private:
  QVBoxLayout* content_;
  QHBoxLayout* foot_;
  QPushButton* cancel_;
};

}  // namespace disklathe::ui
