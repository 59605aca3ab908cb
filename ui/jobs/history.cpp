// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/history.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QStandardPaths>

#include "ui/words/result_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr qsizetype most_entries = 500;

QString file_path() {
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/history.json");
}

QJsonObject json_of(const History::Entry& entry) {
  return {{QStringLiteral("when"), entry.when.toString(Qt::ISODate)},
          {QStringLiteral("kind"), entry.kind},
          {QStringLiteral("title"), entry.title},
          {QStringLiteral("source"), entry.source},
          {QStringLiteral("target"), entry.target},
          {QStringLiteral("target-model"), entry.target_model},
          {QStringLiteral("target-serial"), entry.target_serial},
          {QStringLiteral("result"), entry.result},
          {QStringLiteral("good"), entry.good},
          {QStringLiteral("bytes"), static_cast<qint64>(entry.bytes)},
          {QStringLiteral("seconds"), entry.seconds},
          {QStringLiteral("source-format"), entry.source_format},
          {QStringLiteral("format"), entry.format},
          {QStringLiteral("device"), entry.device}};
}

History::Entry entry_of(const QJsonObject& json) {
  const auto text = [&](const char* key) { return json.value(QLatin1String(key)).toString(); };
  return {.when = QDateTime::fromString(text("when"), Qt::ISODate),
          .kind = text("kind"),
          .title = text("title"),
          .source = text("source"),
          .target = text("target"),
          .target_model = text("target-model"),
          .target_serial = text("target-serial"),
          .result = text("result"),
          .good = json.value(QLatin1String("good")).toBool(),
          .bytes = static_cast<uint64_t>(std::max(0.0, json.value(QLatin1String("bytes")).toDouble())),
          .seconds = json.value(QLatin1String("seconds")).toDouble(),
          .source_format = text("source-format"),
          .format = text("format"),
          .device = json.value(QLatin1String("device")).toBool()};
}

}  // namespace

History::History(QObject* parent) : QObject(parent) {
  writer_.setMaxThreadCount(1);
  load();
}

void History::add(const QueuedJob& job) {
  const JobRequest& request = job.request();
  const JobResult& result = *job.result();
  Entry entry{.when = job.ended_at(),
              .kind = ResultWords::kind(request.kind()),
              .title = ResultWords::title(request),
              .source = request.source,
              .target = request.target,
              .result = ResultWords::sentence(result),
              .good = result.good() && !result.found_difference(),
              .bytes = result.bytes,
              .seconds = job.worker() ? job.worker()->progress().seconds : 0,
              .device = request.device != nullptr};
  if (request.device) {
    entry.target_model = request.target_name();
    entry.target_serial = QString::fromStdString(request.device->disk.serial);
  }
  if (const auto* convert = std::get_if<job::Convert>(&request.work)) {
    entry.source_format = QString::fromStdString(convert->source_format);
    entry.format = QString::fromStdString(convert->format);
  }
  entries_.prepend(entry);
  if (entries_.size() > most_entries) entries_.resize(most_entries);
  save();
  Q_EMIT changed();
}

QString History::report(const Entry& entry) {
  QStringList lines{entry.title, entry.result, QString(),
                    tr("Ended: %1").arg(Sizes::locale().toString(entry.when, QLocale::LongFormat))};
  if (!entry.source.isEmpty()) lines << tr("Source: %1").arg(entry.source);
  if (!entry.target.isEmpty()) lines << tr("Target: %1").arg(entry.target);
  if (!entry.target_model.isEmpty()) lines << tr("Device: %1, serial %2").arg(entry.target_model, entry.target_serial);
  if (entry.bytes) lines << tr("Size: %1").arg(Sizes::exact(entry.bytes));
  if (entry.seconds > 0) {
    lines << tr("Time: %1").arg(Sizes::duration(entry.seconds));
    if (entry.bytes && entry.good)
      lines << tr("Rate: %1").arg(Sizes::rate(static_cast<double>(entry.bytes) / entry.seconds));
  }
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void History::load() {
  QFile file(file_path());
  if (!file.open(QIODevice::ReadOnly)) return;
  const QJsonArray kept = QJsonDocument::fromJson(file.readAll()).array();
  for (const auto& value : kept) entries_ << entry_of(value.toObject());
  if (entries_.size() > most_entries) entries_.resize(most_entries);
}

void History::save() {
  QJsonArray kept;
  for (const Entry& entry : entries_) kept.append(json_of(entry));
  writer_.start([path = file_path(), text = QJsonDocument(kept).toJson(QJsonDocument::Compact)] {
    QDir().mkpath(QFileInfo(path).path());
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(text) == text.size()) file.commit();
  });
}

}  // namespace disklathe::ui
