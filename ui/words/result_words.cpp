// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/words/result_words.h"

#include <QFileInfo>

#include "ui/words/error_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

QString ResultWords::sentence(const JobResult& result) {
  switch (result.state) {
    case JobResult::State::verified: return tr("Verified: %1 read back").arg(Sizes::decimal(result.bytes));
    case JobResult::State::written: return tr("Written, not verified");
    case JobResult::State::differs:
      return tr("Differs at byte %1").arg(Sizes::number(result.error->offset.value_or(0)));
    case JobResult::State::failed:
      if (result.error->kind == ErrorKind::vanished && result.touched && result.reached)
        return tr("Failed: %1 was unplugged at %2.")
            .arg(QString::fromStdString(result.error->subject), Sizes::percent(*result.reached));
      return tr("Failed: %1").arg(ErrorWords::sentence(*result.error));
    case JobResult::State::read: break;
  }
  if (const auto* compared = std::get_if<job::Compared>(&*result.outcome))
    return compared->differs_at ? tr("Differ at byte %1").arg(Sizes::number(*compared->differs_at)) : tr("The same");
  return tr("Done");
}

QString ResultWords::meaning(const JobRequest& request, const JobResult& result) {
  const QString target = request.target_name();
  switch (result.state) {
    case JobResult::State::verified:
      return request.device ? tr("Every byte came back from %1, past this computer's caches.").arg(target)
                            : tr("Every byte of %1 was read back and is the same.").arg(target);
    case JobResult::State::written: return tr("It is flushed to %1. Nothing was read back.").arg(target);
    case JobResult::State::differs:
      if (request.read && request.read->usage.in_use)
        return tr("%1 was in use, and changed while it was read: the image may not fit together. Unmount it, then make "
                  "the image again.")
            .arg(request.source_name());
      return tr("%1 returned other bytes than were written. Do not use its contents.").arg(target);
    case JobResult::State::failed:
      return QStringList(
                 {left_behind(request, result), ErrorWords::advice(*result.error), ErrorWords::detail(*result.error)})
          .join(QLatin1Char(' '))
          .simplified();
    case JobResult::State::read: return {};
  }
  return {};
}

QString ResultWords::left_behind(const JobRequest& request, const JobResult& result) {
  if (!request.writes()) return {};
  const QString target = request.target_name();
  if (!request.device && request.kind() == job::Kind::sweep) return tr("Of the scratch file nothing stays.");
  if (!request.device)
    return result.kept ? tr("The file %1 is as it was.").arg(target)
                       : tr("Nothing was left under the name %1.").arg(target);
  if (!result.touched) return tr("Nothing was written to %1.").arg(target);
  if (request.kind() == job::Kind::sweep) return tr("A part of %1 was overwritten.").arg(target);
  if (result.flushed && result.error->kind != ErrorKind::vanished)
    return tr("All of it is written to %1 and flushed, but was not read back to the end.").arg(target);
  return tr("%1 is incomplete: part of it is new, the rest is old.").arg(target);
}

// Made of no hardware, they are all called the same.
QString ResultWords::told_apart(const QString& name, const Disk& disk) {
  return is_virtual(disk.bus) ? tr("%1 (%2)", "device, kernel name").arg(name, QString::fromStdString(disk.name))
                              : name;
}

QString ResultWords::source(const JobRequest& request) {
  return request.read ? told_apart(request.source_name(), request.read->disk) : request.source_name();
}

QString ResultWords::target(const JobRequest& request) {
  const bool whole = request.device && request.device->whole();
  return whole ? told_apart(request.target_name(), request.device->disk) : request.target_name();
}

QString ResultWords::title(const JobRequest& request) {
  switch (request.kind()) {
    case job::Kind::convert: return tr("%1 → %2").arg(source(request), target(request));
    case job::Kind::compare:
      return tr("%1 and %2").arg(request.source_name(), request.other.section(QLatin1Char('/'), -1));
    case job::Kind::zero: return tr("Zero %1").arg(target(request));
    case job::Kind::sweep:
      if (request.writes() && !request.device)
        return tr("Sweep on %1", "a folder").arg(QFileInfo(request.target).absolutePath());
      return tr("Sweep of %1").arg(request.writes() ? target(request) : source(request));
    case job::Kind::inspect:
    case job::Kind::map:
    case job::Kind::checksum: return request.source_name();
    case job::Kind::export_: return request.writes() ? request.target_name() : request.source_name();
  }
  return {};
}

QString ResultWords::waits(const QString& thing, const JobRequest& earlier) {
  return tr("%1 is busy. Starts after %2.").arg(thing, title(earlier));
}

QString ResultWords::kind(job::Kind kind) {
  switch (kind) {
    case job::Kind::inspect: return tr("Inspect");
    case job::Kind::map: return tr("Map");
    case job::Kind::convert: return tr("Convert");
    case job::Kind::zero: return tr("Zero");
    case job::Kind::compare: return tr("Compare");
    case job::Kind::sweep: return tr("Sweep");
    case job::Kind::checksum: return tr("Checksum");
    case job::Kind::export_: return tr("Export");
  }
  return {};
}

QString ResultWords::phase(Phase phase, job::Kind kind) {
  switch (phase) {
    case Phase::prepare: return tr("Prepare");
    case Phase::measure: return tr("Measure");
    case Phase::write:
      return kind == job::Kind::sweep ? tr("Measure") : kind == job::Kind::zero ? tr("Zero") : tr("Write");
    case Phase::flush: return tr("Flush");
    case Phase::verify: return kind == job::Kind::compare ? tr("Compare") : tr("Verify");
    case Phase::done: return tr("Done");
  }
  return {};
}

QString ResultWords::doing(const JobProgress& progress, job::Kind kind) {
  const auto with_share = [&](const QString& word) {
    const auto share = progress.share();
    if (!share) return progress.position ? tr("%1, %2").arg(word, Sizes::decimal(progress.position)) : word;
    if (progress.of_input()) return tr("%1, %2 of the compressed input").arg(word, Sizes::percent(*share));
    return tr("%1 %2", "Writing, 62 %").arg(word, Sizes::percent(*share));
  };
  if (progress.paused) return with_share(tr("Paused"));
  if (progress.stalled) return tr("No answer for %1").arg(Sizes::duration(*progress.stalled));
  switch (progress.phase) {
    case Phase::prepare: return tr("Preparing");
    case Phase::measure: return with_share(tr("Measuring"));
    case Phase::write:
      return with_share(kind == job::Kind::zero    ? tr("Zeroing")
                        : kind == job::Kind::sweep ? tr("Measuring")
                                                   : tr("Writing"));
    case Phase::flush: return tr("Flushing");
    case Phase::verify: return with_share(kind == job::Kind::compare ? tr("Comparing") : tr("Verifying"));
    case Phase::done: return tr("Finishing");
  }
  return {};
}

QString ResultWords::if_cancelled(const JobRequest& request, const JobProgress& progress) {
  const QString target = request.target_name();
  const bool measures = request.kind() == job::Kind::sweep;
  if (!request.writes() || (measures && !request.device)) return tr("If cancelled now, nothing is changed.");
  if (progress.phase == Phase::prepare || progress.phase == Phase::measure)
    return tr("If cancelled now, %1 is as it was.").arg(target);
  if (measures) return tr("If cancelled now, a part of %1 is overwritten.").arg(target);
  if (progress.phase == Phase::verify) {
    const uint64_t rest = progress.total > progress.verified ? progress.total - progress.verified : 0;
    if (!request.device) return tr("If cancelled now, no file is left: it appears once it is complete.");
    return tr("If cancelled now, everything is written and flushed, but %1 are not verified.")
        .arg(Sizes::decimal(rest));
  }
  if (!request.device) return tr("If cancelled now, no file is left: it appears once it is complete.");
  if (request.kind() == job::Kind::zero) return tr("If cancelled now, %1 is zero in part.").arg(target);
  return tr("If cancelled now, %1 is incomplete: its first %2 are new, the rest is old.")
      .arg(target, Sizes::decimal(progress.position));
}

QString ResultWords::old_partitions() {
  return tr("The system still sees the old partitions until it is plugged in again.");
}

QString ResultWords::room(uint64_t free, uint64_t needed) {
  return tr("%1 are free there; the whole image is %2.").arg(Sizes::decimal(free), Sizes::decimal(needed));
}

}  // namespace disklathe::ui
