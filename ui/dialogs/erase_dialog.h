// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/device/target_guard.h"
#include "ui/devices/device.h"
#include "ui/dialogs/dialog_frame.h"

class QCheckBox;
class QLineEdit;

namespace disklathe::ui {

class Banner;
class DangerButton;
class DeviceModel;
class TextLabel;

// What will be written over a device.
struct Erasure {
  QString name;       // "win11.qcow2", or what is done: "Zeroes"
  QString detail;     // "64.4 GB, qcow2"
  uint64_t size = 0;  // bytes from the device's start; 0: not known, up to all of it
  bool offer_verify = true;
  // Bytes of it that are data and that are zeroes, where that is known: what it takes is told.
  std::optional<uint64_t> data, zeroes;
  QString warning;  // what will be wrong with it there; empty: nothing known
};

// The last step before a device is overwritten: names it, draws what is there and what stays past the end, and takes a
// yes that cannot be given by habit. Cancel is the default and Escape; Enter never goes on; a device that vanishes
// takes the yes away for good.
class EraseDialog : public DialogFrame {
  Q_OBJECT
 public:
  EraseDialog(const ChosenDevice& chosen, const Erasure& erasure, DeviceModel& devices, QWidget* parent);
  bool verify() const;
  // What has to be typed; empty: a click is enough.
  static QString to_be_typed(const Disk& disk);

 private:
  QLayout* question(const QString& word);  // what has to be typed
  QWidget* from_to(const ChosenDevice& chosen, const Erasure& erasure);
  QWidget* lost_and_kept(const Disk& disk, const Erasure& erasure);
  void check_device(const DevicePtr& vanished);
  void check_typed();
  void show_time();

  const Disk disk_;
  const Erasure erasure_;
  Banner* gone_;
  QCheckBox* verify_ = nullptr;
  TextLabel* time_;
  QLineEdit* typed_ = nullptr;
  DangerButton* go_;
  bool vanished_ = false;
};

}  // namespace disklathe::ui
