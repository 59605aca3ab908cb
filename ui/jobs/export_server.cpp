// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/export_server.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QStandardPaths>
#include <algorithm>

#include "ui/images/open_image.h"

namespace disklathe::ui {
namespace {

constexpr int end_ms = 3000;  // for clients to be told; then it is killed
constexpr int look_ms = 1000;

// Beside this program, else wherever the shell finds it.
QString command_program() {
  const QString beside = QCoreApplication::applicationDirPath() + QStringLiteral("/disklathe");
  return QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable(QStringLiteral("disklathe"));
}

uint64_t number(const QJsonObject& from, const char* key) {
  return static_cast<uint64_t>(std::max(0.0, from.value(QLatin1String(key)).toDouble()));
}

// "process 41822 of user 1000" is who asked: its program, and its number.
void name_client(ExportServer::Client& client, const QString& peer) {
  static const QRegularExpression process(QStringLiteral("^process (\\d+) "));
  const auto match = process.match(peer);
  client.name = peer;
  if (!match.hasMatch()) return;
  QFile comm(QStringLiteral("/proc/%1/comm").arg(match.captured(1)));
  client.where = ExportServer::tr("PID %1").arg(match.captured(1));
  client.name =
      comm.open(QIODevice::ReadOnly) ? QString::fromUtf8(comm.readAll()).trimmed() : ExportServer::tr("a program");
}

}  // namespace

ExportServer::ExportServer(const ImagePtr& image, QObject* parent) : QObject(parent), image_(image) {
  connect(&process_, &QProcess::readyReadStandardOutput, this, &ExportServer::read_output);
  connect(&process_, &QProcess::finished, this, &ExportServer::finished);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) finished();
  });
  connect(&clock_, &QTimer::timeout, this, &ExportServer::look);
  connect(&status_, &QProcess::finished, this, &ExportServer::take_status);
}

ExportServer::~ExportServer() {
  process_.disconnect(this);
  status_.disconnect(this);
  status_.kill();
  status_.waitForFinished(end_ms);
  if (!running()) return;
  process_.terminate();
  if (!process_.waitForFinished(end_ms)) process_.kill();
}

void ExportServer::start(bool tcp) {
  if (running()) return;
  tcp_ = tcp;
  stopping_ = false;
  uri_.clear();
  problem_.clear();
  told_ = false;
  clients_.clear();
  left_ = read_by_left_ = 0;
  touched_.clear();
  QStringList words{QStringLiteral("serve"), QStringLiteral("--format"), image_->format()};
  if (tcp) words << QStringLiteral("--tcp") << QStringLiteral("0");
  // What the image stands on was shown, and allowed by name: that, and nothing it may have come to name since.
  words << QStringLiteral("--backing") << QStringLiteral("deny");
  for (const QString& path : image_->approved()) words << QStringLiteral("--allow-file") << path;
  words << QStringLiteral("--") << image_->path();
  process_.start(command_program(), words);
  Q_EMIT changed();
}

void ExportServer::stop() {
  stopping_ = true;
  process_.terminate();
}

void ExportServer::read_output() {
  const QString line = QString::fromUtf8(process_.readAllStandardOutput()).section(QLatin1Char('\n'), 0, 0);
  if (!uri_.isEmpty() || line.isEmpty()) return;
  uri_ = line;
  since_ = QDateTime::currentDateTime();
  clock_.start(look_ms);
  Q_EMIT changed();
}

void ExportServer::finished() {
  clock_.stop();
  clients_.clear();
  const bool failed = process_.error() == QProcess::FailedToStart || process_.exitCode() != 0;
  if (failed && !stopping_) {
    problem_ = QString::fromUtf8(process_.readAllStandardError()).trimmed().remove(QStringLiteral("disklathe: "));
    if (problem_.isEmpty()) problem_ = tr("The program disklathe, which serves it, could not be started.");
  }
  uri_.clear();
  Q_EMIT changed();
}

void ExportServer::look() {
  if (!running() || status_.state() != QProcess::NotRunning) return;
  status_.start(command_program(),
                {QStringLiteral("serve"), QStringLiteral("--status"), QString::number(process_.processId()),
                 QStringLiteral("--output"), QStringLiteral("json")});
}

void ExportServer::take_status() {
  if (!running() || status_.exitStatus() != QProcess::NormalExit || status_.exitCode() != 0) return;
  const QJsonArray servers =
      QJsonDocument::fromJson(status_.readAllStandardOutput()).object().value(QLatin1String("servers")).toArray();
  if (servers.isEmpty()) return;
  told_ = true;
  clients_.clear();
  const QJsonObject status = servers.first().toObject();
  const QJsonObject left =
      status.value(QLatin1String("exports")).toArray().first().toObject().value(QLatin1String("left")).toObject();
  left_ = number(left, "clients");
  read_by_left_ = number(left, "bytes-read");
  touch_all(left.value(QLatin1String("read")));
  const QJsonArray clients = status.value(QLatin1String("clients")).toArray();
  for (const auto& value : clients) {
    const QJsonObject one = value.toObject();
    Client client{.name = {},
                  .where = {},
                  .seconds = one.value(QLatin1String("seconds")).toDouble(),
                  .requests = number(one, "requests"),
                  .read = number(one, "bytes-read"),
                  .rate = one.value(QLatin1String("read-rate")).toDouble()};
    name_client(client, one.value(QLatin1String("peer")).toString());
    touch_all(one.value(QLatin1String("read")));
    clients_ << std::move(client);
  }
  Q_EMIT looked();
}

void ExportServer::touch_all(const QJsonValue& ranges) {
  const QJsonArray all = ranges.toArray();
  for (const auto& range : all) touch({number(range.toObject(), "start"), number(range.toObject(), "length")});
}

void ExportServer::touch(Range range) {
  if (range.empty() || range.length > UINT64_MAX - range.at) return;
  auto first = std::ranges::lower_bound(touched_, range.at, {}, &Range::end), last = first;
  for (; last != touched_.end() && last->at <= range.end(); ++last)
    range = Range::between(std::min(range.at, last->at), std::max(range.end(), last->end()));
  touched_.insert(touched_.erase(first, last), range);
}

uint64_t ExportServer::bytes_read() const {
  uint64_t all = read_by_left_;
  for (const Client& client : clients_) all += client.read;
  return all;
}

double ExportServer::rate() const {
  double all = 0;
  for (const Client& client : clients_) all += client.rate;
  return all;
}

}  // namespace disklathe::ui
