// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/images/image_model.h"
#include "ui/pages/thing_view.h"

namespace disklathe::ui {

class ComparePage;
class ContentsPage;
class ExportPage;
class LayersPage;
class LogPage;

// One image.
class ImageView : public ThingView {
  Q_OBJECT
 public:
  explicit ImageView(ComparePage* compare, QWidget* parent = nullptr);
  void set_image(const ImagePtr& image);
  const ImagePtr& image() const { return image_; }
  void show_layers() { show_page(layers_index_); }
  void show_export() { show_page(export_index_); }
  void show_compare() { show_page(compare_index_); }

 private:
  void show_state();

  ImagePtr image_;
  ContentsPage* contents_;
  LayersPage* layers_;
  ExportPage* export_;
  ComparePage* compare_;
  LogPage* log_;
  int layers_index_ = 0, export_index_ = 0, compare_index_ = 0;
};

}  // namespace disklathe::ui
