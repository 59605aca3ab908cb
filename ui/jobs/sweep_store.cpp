// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/sweep_store.h"

#include <QCryptographicHash>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QStandardPaths>

namespace disklathe::ui {
namespace {

// A device's ID may hold any character.
QString path_of(const QString& device_id) {
  const QByteArray name = QCryptographicHash::hash(device_id.toUtf8(), QCryptographicHash::Sha256).toHex().left(24);
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
         QStringLiteral("/sweeps/%1.json").arg(QString::fromLatin1(name));
}

constexpr qsizetype most_runs = 12;

SweepRun run_of(const QJsonObject& json) {
  SweepRun run{.name = json.value(QLatin1String("name")).toString(),
               .mode = json.value(QLatin1String("mode")).toString(),
               .points = {}};
  const QJsonArray points = json.value(QLatin1String("points")).toArray();
  for (const auto& value : points) {
    const QJsonObject one = value.toObject();
    const auto number = [&](const char* key) { return std::max(0.0, one.value(QLatin1String(key)).toDouble()); };
    SweepPoint point;
    point.size = static_cast<uint64_t>(number("size"));
    point.requests = static_cast<uint64_t>(number("requests"));
    point.rate = number("rate");
    point.least_rate = number("least");
    point.most_rate = number("most");
    point.p50 = std::chrono::nanoseconds(static_cast<int64_t>(number("p50")));
    point.p99 = std::chrono::nanoseconds(static_cast<int64_t>(number("p99")));
    if (point.size) run.points.push_back(point);
  }
  return run;
}

QJsonObject json_of(const SweepRun& run) {
  QJsonArray points;
  for (const SweepPoint& point : run.points)
    points.append(QJsonObject{{QLatin1String("size"), static_cast<qint64>(point.size)},
                              {QLatin1String("requests"), static_cast<qint64>(point.requests)},
                              {QLatin1String("rate"), point.rate},
                              {QLatin1String("least"), point.least_rate},
                              {QLatin1String("most"), point.most_rate},
                              {QLatin1String("p50"), static_cast<qint64>(point.p50.count())},
                              {QLatin1String("p99"), static_cast<qint64>(point.p99.count())}});
  return {{QLatin1String("name"), run.name}, {QLatin1String("mode"), run.mode}, {QLatin1String("points"), points}};
}

}  // namespace

QVector<SweepRun> kept_sweeps(const QString& device_id) {
  QFile file(path_of(device_id));
  QVector<SweepRun> runs;
  if (!file.open(QIODevice::ReadOnly)) return runs;
  const QJsonArray kept = QJsonDocument::fromJson(file.readAll()).array();
  for (const auto& value : kept)
    if (SweepRun run = run_of(value.toObject()); !run.points.empty()) runs << std::move(run);
  return runs;
}

void keep_sweep(const QString& device_id, const SweepRun& run) {
  QVector<SweepRun> runs = kept_sweeps(device_id);
  runs.prepend(run);
  if (runs.size() > most_runs) runs.resize(most_runs);
  QJsonArray kept;
  for (const SweepRun& one : runs) kept.append(json_of(one));
  const QString path = path_of(device_id);
  QDir().mkpath(QFileInfo(path).path());
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return;
  file.write(QJsonDocument(kept).toJson(QJsonDocument::Compact));
  file.commit();
}

}  // namespace disklathe::ui
