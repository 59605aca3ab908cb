// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/jobs/job_queue.h"
#include "ui/pictures/allocation_map.h"
#include "ui/pictures/map_legend.h"

namespace disklathe::ui {

// What a job has done to the first `size` bytes of its target, which are all that it writes, as a map paints it:
// running or ended.
AllocationMap::Job painted_by(const QueuedJob& job, uint64_t size);

// The legend of a map: the kinds that occur in it, and the marks of a job that paints it.
// hole: what holes are called there; empty: as they always are.
QVector<MapLegend::Item> legend_of(const ContentCells& cells, const AllocationMap::Job* job, bool amounts,
                                   const QString& hole = {});

}  // namespace disklathe::ui
