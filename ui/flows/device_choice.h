// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <memory>

#include "core/device/target_guard.h"

namespace disklathe::ui {

// Takes down which device is at a node and who uses it, on a thread, and calls back on this one unless `context` is
// gone by then. `why`: why it cannot be written, in a sentence.
void choose_device_at(const QString& node, QObject* context,
                      std::function<void(std::shared_ptr<const ChosenDevice> chosen, const QString& why)> then);

}  // namespace disklathe::ui
