// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

#include "ui/controls/surfaces.h"
#include "ui/images/image_model.h"

class QCheckBox;
class QPushButton;

namespace disklathe::ui {

class ExportServer;
class Exports;
class AllocationMap;
class FactTable;
class Figure;
class MapLegend;
class TextLabel;

// An image lent to other programs by NBD: read-only, on a Unix socket that only this user reaches, unless told
// otherwise; the address to copy, who reads it, what was read of it, and how to stop it.
class ExportPage : public Page {
  Q_OBJECT
 public:
  explicit ExportPage(Exports& exports, QWidget* parent = nullptr);
  void set_image(const ImagePtr& image);

 private:
  void show_state();
  void show_clients(const ExportServer* server);
  void toggle();

  Exports& exports_;
  ImagePtr image_;
  QTimer clock_;
  Figure* state_;
  Figure* read_;
  Figure* now_;
  Figure* up_;
  QPushButton* toggle_;
  Card* address_;
  TextLabel* uri_;
  TextLabel* problem_;
  TextLabel* explanation_;
  QCheckBox* tcp_;
  TextLabel* clients_title_;
  TextLabel* no_clients_;
  FactTable* clients_;
  TextLabel* touched_title_;
  MapLegend* legend_;
  AllocationMap* map_;
};

}  // namespace disklathe::ui
