// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/controls/surfaces.h"
#include "ui/images/image_model.h"

class QVBoxLayout;

namespace disklathe::ui {

// The files an image is made of, top first: each with its facts and snapshots; and those it names that nobody has
// allowed yet, with the name as the image says it and where that leads.
class LayersPage : public Page {
  Q_OBJECT
 public:
  explicit LayersPage(QWidget* parent = nullptr);
  void set_image(const ImagePtr& image);

 private:
  void rebuild();

  ImagePtr image_;
  QVBoxLayout* list_;
};

}  // namespace disklathe::ui
