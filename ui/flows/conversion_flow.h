// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "ui/devices/device.h"
#include "ui/images/image_model.h"
#include "ui/jobs/history.h"
#include "ui/jobs/job_queue.h"

namespace disklathe::ui {

class ConvertDialog;
class DeviceModel;
struct Erasure;

// From "convert this" to a job in the queue: the dialog, and for a device the choice taken down and the yes. The only
// way by which a device gets into a job that writes.
class ConversionFlow : public QObject {
  Q_OBJECT
 public:
  ConversionFlow(DeviceModel& devices, JobQueue& queue, QWidget& window);

  enum class Where : uint8_t { file, device };
  void begin(const ImagePtr& image, Where where);
  void begin_on(const ImagePtr& image, const DevicePtr& device);  // pre-filled; nothing starts
  void make_image_of(const DevicePtr& device);
  void again(const ImagePtr& image, const History::Entry& entry);
  // A job that did not end well, from its first question on; the device is confirmed anew, and chosen anew unless only
  // the right to open it was missing. image: what it read; null: nothing.
  void again(const ImagePtr& image, const QueuedJob& job);

  // The last step for anything that writes to a device: what is there now is looked at anew and confirmed, then the job
  // is put in the queue.
  void confirm(const QString& node, const Erasure& erasure, const JobRequest& asked);

 Q_SIGNALS:
  void queued(disklathe::ui::QueuedJob* job);

 private:
  ConvertDialog* open_dialog(const ImagePtr& image);

  DeviceModel& devices_;
  JobQueue& queue_;
  QWidget& window_;
};

}  // namespace disklathe::ui
