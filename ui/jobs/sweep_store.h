// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "ui/pictures/sweep_plot.h"

namespace disklathe::ui {

// The last sweeps of each device, kept between starts, the newest first: the next one of the same mode is laid over
// them.
QVector<SweepRun> kept_sweeps(const QString& device_id);
void keep_sweep(const QString& device_id, const SweepRun& run);

}  // namespace disklathe::ui
