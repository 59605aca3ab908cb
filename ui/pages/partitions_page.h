// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/controls/surfaces.h"
#include "ui/devices/device.h"
#include "ui/images/image_model.h"

namespace disklathe::ui {

class AlignmentPicture;
class DeviceMap;
class FactTable;
class TextLabel;

// What is on a disk and how its partitions lie on its blocks; of a device also who uses each.
class PartitionsPage : public Page {
  Q_OBJECT
 public:
  explicit PartitionsPage(QWidget* parent = nullptr);
  void set_device(const DevicePtr& device);
  void set_physical_block(uint64_t bytes);  // of the device
  // The disk inside of an image.
  void set_image(const OpenImage& image);

 private:
  void show_disk(const DevicePtr& device, const QString& summary, bool with_users);

  DevicePtr disk_;
  uint64_t physical_block_ = 512;
  TextLabel* summary_;
  TextLabel* advice_;
  DeviceMap* map_;
  FactTable* table_;
  TextLabel* alignment_title_;
  AlignmentPicture* alignment_;
};

}  // namespace disklathe::ui
