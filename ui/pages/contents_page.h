// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/controls/surfaces.h"
#include "ui/images/image_model.h"

namespace disklathe::ui {

class AllocationMap;
class Figure;
class MapLegend;
class TextLabel;

// What an image holds, drawn: its size for the guest, what it takes on disk, and where what is.
class ContentsPage : public Page {
  Q_OBJECT
 public:
  explicit ContentsPage(QWidget* parent = nullptr);
  void set_image(const ImagePtr& image);

 private:
  void show_facts();
  void show_map();

  ImagePtr image_;
  Figure* guest_;
  Figure* stored_;
  Figure* format_;
  Figure* files_;
  TextLabel* notes_;
  TextLabel* hint_;
  Rule* rule_;
  MapLegend* legend_;
  AllocationMap* map_;
};

}  // namespace disklathe::ui
