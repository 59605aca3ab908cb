// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/images/image_model.h"
#include "ui/pages/thing_view.h"

namespace disklathe::ui {

class ComparePage;
class ContentsPage;
class ExportPage;
class Exports;
class JobQueue;
class LayersPage;
class LogPage;
class PartitionsPage;
class SweepPage;

// One image.
class ImageView : public ThingView {
  Q_OBJECT
 public:
  ImageView(ComparePage* compare, Exports& exports, JobQueue& queue, QWidget* parent = nullptr);
  void set_image(const ImagePtr& image);
  const ImagePtr& image() const { return image_; }
  void show_layers() { show_page(layers_index_); }
  void show_partitions() { show_page(partitions_index_); }
  void show_export() { show_page(export_index_); }
  void show_compare() { show_page(compare_index_); }
  void show_sweep() { show_page(sweep_index_); }

 private:
  void show_state();

  ImagePtr image_;
  ContentsPage* contents_;
  LayersPage* layers_;
  PartitionsPage* partitions_;
  ExportPage* export_;
  ComparePage* compare_;
  SweepPage* sweep_;
  LogPage* log_;
  int layers_index_ = 0, partitions_index_ = 0, export_index_ = 0, compare_index_ = 0, sweep_index_ = 0;
};

}  // namespace disklathe::ui
