// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/desktop/keep_setting.h"

#include <QCoreApplication>
#include <QSettings>
#include <QThreadPool>

namespace disklathe::ui {
namespace {

// One thread: in order.
QThreadPool& writer() {
  static QThreadPool pool;
  static const bool ready = [] {
    pool.setMaxThreadCount(1);
    qAddPostRoutine(wait_for_settings);
    return true;
  }();
  Q_UNUSED(ready)
  return pool;
}

}  // namespace

void keep_setting(const QString& key, const QVariant& value) {
  writer().start([key, value] { QSettings().setValue(key, value); });
}

void wait_for_settings() { writer().waitForDone(); }

}  // namespace disklathe::ui
