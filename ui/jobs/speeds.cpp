// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/speeds.h"

#include <QFileInfo>
#include <QSettings>
#include <QStorageInfo>
#include <algorithm>

#include "ui/desktop/keep_setting.h"
#include "ui/jobs/job_queue.h"

namespace disklathe::ui {
namespace {

constexpr uint64_t least_bytes = 32 << 20;  // less says more of caches than of the target
constexpr double least_seconds = 0.2;
constexpr double doubt = 0.25;  // of what was measured: fill level, temperature, other users

struct Pace {
  double slow, fast;  // bytes per second
};
constexpr double mb = 1e6;

Pace usual_of(const Disk& disk) {
  switch (disk.bus) {
    case Bus::usb: return {20 * mb, 400 * mb};
    case Bus::mmc: return {8 * mb, 90 * mb};
    case Bus::nvme: return {400 * mb, 3000 * mb};
    case Bus::ata:
    case Bus::sas:
    case Bus::scsi: return disk.rotational.value_or(false) ? Pace{80 * mb, 220 * mb} : Pace{200 * mb, 550 * mb};
    default: return {60 * mb, 1000 * mb};
  }
}
constexpr Pace usual_file{150 * mb, 1500 * mb}, usual_compressing{40 * mb, 400 * mb};

Pace known_or(const std::optional<double>& measured, const Pace& usual) {
  return measured ? Pace{*measured * (1 - doubt), *measured * (1 + doubt)} : usual;
}

QString key(QString of) { return QStringLiteral("speeds/") + of.replace(QLatin1Char('/'), QLatin1Char('_')); }
QString key_of(const QString& device_id) { return key(QStringLiteral("device ") + device_id); }
QString key_of(const Disk& disk) { return key_of(QString::fromStdString(disk.id)); }
QString key_of_file(const QString& path) {
  const QStorageInfo storage(QFileInfo(path).absolutePath());
  return key(QStringLiteral("files ") + QString::fromUtf8(storage.device()) + QLatin1Char(' ') + storage.rootPath());
}

Speeds load(const QString& from) {
  const QSettings settings;
  const auto one = [&](const char* what) -> std::optional<double> {
    const double rate = settings.value(from + QLatin1String(what), 0).toDouble();
    return rate > 0 ? std::optional(rate) : std::nullopt;
  };
  return {.write = one("/write"), .read = one("/read")};
}

void keep(const QString& to, const char* what, double rate) { keep_setting(to + QLatin1String(what), rate); }

double seconds_of(uint64_t bytes, double rate) { return static_cast<double>(bytes) / rate; }

}  // namespace

Speeds Speeds::of(const Disk& disk) { return load(key_of(disk)); }
Speeds Speeds::of_file(const QString& path) { return load(key_of_file(path)); }

void Speeds::learn_from(const QueuedJob& job) {
  if (job.request().kind() != job::Kind::convert || !job.worker() || !job.result()->good()) return;
  if (job.request().read) return;  // which of the two was the slower one is not known
  const ProgressMeter& meter = job.worker()->meter();
  const JobProgress& progress = job.worker()->progress();
  const QString to = job.request().device ? key_of(job.request().device->disk) : key_of_file(job.request().target);
  // Up to the end of the flush: what is in a cache is not written yet.
  const auto learn = [&](Phase from, Phase until, uint64_t bytes, const char* what) {
    const auto began = meter.began(from);
    if (!began) return;
    const double seconds = meter.began(until).value_or(progress.seconds) - *began;
    if (bytes >= least_bytes && seconds >= least_seconds) keep(to, what, static_cast<double>(bytes) / seconds);
  };
  learn(Phase::write, Phase::verify, progress.written, "/write");
  learn(Phase::verify, Phase::done, progress.verified, "/read");
}

void Speeds::learn_from(const QString& device_id, bool writing, const std::vector<SweepPoint>& sweep) {
  if (const auto knee = knee_of(sweep)) keep(key_of(device_id), writing ? "/write" : "/read", sweep[*knee].rate);
}

TimeGuess TimeGuess::for_device(const Disk& disk, uint64_t written, uint64_t zeroed, uint64_t read_back) {
  const Speeds speeds = Speeds::of(disk);
  const Pace write = known_or(speeds.write, usual_of(disk)), read = known_or(speeds.read, usual_of(disk));
  return {.least = seconds_of(written, write.fast) + seconds_of(read_back, read.fast),
          .most = seconds_of(written + zeroed, write.slow) + seconds_of(read_back, read.slow),
          .measured = speeds.write && (!read_back || speeds.read)};
}

TimeGuess TimeGuess::for_file(const QString& path, uint64_t written, bool compressed, uint64_t read_back) {
  const Speeds speeds = Speeds::of_file(path);
  const Pace write = compressed ? usual_compressing : known_or(speeds.write, usual_file);
  const Pace read = known_or(speeds.read, usual_file);
  return {.least = seconds_of(written, write.fast) + seconds_of(read_back, read.fast),
          .most = seconds_of(written, write.slow) + seconds_of(read_back, read.slow),
          .measured = !compressed && speeds.write && (!read_back || speeds.read)};
}

TimeGuess TimeGuess::for_image_of(const Disk& disk, const QString& path, bool compressed, bool read_back) {
  const Speeds source = Speeds::of(disk), target = Speeds::of_file(path);
  const Pace from = known_or(source.read, usual_of(disk)), back = known_or(target.read, usual_file);
  const Pace write = compressed ? usual_compressing : known_or(target.write, usual_file);
  const double again = read_back ? 1 : 0;
  // All of it may be zeroes, of which nothing is written.
  return {.least = seconds_of(disk.size, from.fast) * (1 + again),
          .most = seconds_of(disk.size, std::min(from.slow, write.slow)) +
                  seconds_of(disk.size, std::min(from.slow, back.slow)) * again,
          .measured = !compressed && source.read && target.write};
}

}  // namespace disklathe::ui
