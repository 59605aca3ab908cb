// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/worker_job.h"

#include <sys/stat.h>

#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>
#include <QTime>

#include "core/device/after_write.h"
#include "helper/client/authorization.h"
#include "ui/words/device_words.h"
#include "ui/words/error_words.h"
#include "ui/words/result_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr CacheMode cache = CacheMode::automatic;

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

Result<std::unique_ptr<FileDevice>> open_to_read(const QString& path) {
  return FileDevice::open({.path = path.toStdString(), .writable = false, .cache = cache});
}

}  // namespace

// What a job holds open while it runs. Made on a thread: a disk that spins up takes seconds to open.
struct WorkerJob::Opened {
  std::unique_ptr<FileDevice> source, other, device;
  std::unique_ptr<TargetFile> fresh, data;
  job::Handover handover;
  std::optional<Error> error;
  std::optional<helper::Request> granted;  // the device that the helper has to open

  FileDevice* target() const { return device ? device.get() : fresh ? &fresh->device() : nullptr; }
};

namespace {

// What the helper is to be asked for, where the user may not open the device of a job: its target, else its source.
std::optional<helper::Request> to_be_asked(const JobRequest& request) {
  using helper::Action;
  if (request.device) {
    if (request.kind() == job::Kind::convert) return helper::Request{Action::convert, request.device->identity};
    if (request.kind() == job::Kind::zero) return helper::Request{Action::zero, request.device->identity};
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
  setCapabilities(Killable);
  setAutoDelete(false);
}

WorkerJob::~WorkerJob() = default;

void WorkerJob::start() {
  clock_.start();
  Q_EMIT description(this, ResultWords::kind(request_.kind()),
                     {tr("Source"), request_.source.isEmpty() ? request_.target : request_.source},
                     {tr("Destination"), request_.target});
  add_log(tr("Opening the files"));
  const auto open_all = [request = request_] {
    auto files = std::make_shared<Opened>();
    auto& error = files->error;
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
      if (take_over(open_to_read(request.source), files->source, error))
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
  const job::Spec spec{.files = files->handover.files(), .work = request_.work};
  auto client = files->granted ? helper::Authorization::ask(*files->granted, this)
                               : job::Client::start(spec, files->handover.descriptors());
  if (client && files->granted) {
    asked_helper_ = true;
    add_log(tr("Asking for the right to open the device"));
    if (auto begun = (*client)->begin(spec, files->handover.descriptors()); !begun) client = failure(begun);
  }
  if (!client) return complete(failure(client));
  client_ = std::move(*client);
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
  progress_ = meter_.take(reading, static_cast<double>(clock_.elapsed()) / 1000);
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
        device ? client_->answer(question, **device, cache) : client_->refuse(question, device.error());
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
  // D-Bus said that nobody has that name.
  if (asked_helper_ && !begun_ && error.kind == ErrorKind::io) {
    error.kind = ErrorKind::permission;
    error.cause = tr("the helper that may open it is not installed").toStdString();
  }
  complete(std::unexpected(std::move(error)));
}

void WorkerJob::stop() {
  if (ended()) return;
  if (stopping_ && client_) client_->kill();
  stopping_ = true;
  add_log(tr("Stopping"));
  if (client_) (void)client_->stop();  // a worker that is gone has ended anyway
}

bool WorkerJob::doKill() {
  stop();
  return false;  // it ends by itself, with a result
}

// What only this side can do: names for fresh files, the kernel's view of a disk. On a thread, as it waits for the
// disk.
JobResult WorkerJob::judged(const JobRequest& request, Opened* files, Result<job::Outcome> outcome, uint64_t bytes) {
  JobResult result;
  result.bytes = bytes;
  if (outcome && files) {
    const auto* convert = std::get_if<job::Convert>(&request.work);
    for (TargetFile* file : {files->data.get(), files->fresh.get()}) {
      if (!file || !outcome) continue;
      if (auto named = file->commit(!convert || convert->durable); !named) outcome = failure(named);
    }
    if (outcome && files->device && request.device) {
      if (!still_chosen(*request.device, files->device->descriptor())) {
        outcome = failure(Error{.kind = ErrorKind::vanished, .subject = request.target_name().toStdString()});
      } else if (request.device->whole()) {
        const TableReread reread = reread_partition_table(files->device->descriptor());
        if (reread == TableReread::busy || reread == TableReread::failed)
          result.notes << tr("The system still sees the old partitions until it is plugged in again.");
      }
    }
  }
  if (!outcome) {
    const bool differs = outcome.error().kind == ErrorKind::differs;
    result.state = differs ? JobResult::State::differs : JobResult::State::failed;
    result.error = outcome.error();
    if (result.error->subject.empty()) result.error->subject = request.target_name().toStdString();
    return result;
  }
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
  return result;
}

void WorkerJob::complete(Result<job::Outcome> outcome) {
  notifier_.reset();
  // This may be called from inside of the client's own take().
  if (client_) {
    auto* done_with = client_.release();
    QMetaObject::invokeMethod(qApp, [done_with] { delete done_with; }, Qt::QueuedConnection);
  }
  QThreadPool::globalInstance()->start([guard = QPointer<WorkerJob>(this), request = request_,
                                        files = std::move(files_), outcome = std::move(outcome),
                                        bytes = progress_.total]() mutable {
    auto result = std::make_shared<JobResult>(judged(request, files.get(), std::move(outcome), bytes));
    files.reset();
    QMetaObject::invokeMethod(qApp, [guard, result] {
      if (guard) guard->end(std::move(*result));
    });
  });
}

void WorkerJob::end(JobResult result) {
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
}

}  // namespace disklathe::ui
