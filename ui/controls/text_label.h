// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

#include "ui/theme/theme.h"

namespace disklathe::ui {

// Words in one of the faces and inks, which follow the palette. Never interpreted as markup: names come from devices.
class TextLabel : public QLabel {
  Q_OBJECT
 public:
  explicit TextLabel(const QString& text, Face face = Face::body, Ink ink = Ink::text, QWidget* parent = nullptr);
  void set_ink(Ink ink);
  // Instead of demanding room the end is left out; the whole is in the tool tip.
  void set_elided();
  void set_text(const QString& text);
  QString whole_text() const { return whole_; }

  QSize minimumSizeHint() const override;

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void apply_ink();
  void elide();

  Face face_;
  Ink ink_;
  bool elided_ = false, applying_ = false;
  QString whole_;
};

}  // namespace disklathe::ui
