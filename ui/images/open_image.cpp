// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/images/open_image.h"

#include <QFileInfo>
#include <algorithm>

#include "core/format/registry.h"
#include "ui/words/core_words.h"
#include "ui/words/device_words.h"
#include "ui/words/error_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

QString text(std::string_view from) { return QString::fromUtf8(from.data(), static_cast<qsizetype>(from.size())); }

QString words_of(const PartitionTable& table) {
  if (table.kind == PartitionTable::Kind::none) return {};
  const QString kind = table.kind == PartitionTable::Kind::gpt ? QStringLiteral("GPT") : QStringLiteral("MBR");
  return table.sector_size ? OpenImage::tr("%1, %2-byte sectors").arg(kind).arg(*table.sector_size) : kind;
}

}  // namespace

OpenImage::OpenImage(const QString& path, QObject* parent)
    : QObject(parent), path_(path), file_size_(static_cast<uint64_t>(std::max<qint64>(0, QFileInfo(path).size()))) {}

OpenImage::OpenImage(const DevicePtr& device)
    : path_(QString::fromStdString(device->disk.node)),
      device_(device),
      state_(State::ready),
      file_size_(device->disk.size) {
  inspection_.layers.push_back({.name = device->disk.node,
                                .format = "raw",
                                .virtual_size = device->disk.size,
                                .file_size = device->disk.size,
                                .block_device = true});
}

OpenImage::~OpenImage() {
  if (job_) job_->stop();
}

WorkerJob* OpenImage::start(job::Work work) {
  if (job_) {
    job_->disconnect(this);
    job_->stop();
    job_->deleteLater();
  }
  JobRequest request{.work = std::move(work), .source = path_};
  request.approved = approved_;
  job_ = new WorkerJob(std::move(request), this);
  connect(job_, &WorkerJob::done, this, [this, worker = job_.data()] { log_ << worker->log(); });
  return job_;
}

void OpenImage::inspect() {
  state_ = State::reading;
  failure_.clear();
  failure_help_.clear();
  pending_.clear();
  cells_ = {};
  map_complete_ = false;
  WorkerJob* worker = start(job::Inspect{});
  connect(worker, &WorkerJob::done, this, [this, worker] {
    const JobResult& result = worker->result();
    if (!result.good()) {
      state_ = State::failed;
      take_failure(*result.error);
      Q_EMIT changed();
      return;
    }
    inspection_ = std::get<job::Inspection>(*result.outcome);
    state_ = State::ready;
    if (!inspection_.stream) cells_ = ContentCells(virtual_size());
    Q_EMIT changed();
    if (!inspection_.stream) look_at_chain();
  });
  worker->start();
  Q_EMIT changed();
}

void OpenImage::look_at_chain() {
  WorkerJob* worker = start(job::Inspect{.chain = true});
  connect(worker, &WorkerJob::done, this, [this, worker] {
    pending_ = worker->refused();
    if (worker->result().good()) inspection_ = std::get<job::Inspection>(*worker->result().outcome);
    if (!worker->result().good() && pending_.isEmpty()) take_failure(*worker->result().error);
    Q_EMIT changed();
    if (pending_.isEmpty() && worker->result().good()) read_map();
  });
  worker->start();
}

void OpenImage::read_map() {
  cells_ = ContentCells(virtual_size());
  WorkerJob* worker = start(job::Map{.file_holes = true});
  connect(worker, &WorkerJob::mapped, this, [this](const std::vector<job::MapEntry>& entries) {
    for (const job::MapEntry& entry : entries) cells_.add(entry);
    Q_EMIT map_grew();
  });
  connect(worker, &WorkerJob::done, this, [this, worker] {
    map_complete_ = worker->result().good();
    if (!map_complete_) take_failure(*worker->result().error);
    Q_EMIT changed();
    Q_EMIT map_grew();
  });
  worker->start();
}

void OpenImage::take_failure(const Error& error) {
  failure_ = ErrorWords::sentence(error);
  failure_help_ = (ErrorWords::advice(error) + QLatin1Char(' ') + ErrorWords::detail(error)).trimmed();
}

void OpenImage::allow(const QString& path) {
  if (!approved_.contains(path)) approved_ << path;
  look_at_chain();
}

QString OpenImage::name() const { return device_ ? DeviceWords::name(device_->disk) : QFileInfo(path_).fileName(); }

uint64_t OpenImage::virtual_size() const {
  if (inspection_.stream) return inspection_.stream->virtual_size.value_or(0);
  return inspection_.layers.empty() ? 0 : inspection_.layers.front().virtual_size;
}

uint64_t OpenImage::stored() const {
  uint64_t all = 0;
  for (const job::LayerFacts& layer : inspection_.layers) all += layer.allocated.value_or(layer.file_size);
  return all ? all : file_size_;
}

QString OpenImage::format() const {
  if (inspection_.stream) return tr("raw in %1").arg(text(inspection_.stream->format));
  return inspection_.layers.empty() ? QString() : text(inspection_.layers.front().format);
}

QString OpenImage::detail() const {
  switch (state_) {
    case State::unread: return Sizes::decimal(file_size_);
    case State::reading: return tr("Looking at it");
    case State::failed: return tr("Cannot be read");
    case State::ready: break;
  }
  return tr("%1 · %2", "size, format").arg(Sizes::decimal(virtual_size() ? virtual_size() : file_size_), format());
}

QString OpenImage::badge() const {
  if (state_ != State::ready || inspection_.layers.empty()) return {};
  const ImageFacts& facts = inspection_.layers.front().facts;
  if (facts.corrupt.value_or(false)) return tr("Damaged");
  if (facts.encrypted.value_or(false)) return tr("Encrypted");
  return pending_.isEmpty() ? QString() : tr("Asks");
}

QString OpenImage::facts() const {
  if (state_ == State::failed) return path_;
  if (state_ != State::ready) return tr("A worker looks at it.");
  QStringList facts{format()};
  if (virtual_size()) facts << Sizes::exact(virtual_size());
  if (inspection_.stream) {
    if (!inspection_.stream->content.empty()) {
      const std::string& content = inspection_.stream->content;
      facts << tr("holds %1").arg(CoreWords::translated(content).value_or(text(content)));
    }
    if (!virtual_size()) facts << tr("its size shows at the end");
  } else {
    for (const Reference& reference : inspection_.layers.front().references)
      facts << (reference.kind == Reference::Kind::backing ? tr("backing file %1") : tr("data in %1"))
                   .arg(QFileInfo(text(reference.name)).fileName());
    if (const auto snapshots = inspection_.layers.front().facts.snapshots.size())
      facts << tr("%n snapshot(s)", nullptr, static_cast<int>(snapshots));
    if (inspection_.partitions && !words_of(*inspection_.partitions).isEmpty())
      facts << words_of(*inspection_.partitions);
  }
  return facts.join(QStringLiteral(" · "));
}

bool OpenImage::file_has_holes() const {
  if (inspection_.layers.empty()) return false;
  const job::LayerFacts& file = inspection_.layers.front();
  return file.allocated && *file.allocated < file.file_size / 100 * 95;
}

bool OpenImage::has_wrong_extension() const {
  if (inspection_.layers.empty() || state_ != State::ready) return false;
  const std::string suffix = QFileInfo(path_).suffix().toLower().toStdString();
  for (const Format& format : disklathe::formats())
    if (std::ranges::contains(format.extensions, suffix)) return format.name != inspection_.layers.front().format;
  return false;
}

}  // namespace disklathe::ui
