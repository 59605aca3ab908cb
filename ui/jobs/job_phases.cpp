// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/job_phases.h"

#include "ui/words/result_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

bool reads_back(const JobRequest& request) {
  if (const auto* convert = std::get_if<job::Convert>(&request.work)) return convert->verify;
  return std::holds_alternative<job::Zero>(request.work) || std::holds_alternative<job::Compare>(request.work);
}

QVector<Phase> order_of(const JobRequest& request) {
  QVector<Phase> order{Phase::prepare};
  if (request.writes() || request.kind() == job::Kind::sweep) order << Phase::write;
  if (request.writes() && request.kind() != job::Kind::sweep) order << Phase::flush;
  if (reads_back(request)) order << Phase::verify;
  return order;
}

double weight_of(Phase phase) { return phase == Phase::write ? 60 : phase == Phase::verify ? 35 : 2; }

QString note_of_running(Phase phase, const JobProgress& progress) {
  if (phase == Phase::write)
    return PhaseBar::tr("%1 written, %2 zeroed").arg(Sizes::decimal(progress.written), Sizes::decimal(progress.zeroed));
  if (phase == Phase::verify)
    return PhaseBar::tr("%1 of %2 read back").arg(Sizes::decimal(progress.verified), Sizes::decimal(progress.total));
  return {};
}

QString note_of_coming(Phase phase) {
  if (phase == Phase::flush) return PhaseBar::tr("after writing");
  return phase == Phase::verify ? PhaseBar::tr("reads all of it back") : QString();
}

}  // namespace

QVector<PhaseBar::Phase> phases_of(const QueuedJob& job) {
  const job::Kind kind = job.request().kind();
  const QVector<Phase> order = order_of(job.request());
  const WorkerJob* worker = job.worker();
  const JobProgress progress = worker ? worker->progress() : JobProgress{};
  const Phase now = progress.phase == Phase::measure ? Phase::prepare : progress.phase;
  const JobResult* result = job.result();
  const bool good = result && result->good();

  QVector<PhaseBar::Phase> phases;
  for (const Phase phase : order) {
    PhaseBar::Phase shown{
        .name = ResultWords::phase(phase, kind), .weight = weight_of(phase), .reads_back = phase == Phase::verify};
    if (good || phase < now || progress.phase == Phase::done) {
      shown.done = 1;
      if (const auto took = worker ? worker->meter().took(phase) : std::nullopt)
        shown.note = PhaseBar::tr("took %1").arg(Sizes::duration(*took));
    } else if (phase == now && worker) {
      shown.done = std::max(0.02, progress.share().value_or(0.02));
      shown.failed = result != nullptr;
      shown.note = shown.failed ? PhaseBar::tr("stopped here") : note_of_running(phase, progress);
    } else if (!result) {
      shown.note = note_of_coming(phase);
    }
    phases << shown;
  }
  return phases;
}

}  // namespace disklathe::ui
