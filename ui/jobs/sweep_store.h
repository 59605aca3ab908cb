// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>

#include "ui/pictures/sweep_plot.h"

namespace disklathe::ui {

// The last sweep of each device, kept between starts: the next one is laid over it.
std::optional<SweepRun> kept_sweep(const QString& device_id);
void keep_sweep(const QString& device_id, const SweepRun& run);

}  // namespace disklathe::ui
