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
  // At the far end of its room. Otherwise at the near one, in the direction of the window and not of the words: a name
  // stays beside its icon in whatever script it is.
  void set_trailing();
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
  void apply_direction();
  void elide();

  Face face_;
  Ink ink_;
  bool elided_ = false, applying_ = false, trailing_ = false;
  QString whole_;
};

}  // namespace disklathe::ui
