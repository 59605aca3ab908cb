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

}  // namespace

std::optional<SweepRun> kept_sweep(const QString& device_id) {
  QFile file(path_of(device_id));
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
  SweepRun run{.name = json.value(QLatin1String("name")).toString(), .points = {}};
  for (const QJsonValue& value : json.value(QLatin1String("points")).toArray()) {
    const QJsonObject one = value.toObject();
    const auto number = [&](const char* key) { return std::max(0.0, one.value(QLatin1String(key)).toDouble()); };
    SweepPoint point;
    point.size = static_cast<uint64_t>(number("size"));
    point.rate = number("rate");
    point.p50 = std::chrono::nanoseconds(static_cast<int64_t>(number("p50")));
    point.p99 = std::chrono::nanoseconds(static_cast<int64_t>(number("p99")));
    if (point.size) run.points.push_back(point);
  }
  if (run.points.empty()) return std::nullopt;
  return run;
}

void keep_sweep(const QString& device_id, const SweepRun& run) {
  QJsonArray points;
  for (const SweepPoint& point : run.points)
    points.append(QJsonObject{{QLatin1String("size"), static_cast<qint64>(point.size)},
                              {QLatin1String("rate"), point.rate},
                              {QLatin1String("p50"), static_cast<qint64>(point.p50.count())},
                              {QLatin1String("p99"), static_cast<qint64>(point.p99.count())}});
  const QString path = path_of(device_id);
  QDir().mkpath(QFileInfo(path).path());
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return;
  file.write(QJsonDocument(QJsonObject{{QLatin1String("name"), run.name}, {QLatin1String("points"), points}}).toJson());
  file.commit();
}

}  // namespace disklathe::ui
