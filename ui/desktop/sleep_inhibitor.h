// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "core/device/descriptor.h"

namespace disklathe::ui {

// Keeps the machine awake and up while something is written, through flushing and verifying: logind where it is, the
// desktop portal in a sandbox. Without either nothing is kept.
class SleepInhibitor : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  void set_active(bool active);

 private:
  void ask_logind();
  void ask_portal();

  bool active_ = false;
  Descriptor lock_;        // logind's: held as long as it is open
  QString portal_handle_;  // the portal's request
};

}  // namespace disklathe::ui
