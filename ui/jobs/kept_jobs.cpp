// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/kept_jobs.h"

#include <algorithm>

#include "core/job/kept.h"

namespace disklathe::ui {
namespace {

QString name_in(const job::Spec& spec, job::Role role) {
  const job::GivenFile* file = spec.file(role);
  return file ? QString::fromStdString(file->name) : QString();
}

// The device that the job reads, as it is now; null: it reads a file.
DevicePtr read_by(const QString& path) {
  const auto identity = identity_of(path.toStdString());
  if (!identity) return nullptr;
  auto disks = disks_around(identity->number);
  if (!disks) return nullptr;
  for (Disk& disk : *disks) {
    if (disk.number != identity->number) continue;
    const Usage usage = UsageMap(*disks).of(disk.name);
    return std::make_shared<Device>(Device{.disk = std::move(disk), .usage = usage, .partition_usage = {}});
  }
  return nullptr;
}

// The device that the job writes, as it is now: its worker has held it since it was chosen. Nothing was given back: the
// helper opened it.
std::shared_ptr<const ChosenDevice> device_of(const std::vector<Descriptor>& written, const QString& path) {
  auto identity = written.empty() ? identity_of(path.toStdString()) : identity_of_descriptor(written.front().get());
  auto disks = enumerate_disks();
  if (!identity || !disks) return nullptr;
  for (Disk& disk : *disks) {
    const bool part = std::ranges::contains(disk.partitions, identity->number, &Partition::number);
    if (disk.number != identity->number && !part) continue;
    auto chosen = std::make_shared<ChosenDevice>();
    chosen->path = path.toStdString();
    chosen->identity = std::move(*identity);
    chosen->id = disk.id;
    chosen->disk = std::move(disk);
    return chosen;
  }
  return nullptr;
}

}  // namespace

struct KeptJobs::Waiting {
  std::string id;
  std::unique_ptr<job::Client> client;
  std::unique_ptr<QSocketNotifier> notifier;
};

KeptJobs::KeptJobs(JobQueue& queue, QObject* parent) : QObject(parent), queue_(queue) {}
KeptJobs::~KeptJobs() = default;

void KeptJobs::find() {
  for (const std::string& id : job::kept_jobs()) {
    auto client = job::attach(id);
    if (!client) continue;
    auto waiting = std::make_unique<Waiting>(id, std::move(*client), nullptr);
    waiting->notifier = std::make_unique<QSocketNotifier>(waiting->client->descriptor(), QSocketNotifier::Read);
    connect(waiting->notifier.get(), &QSocketNotifier::activated, this,
            [this, one = waiting.get()] { take_events(*one); });
    waiting_.push_back(std::move(waiting));
  }
}

void KeptJobs::take_events(Waiting& waiting) {
  while (auto event = waiting.client->take()) {
    const auto* attached = std::get_if<job::Attached>(&*event);
    if (!attached && !std::holds_alternative<job::Client::Ended>(*event)) continue;  // its hello
    waiting.notifier->setEnabled(false);
    waiting.notifier.release()->deleteLater();  // it is what calls
    if (attached) adopt(waiting, *attached);
    std::erase_if(waiting_, [&](const auto& one) { return one.get() == &waiting; });
    return;
  }
}

void KeptJobs::adopt(Waiting& waiting, const job::Attached& attached) {
  JobRequest request{.work = attached.spec.work,
                     .source = name_in(attached.spec, job::Role::source),
                     .other = name_in(attached.spec, job::Role::other)};
  request.target = name_in(attached.spec, job::Role::target);
  std::vector<Descriptor> written = waiting.client->take_attached();
  const auto* convert = std::get_if<job::Convert>(&request.work);
  if (!request.target.isEmpty() && (!convert || convert->existing)) request.device = device_of(written, request.target);
  if (convert) request.read = read_by(request.source);
  queue_.adopt(
      std::move(request),
      {.id = waiting.id, .client = std::move(waiting.client), .told = attached, .written = std::move(written)});
}

}  // namespace disklathe::ui
