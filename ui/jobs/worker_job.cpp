// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/worker_job.h"

#include <QPointer>
#include <QThreadPool>
#include <QTime>

#include "core/job/kept.h"
#include "ui/jobs/job_verdict.h"
#include "ui/words/core_words.h"
#include "ui/words/error_words.h"
#include "ui/words/result_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

WorkerJob::WorkerJob(JobRequest request, QObject* parent)
    : KJob(parent), request_(std::move(request)), meter_(request_.kind() == job::Kind::zero) {
  Capabilities can = Killable;
  const job::Kind kind = request_.kind();
  if (kind == job::Kind::convert || kind == job::Kind::zero || kind == job::Kind::compare) can |= Suspendable;
  setCapabilities(can);
  setAutoDelete(false);
}

WorkerJob::WorkerJob(JobRequest request, Kept kept, QObject* parent) : WorkerJob(std::move(request), parent) {
  kept_id_ = std::move(kept.id);
  client_ = std::move(kept.client);
  files_ = std::make_shared<JobFiles>();
  files_->written = std::move(kept.written);
  ran_ = std::chrono::nanoseconds(kept.told.ran);
  meter_.resume(kept.told.phases);
  files_->kept = std::move(kept.told.spec);
}

WorkerJob::~WorkerJob() {
  if (kept_id_.empty() || ended() || !files_) return;
  files_->hand_on();
}

void WorkerJob::start() {
  began_ = clock_.now() - ran_;
  if (client_) {
    add_log(tr("It went on while the window was closed"));
    begun_ = true;
    return talk_to(std::move(client_));
  }
  Q_EMIT description(this, ResultWords::kind(request_.kind()),
                     {tr("Source"), request_.source.isEmpty() ? request_.target : request_.source},
                     {tr("Destination"), request_.target});
  add_log(tr("Opening the files"));
  QThreadPool::globalInstance()->start([request = request_, guard = QPointer<WorkerJob>(this)] {
    auto files = JobFiles::open(request);
    QMetaObject::invokeMethod(qApp, [guard, files] {
      if (guard) guard->opened(files);
    });
  });
}

void WorkerJob::opened(const std::shared_ptr<JobFiles>& files) {
  files_ = files;
  if (stopping_) return complete(failure(Error{.kind = ErrorKind::stopped}));
  if (files->error) return complete(failure(*files->error));
  if (files->client) return talk_to(std::move(files->client));
  auto client = helper::Authorization::ask(*files->granted, this);
  if (!client) return complete(failure(client));
  asked_helper_ = true;
  add_log(tr("Asking for the right to open the device"));
  const job::Spec spec{.files = files->handover.files(), .work = request_.work};
  if (auto begun = (*client)->begin(spec, files->handover.descriptors()); !begun) return complete(failure(begun));
  talk_to(std::move(*client));
}

void WorkerJob::talk_to(std::unique_ptr<job::Client> client) {
  client_ = std::move(client);
  notifier_ = std::make_unique<QSocketNotifier>(client_->descriptor(), QSocketNotifier::Read);
  connect(notifier_.get(), &QSocketNotifier::activated, this, &WorkerJob::take_events);
  take_events();
}

void WorkerJob::take_events() {
  while (client_) {
    auto event = client_->take();
    if (!event) return;
    std::visit([this](const auto& one) { take(one); }, *event);
  }
}

void WorkerJob::take(const job::Hello& hello) {
  QStringList layers;
  for (const job::SandboxLayer& layer : hello.layers)
    if (layer.on) layers << QString::fromStdString(layer.name);
  add_log(tr("Worker %1, held in by %2").arg(QString::fromStdString(hello.program), layers.join(QStringLiteral(", "))));
  begun_ = true;
  if (auto went = client_->go(); !went) add_log(ErrorWords::whole(went.error()));
}

void WorkerJob::take(const job::Reading& reading) {
  const bool looks = request_.kind() == job::Kind::inspect || request_.kind() == job::Kind::map;
  if (reading.phase != progress_.phase && !looks) add_log(ResultWords::phase(reading.phase, request_.kind()));
  if (reading.paused != progress_.paused) {
    reading.paused ? clock_.pause() : clock_.resume();
    add_log(reading.paused ? tr("Paused") : tr("Resumed"));
  }
  progress_ = meter_.take(reading, seconds());
  if (progress_.total_known) setTotalAmount(Bytes, progress_.total);
  setProcessedAmount(Bytes, progress_.position);
  if (const auto share = progress_.share()) setPercent(static_cast<unsigned long>(*share * 100));
  emitSpeed(static_cast<unsigned long>(progress_.rate_now));
  Q_EMIT infoMessage(this, ResultWords::doing(progress_, request_.kind()));
  Q_EMIT progressed();
}

void WorkerJob::take(const job::Note& note) {
  const QString text = QString::fromStdString(note.text);
  QString line;
  switch (note.kind) {
    case job::Note::Kind::format_probed: line = tr("By its content it is %1.").arg(text); break;
    case job::Note::Kind::image_warning: line = CoreWords::translated(note.text).value_or(text); break;
    case job::Note::Kind::trailing_garbage:
      line = tr("What follows the compressed data, from byte %1 on, was left out.").arg(Sizes::number(note.offset));
      break;
    case job::Note::Kind::target_mixed:
      mixed_ = true;
      line = tr("The target holds a part of the image and a part of what was there.");
      break;
    case job::Note::Kind::serving: line = tr("Clients are served"); break;
  }
  add_log(line);
  Q_EMIT noted(line);
}

void WorkerJob::take(const job::Question& question) {
  const QString path = QString::fromStdString(question.path);
  if (request_.approved.contains(path)) {
    auto device = open_to_read(path);
    const auto answered =
        device ? client_->answer(question, **device, CacheMode::automatic) : client_->refuse(question, device.error());
    add_log(device ? tr("Opened %1").arg(path) : ErrorWords::whole(device.error()));
    if (!answered) add_log(ErrorWords::whole(answered.error()));
    return;
  }
  refused_ << Refused{QString::fromStdString(question.image), QString::fromStdString(question.reference.name), path,
                      QString::fromStdString(question.reference.format)};
  add_log(tr("Not opened, as nobody allowed it: %1").arg(path));
  const Error why{.kind = ErrorKind::refused,
                  .operation = "open",
                  .subject = question.path,
                  .cause = "another image names it, and nobody allowed it yet"};
  if (auto told = client_->refuse(question, why); !told) add_log(ErrorWords::whole(told.error()));
}

void WorkerJob::take(const job::Piece& piece) { Q_EMIT mapped(piece.entries); }

void WorkerJob::take(const job::Client::Ended& ended) {
  if (ended.result) return complete(*ended.result);
  Error error = ended.result.error();
  if (asked_helper_ && !begun_ && error.kind == ErrorKind::crashed)
    error = {.kind = ErrorKind::permission,
             .operation = std::string(helper::to_ask),
             .cause = "disklathe-helper did not answer"};
  // Stuck in a request it ended without a word, as it was told to.
  if (stopping_ && error.kind == ErrorKind::crashed) error = {.kind = ErrorKind::stopped};
  complete(std::unexpected(std::move(error)));
}

void WorkerJob::stop() {
  if (ended()) return;
  if (stopping_ && client_) client_->kill();
  stopping_ = true;
  add_log(tr("Stopping"));
  if (!client_) return;
  [[maybe_unused]] const auto told = client_->stop();  // a worker that is gone has ended anyway
}

bool WorkerJob::can_pause() const {
  const Phase phase = progress_.phase;
  return capabilities().testFlag(Suspendable) && client_ && begun_ && !stopping_ &&
         (phase == Phase::measure || phase == Phase::write || phase == Phase::verify);
}

void WorkerJob::set_paused(bool paused) {
  if (!client_ || !capabilities().testFlag(Suspendable)) return;
  // A worker that is gone has ended anyway.
  [[maybe_unused]] const auto told = paused ? client_->pause() : client_->resume();
}

bool WorkerJob::doSuspend() {
  if (!can_pause()) return false;
  set_paused(true);
  return true;
}

bool WorkerJob::doResume() {
  set_paused(false);
  return true;
}

void WorkerJob::keep() {
  if (!client_ || !begun_ || !kept_id_.empty()) return;
  const auto place = job::make_kept_place();
  const Result<void> kept =
      place ? client_->keep(place->listening.get()) : Result<void>(std::unexpected(place.error()));
  if (!kept) return add_log(ErrorWords::whole(kept.error()));
  kept_id_ = place->id;
  add_log(tr("It goes on without the window"));
}

bool WorkerJob::doKill() {
  stop();
  return false;  // it ends by itself, with a result
}

// What is left to be done once the worker has said how it went. For a thread: it waits for the disk and for the worker.
struct WorkerJob::Ending {
  JobRequest request;
  std::shared_ptr<JobFiles> files;
  std::unique_ptr<job::Client> client;
  std::string kept_id;
  Result<job::Outcome> outcome;
  JobResult result;  // so far

  void finish() {
    result = judge(std::move(result), request, files.get(), std::move(outcome));
    files.reset();
    if (!kept_id.empty()) {  // its files have their names now
      if (client) {
        [[maybe_unused]] const auto told = client->taken();  // it ends by itself some day when this is lost
      }
      job::forget_kept_job(kept_id);
    }
    // The worker has the device open until it ends, which this waits for: the next job may be about the same one.
    client.reset();
  }
};

void WorkerJob::complete(Result<job::Outcome> outcome) {
  notifier_.reset();
  // A sweep counts its slices.
  JobResult so_far{.bytes = request_.kind() == job::Kind::sweep ? 0 : progress_.total,
                   .reached = progress_.share(),
                   .flushed = progress_.phase == Phase::verify,
                   .touched = mixed_ || progress_.phase >= Phase::write};
  auto ending = std::make_shared<Ending>(request_, std::move(files_), std::move(client_), kept_id_, std::move(outcome),
                                         std::move(so_far));
  const auto finish = [guard = QPointer<WorkerJob>(this), ending] {
    ending->finish();
    QMetaObject::invokeMethod(qApp, [guard, ending] {
      if (guard) guard->end(std::move(ending->result));
    });
  };
  // Not at once: this may be called from inside of the client's own take().
  QMetaObject::invokeMethod(qApp, [finish] { QThreadPool::globalInstance()->start(finish); }, Qt::QueuedConnection);
}

void WorkerJob::end(JobResult result) {
  progress_.seconds = seconds();
  meter_.end(progress_.seconds);
  result_ = std::move(result);
  add_log(ResultWords::sentence(*result_));
  if (const QString detail = result_->error ? ErrorWords::detail(*result_->error) : QString(); !detail.isEmpty())
    add_log(detail);
  if (!result_->good()) {
    setError(UserDefinedError);
    setErrorText(ResultWords::sentence(*result_));
  }
  Q_EMIT done();
  emitResult();
}

void WorkerJob::add_log(const QString& line) {
  log_ << QTime::currentTime().toString(QStringLiteral("HH:mm:ss  ")) + line;
  Q_EMIT logged(log_.back());
}

}  // namespace disklathe::ui
