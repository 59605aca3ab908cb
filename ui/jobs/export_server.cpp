// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/export_server.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStandardPaths>

#include "ui/images/open_image.h"

namespace disklathe::ui {
namespace {

constexpr int end_ms = 3000;  // for clients to be told; then it is killed

// Beside this program, else wherever the shell finds it.
QString command_program() {
  const QString beside = QCoreApplication::applicationDirPath() + QStringLiteral("/disklathe");
  return QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable(QStringLiteral("disklathe"));
}

}  // namespace

ExportServer::ExportServer(const ImagePtr& image, QObject* parent) : QObject(parent), image_(image) {
  connect(&process_, &QProcess::readyReadStandardOutput, this, &ExportServer::read_output);
  connect(&process_, &QProcess::finished, this, &ExportServer::finished);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) finished();
  });
}

ExportServer::~ExportServer() {
  process_.disconnect(this);
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
  Q_EMIT changed();
}

void ExportServer::finished() {
  const bool failed = process_.error() == QProcess::FailedToStart || process_.exitCode() != 0;
  if (failed && !stopping_) {
    problem_ = QString::fromUtf8(process_.readAllStandardError()).trimmed().remove(QStringLiteral("disklathe: "));
    if (problem_.isEmpty()) problem_ = tr("The program disklathe, which serves it, could not be started.");
  }
  uri_.clear();
  Q_EMIT changed();
}

}  // namespace disklathe::ui
