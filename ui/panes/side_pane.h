// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QUrl>
#include <QWidget>

#include "ui/devices/device.h"
#include "ui/images/image_model.h"

namespace disklathe::ui {

class DeviceModel;
class PaneScroll;
class SideList;

// The left side: the devices of this machine, the images that are open, and a place to drop more on. At most one row of
// both lists is chosen.
class SidePane : public QWidget {
  Q_OBJECT
 public:
  SidePane(DeviceModel& devices, ImageModel& images, QWidget* parent = nullptr);
  void choose_image(int row);
  void focus_devices();
  // Nothing of that kind is shown any more.
  void unchoose_device();
  void unchoose_image();
  // While something is dragged: devices that cannot take it are paled.
  void set_dragging(bool dragging);
  void fit_to(int window_width);

 Q_SIGNALS:
  void device_chosen(const disklathe::ui::DevicePtr& device);
  void image_chosen(const disklathe::ui::ImagePtr& image);
  void image_closed(const disklathe::ui::ImagePtr& image);
  void make_image_wanted(const disklathe::ui::DevicePtr& device);
  void unmount_wanted(const disklathe::ui::DevicePtr& device);
  void dropped(const QList<QUrl>& urls);
  void dropped_on(const QList<QUrl>& urls, const disklathe::ui::DevicePtr& device);
  void open_wanted();

 private:
  void show_row(const SideList& list);  // the chosen one, where it is out of sight
  void device_menu(const QModelIndex& index, const QPoint& at);
  void image_menu(const QModelIndex& index, const QPoint& at);

  DeviceModel& devices_;
  ImageModel& images_;
  SideList* device_list_;
  SideList* image_list_;
  PaneScroll* scroll_;
};

}  // namespace disklathe::ui
