// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/controls/surfaces.h"
#include "ui/devices/device.h"

namespace disklathe::ui {

class AlignmentPicture;
class DeviceMap;
class FactTable;
class TextLabel;

// What is on a device, how its partitions lie on its blocks, and who uses each.
class PartitionsPage : public Page {
  Q_OBJECT
 public:
  explicit PartitionsPage(QWidget* parent = nullptr);
  void set_device(const DevicePtr& device);
  void set_physical_block(uint64_t bytes);

 private:
  DevicePtr device_;
  uint64_t physical_block_ = 512;
  DeviceMap* map_;
  TextLabel* table_kind_;
  FactTable* table_;
  TextLabel* alignment_title_;
  AlignmentPicture* alignment_;
};

}  // namespace disklathe::ui
