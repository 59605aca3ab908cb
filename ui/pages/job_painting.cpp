// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job_painting.h"

#include "ui/words/sizes.h"

namespace disklathe::ui {

AllocationMap::Job painted_by(const QueuedJob& job, uint64_t size) {
  AllocationMap::Job painted{.ends = size};
  const WorkerJob* worker = job.worker();
  if (!worker) return painted;
  const JobProgress& progress = worker->progress();
  const JobResult* result = job.result();
  const bool past_writing = progress.phase >= Phase::flush || (result && result->good());
  painted.written = past_writing ? size : progress.position;
  painted.verified = progress.phase == Phase::verify ? progress.verified : 0;
  if (result && result->state == JobResult::State::verified) painted.verified = size;
  if (result && result->error && result->state == JobResult::State::differs) painted.differs = result->error->offset;
  if (!result) painted.now = progress.phase == Phase::verify ? progress.verified : painted.written;
  return painted;
}

QVector<MapLegend::Item> legend_of(const ContentCells& cells, const AllocationMap::Job* job, bool amounts,
                                   const QString& hole) {
  QVector<MapLegend::Item> items;
  for (const auto kind : {ContentKind::data, ContentKind::compressed, ContentKind::backing, ContentKind::encrypted,
                          ContentKind::partition, ContentKind::zero, ContentKind::hole, ContentKind::unreadable})
    if (cells.total(kind))
      items << MapLegend::Item{MapLegend::Mark::kind, kind,
                               kind == ContentKind::hole && !hole.isEmpty() ? hole : name_of_kind(kind),
                               amounts ? Sizes::decimal(cells.total(kind)) : QString()};
  if (!job) return items;
  items << MapLegend::Item{.mark = MapLegend::Mark::written, .name = AllocationMap::tr("written")}
        << MapLegend::Item{.mark = MapLegend::Mark::verified, .name = AllocationMap::tr("verified")};
  if (job->now) items << MapLegend::Item{.mark = MapLegend::Mark::now, .name = AllocationMap::tr("now")};
  if (job->differs) items << MapLegend::Item{.mark = MapLegend::Mark::differs, .name = AllocationMap::tr("differs")};
  return items;
}

}  // namespace disklathe::ui
