// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/worker_job.h"

#include <sys/stat.h>

#include <QFileInfo>
#include <QPointer>
#include <QStorageInfo>
#include <QThreadPool>
#include <QTime>

#include "core/device/after_write.h"
#include "core/job/kept.h"
#include "helper/client/authorization.h"
#include "ui/words/device_words.h"
#include "ui/words/error_words.h"
#include "ui/words/result_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

// A sweep measures devices, not this computer's memory.
CacheMode cache_of(const JobRequest& request) {
  return request.kind() == job::Kind::sweep ? CacheMode::none : CacheMode::automatic;
}

Error refused_device(const JobRequest& request, const Denial& denial) {
  Error error = denial.error;
  error.subject = request.target_name().toStdString();
  if (denial.reason == Denial::Reason::failed) return error;
  error.kind = denial.reason == Denial::Reason::held       ? ErrorKind::busy
               : denial.reason == Denial::Reason::replaced ? ErrorKind::vanished
                                                           : ErrorKind::refused;
  error.cause = DeviceWords::denial(denial).toStdString();
  return error;
}

Result<std::unique_ptr<FileDevice>> open_to_read(const QString& path, CacheMode cache = CacheMode::automatic) {
  return FileDevice::open({.path = path.toStdString(), .writable = false, .cache = cache});
}

}  // namespace

// What a job holds open while it runs. Made on a thread: a disk that spins up takes seconds to open.
struct WorkerJob::Opened {
  std::unique_ptr<FileDevice> source, other, device;
  std::unique_ptr<TargetFile> fresh, data;
  job::Handover handover;
  std::unique_ptr<job::Client> client;  // of a worker that has been started
  std::optional<Error> error;
  std::optional<helper::Request> granted;  // the device that the helper has to open
  std::vector<Descriptor> written;         // of a kept job: what its worker gave back
  std::optional<job::Spec> kept;           // and what it is

  FileDevice* target() const { return device ? device.get() : fresh ? &fresh->device() : nullptr; }
  int device_descriptor() const {  // -1: the helper opened it, or there is none
    if (device) return device->descriptor();
    return kept && !written.empty() ? written.front().get() : -1;
  }
};

namespace {

// What the helper is to be asked for, where the user may not open the device of a job: its target, else its source.
std::optional<helper::Request> to_be_asked(const JobRequest& request) {
  using helper::Action;
  if (request.device) {
    if (request.kind() == job::Kind::convert) return helper::Request{Action::convert, request.device->identity};
    if (request.kind() == job::Kind::zero) return helper::Request{Action::zero, request.device->identity};
    if (request.kind() == job::Kind::sweep) return helper::Request{Action::sweep_write, request.device->identity};
    return std::nullopt;
  }
  const auto identity = identity_of(request.source.toStdString());
  if (!identity) return std::nullopt;
  switch (request.kind()) {
    case job::Kind::convert: return helper::Request{Action::convert_read, *identity};
    case job::Kind::inspect: return helper::Request{Action::inspect, *identity};
    case job::Kind::sweep: return helper::Request{Action::sweep_read, *identity};
    default: return std::nullopt;
  }
}

// Whether the device is not there any more, or another one, or without its medium.
bool is_gone(const ChosenDevice& chosen, const FileDevice* device) {
  if (device) {
    const auto same = still_chosen(chosen, device->descriptor());
    return !same && same.error().reason != Denial::Reason::failed;
  }
  const auto now = identity_of(chosen.path);  // the helper has it open
  return !now || !differences(chosen.identity, *now).empty();
}

template <class T>
bool take_over(Result<T> result, T& into, std::optional<Error>& error) {
  if (result)
    into = std::move(*result);
  else
    error = std::move(result.error());
  return !error;
}

}  // namespace

WorkerJob::WorkerJob(JobRequest request, QObject* parent) : KJob(parent), request_(std::move(request)) {
  Capabilities can = Killable;
  const job::Kind kind = request_.kind();
  if (kind == job::Kind::convert || kind == job::Kind::zero || kind == job::Kind::compare) can |= Suspendable;
  setCapabilities(can);
  setAutoDelete(false);
}

WorkerJob::WorkerJob(JobRequest request, Kept kept, QObject* parent) : WorkerJob(std::move(request), parent) {
  kept_id_ = std::move(kept.id);
  client_ = std::move(kept.client);
  files_ = std::make_shared<Opened>();
  files_->written = std::move(kept.written);
  files_->kept = std::move(kept.spec);
}

WorkerJob::~WorkerJob() {
  if (kept_id_.empty() || ended() || !files_) return;
  // The worker has them; who attaches to it gives them their names.
  for (TargetFile* file : {files_->fresh.get(), files_->data.get()})
    if (file) file->hand_on();
}

void WorkerJob::start() {
  began_ = clock_.now();
  if (client_) {
    add_log(tr("It went on while the window was closed"));
    begun_ = true;
    return talk_to(std::move(client_));
  }
  Q_EMIT description(this, ResultWords::kind(request_.kind()),
                     {tr("Source"), request_.source.isEmpty() ? request_.target : request_.source},
                     {tr("Destination"), request_.target});
  add_log(tr("Opening the files"));
  const auto open_all = [request = request_] {
    auto files = std::make_shared<Opened>();
    auto& error = files->error;
    const CacheMode cache = cache_of(request);
    const auto hand = [&](job::Role role, const FileDevice& device, bool writable) {
      if (auto handed = files->handover.add(role, device, writable, cache); !handed) error = handed.error();
    };
    const auto ask_helper = [&](const std::string& name) {
      if (!error || error->kind != ErrorKind::permission || files->granted) return;
      files->granted = to_be_asked(request);
      if (!files->granted) return;
      files->handover.add_granted(helper::granted_file(files->granted->action, name));
      error.reset();
    };
    if (!request.source.isEmpty()) {
      if (take_over(open_to_read(request.source, cache), files->source, error))
        hand(job::Role::source, *files->source, false);
      else if (!request.device)
        ask_helper(request.source.toStdString());
    }
    if (!error && !request.other.isEmpty() && take_over(open_to_read(request.other), files->other, error))
      hand(job::Role::other, *files->other, false);
    if (!error && request.device) {
      auto device = open_chosen(*request.device, cache);
      if (device) {
        files->device = std::move(*device);
      } else {
        error = refused_device(request, device.error());
        ask_helper(request.target.toStdString());
      }
    } else if (!error && !request.target.isEmpty()) {
      take_over(TargetFile::create(request.target.toStdString(), cache), files->fresh, error);
    }
    if (!error && files->target()) hand(job::Role::target, *files->target(), true);
    if (const auto* convert = std::get_if<job::Convert>(&request.work); convert && !error) {
      const auto data = convert->options.find("data_file");
      if (data != convert->options.end() && take_over(TargetFile::create(data->second, cache), files->data, error))
        hand(job::Role::data, files->data->device(), true);
    }
    // A process that is started waits for its turn on the processor: not here, where the window would wait with it.
    if (!error && !files->granted) {
      const job::Spec spec{.files = files->handover.files(), .work = request.work};
      take_over(job::Client::start(spec, files->handover.descriptors()), files->client, error);
    }
    return files;
  };
  QThreadPool::globalInstance()->start([open_all, guard = QPointer<WorkerJob>(this)] {
    auto files = open_all();
    QMetaObject::invokeMethod(qApp, [guard, files] {
      if (guard) guard->opened(files);
    });
  });
}

void WorkerJob::opened(const std::shared_ptr<Opened>& files) {
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
  if (auto went = client_->go(); !went) add_log(ErrorWords::sentence(went.error()));
}

void WorkerJob::take(const job::Reading& reading) {
  if (reading.phase != progress_.phase) add_log(ResultWords::phase(reading.phase, request_.kind()));
  if (reading.paused != progress_.paused) {
    reading.paused ? clock_.pause() : clock_.resume();
    add_log(reading.paused ? tr("Paused") : tr("Resumed"));
  }
  progress_ = meter_.take(reading, std::chrono::duration<double>(clock_.now() - began_).count());
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
    case job::Note::Kind::image_warning: line = text; break;
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
    add_log(device ? tr("Opened %1").arg(path) : ErrorWords::sentence(device.error()));
    if (!answered) add_log(ErrorWords::sentence(answered.error()));
    return;
  }
  refused_ << Refused{QString::fromStdString(question.image), QString::fromStdString(question.reference.name), path,
                      QString::fromStdString(question.reference.format)};
  add_log(tr("Not opened, as nobody allowed it: %1").arg(path));
  const Error why{.kind = ErrorKind::refused,
                  .operation = "open",
                  .subject = question.path,
                  .cause = tr("another image names it, and nobody allowed it yet").toStdString()};
  if (auto told = client_->refuse(question, why); !told) add_log(ErrorWords::sentence(told.error()));
}

void WorkerJob::take(const job::Piece& piece) { Q_EMIT mapped(piece.entries); }

void WorkerJob::take(const job::Client::Ended& ended) {
  if (ended.result) return complete(*ended.result);
  Error error = ended.result.error();
  if (asked_helper_ && !begun_ && error.kind == ErrorKind::crashed)
    error = {.kind = ErrorKind::permission,
             .operation = std::string(helper::to_ask),
             .cause = tr("disklathe-helper did not answer").toStdString()};
  // Stuck in a request it ended without a word, as it was told to.
  if (stopping_ && error.kind == ErrorKind::crashed) error = {.kind = ErrorKind::stopped};
  complete(std::unexpected(std::move(error)));
}

void WorkerJob::stop() {
  if (ended()) return;
  if (stopping_ && client_) client_->kill();
  stopping_ = true;
  add_log(tr("Stopping"));
  if (client_) (void)client_->stop();  // a worker that is gone has ended anyway
}

bool WorkerJob::can_pause() const {
  const Phase phase = progress_.phase;
  return capabilities().testFlag(Suspendable) && client_ && begun_ && !stopping_ &&
         (phase == Phase::measure || phase == Phase::write || phase == Phase::verify);
}

void WorkerJob::set_paused(bool paused) {
  if (!client_ || !capabilities().testFlag(Suspendable)) return;
  (void)(paused ? client_->pause() : client_->resume());  // a worker that is gone has ended anyway
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
  if (!kept) return add_log(ErrorWords::sentence(kept.error()));
  kept_id_ = place->id;
  add_log(tr("It goes on without the window"));
}

bool WorkerJob::doKill() {
  stop();
  return false;  // it ends by itself, with a result
}

// What only this side can do: names for fresh files, the kernel's view of a disk. On a thread, as it waits for the
// disk.
void WorkerJob::judge(JobResult& result, const JobRequest& request, Opened* files, Result<job::Outcome> outcome) {
  if (outcome && files) {
    const auto* convert = std::get_if<job::Convert>(&request.work);
    for (TargetFile* file : {files->data.get(), files->fresh.get()}) {
      if (!file || !outcome || request.kind() == job::Kind::sweep) continue;  // of a scratch file nothing stays
      if (auto named = file->commit(!convert || convert->durable); !named) outcome = failure(named);
    }
    if (outcome && files->kept)
      if (auto named = job::commit_attached(*files->kept, files->written); !named) outcome = failure(named);
    const int device = files->device_descriptor();
    if (outcome && device >= 0 && request.device) {
      if (!still_chosen(*request.device, device)) {
        outcome = failure(Error{.kind = ErrorKind::vanished, .subject = request.target_name().toStdString()});
      } else if (request.device->whole()) {
        const TableReread reread = reread_partition_table(device);
        if (reread == TableReread::busy || reread == TableReread::failed)
          result.notes << tr("The system still sees the old partitions until it is plugged in again.");
      }
    }
  }
  if (!outcome && files && files->kept) job::discard_attached(*files->kept, files->written);
  if (!outcome) return judge_failure(result, request, files, std::move(outcome.error()));
  result.outcome = std::move(*outcome);
  result.state = JobResult::State::read;
  if (const auto* converted = std::get_if<job::Converted>(&*result.outcome)) {
    result.state = converted->verified ? JobResult::State::verified : JobResult::State::written;
    result.bytes = converted->disk_size;
  }
  if (const auto* zeroed = std::get_if<job::Zeroed>(&*result.outcome)) {
    result.state = zeroed->all_read ? JobResult::State::verified : JobResult::State::written;
    if (zeroed->nonzero_at) {
      result.state = JobResult::State::differs;
      result.error = Error{.kind = ErrorKind::differs, .offset = zeroed->nonzero_at};
    }
  }
}

// What the unfinished target takes and gives back in a moment.
uint64_t WorkerJob::taken_by(Opened* files) {
  struct stat status{};
  if (!files || !files->fresh || fstat(files->fresh->device().descriptor(), &status) != 0) return 0;
  return static_cast<uint64_t>(status.st_blocks) * 512;
}

void WorkerJob::judge_failure(JobResult& result, const JobRequest& request, Opened* files, Error error) {
  result.state = error.kind == ErrorKind::differs ? JobResult::State::differs : JobResult::State::failed;
  const bool by_kernel = error.kind == ErrorKind::io || error.kind == ErrorKind::no_space;
  if (by_kernel && request.device && is_gone(*request.device, files ? files->device.get() : nullptr))
    error.kind = ErrorKind::vanished;
  // A device is known by what is written on it, a file by its name.
  if (error.subject.empty() || error.subject == request.target.toStdString())
    error.subject = request.target_name().toStdString();
  if (!request.device && request.writes()) {
    result.kept = QFileInfo::exists(request.target);
    const auto room = QStorageInfo(QFileInfo(request.target).absolutePath()).bytesAvailable();
    if (error.kind == ErrorKind::no_space && room >= 0)
      result.notes << tr("%1 are free there; the whole image is %2.")
                          .arg(Sizes::decimal(static_cast<uint64_t>(room) + taken_by(files)),
                               Sizes::decimal(result.bytes));
  }
  result.error = std::move(error);
}

void WorkerJob::complete(Result<job::Outcome> outcome) {
  notifier_.reset();
  // Of a kept job the result is taken once its files have their names. This may be called from inside of the client's
  // own take().
  if (client_ && kept_id_.empty()) {
    auto* done_with = client_.release();
    // It waits for its worker's end.
    const auto let_go = [done_with] { QThreadPool::globalInstance()->start([done_with] { delete done_with; }); };
    QMetaObject::invokeMethod(qApp, let_go, Qt::QueuedConnection);
  }
  auto result = std::make_shared<JobResult>();
  result->bytes = progress_.total;
  result->reached = progress_.share();
  result->flushed = progress_.phase == Phase::verify;
  result->touched = mixed_ || progress_.phase >= Phase::write;
  QThreadPool::globalInstance()->start([guard = QPointer<WorkerJob>(this), request = request_,
                                        files = std::move(files_), outcome = std::move(outcome), result]() mutable {
    judge(*result, request, files.get(), std::move(outcome));
    files.reset();
    QMetaObject::invokeMethod(qApp, [guard, result] {
      if (guard) guard->end(std::move(*result));
    });
  });
}

void WorkerJob::end(JobResult result) {
  if (!kept_id_.empty()) {
    if (client_) (void)client_->taken();
    client_.reset();
    job::forget_kept_job(kept_id_);
  }
  result_ = std::move(result);
  add_log(ResultWords::sentence(*result_));
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
