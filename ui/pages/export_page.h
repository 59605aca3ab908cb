// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

#include "ui/controls/surfaces.h"
#include "ui/images/image_model.h"

class QCheckBox;
class QPushButton;

namespace disklathe::ui {

class Exports;
class Figure;
class TextLabel;

// An image lent to other programs by NBD: read-only, on a Unix socket that only this user reaches, unless told
// otherwise; the address to copy, and how to stop it.
class ExportPage : public Page {
  Q_OBJECT
 public:
  explicit ExportPage(Exports& exports, QWidget* parent = nullptr);
  void set_image(const ImagePtr& image);

 private:
  void show_state();
  void toggle();

  Exports& exports_;
  ImagePtr image_;
  QTimer clock_;
  Figure* state_;
  Figure* up_;
  QPushButton* toggle_;
  Card* address_;
  TextLabel* uri_;
  TextLabel* problem_;
  TextLabel* explanation_;
  QCheckBox* tcp_;
};

}  // namespace disklathe::ui
