// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/job_request.h"

#include <QFileInfo>

#include "ui/words/device_words.h"

namespace disklathe::ui {

QString JobRequest::source_name() const { return read ? DeviceWords::name(read->disk) : QFileInfo(source).fileName(); }

QString JobRequest::target_name() const {
  if (!device) return QFileInfo(target).fileName();
  return device->whole() ? DeviceWords::name(device->disk) : QString::fromStdString(device->node().name);
}

}  // namespace disklathe::ui
