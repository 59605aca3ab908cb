// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/devices/device.h"
#include "ui/dialogs/dialog_frame.h"
#include "ui/images/image_model.h"
#include "ui/jobs/job_request.h"

class QCheckBox;
class QComboBox;
class QFileInfo;
class QLineEdit;
class QStackedWidget;

namespace disklathe::ui {

class DeviceModel;
class DevicePicker;
class OptionForm;
class PlanPanel;
class Segments;
class TextLabel;

// Where an image goes and as what: a file with its format and options, or a device. Shows the plan. Of a device it only
// takes the choice; the erase dialog asks for the yes. An image of a device goes to a file.
class ConvertDialog : public DialogFrame {
  Q_OBJECT
 public:
  ConvertDialog(const ImagePtr& image, DeviceModel& devices, QWidget* parent);
  void choose_device(const DevicePtr& device);  // pre-fills; nothing starts
  void choose_devices();                        // its second half, nothing chosen
  void choose_format(const QString& name);
  void choose_path(const QString& path);

  // Once accepted.
  bool to_device() const;
  DevicePtr device() const;
  JobRequest request() const;  // without the device, which has to be confirmed

 private:
  QWidget* make_file_half();
  void browse();
  void format_changed();
  void show_plan();
  QString about_source() const;
  QString why_not_there(const QFileInfo& target) const;  // of the file that is named; empty: it can be made
  void follow_device();
  const Format& format() const;

  ImagePtr image_;
  DeviceModel& devices_;
  bool gone_ = false;  // the device that was to be read
  Segments* where_;
  QStackedWidget* halves_;
  QLineEdit* path_;
  TextLabel* path_hint_;
  QComboBox* format_;
  TextLabel* format_hint_;
  OptionForm* options_;
  QCheckBox* compress_;
  QCheckBox* verify_;
  DevicePicker* picker_;
  TextLabel* title_;
  PlanPanel* plan_;
  QPushButton* go_;
};

}  // namespace disklathe::ui
