// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/jobs/job_queue.h"
#include "ui/pictures/phase_bar.h"

namespace disklathe::ui {

// The phases of a job as its bar shows them, running or ended.
QVector<PhaseBar::Phase> phases_of(const QueuedJob& job);

}  // namespace disklathe::ui
