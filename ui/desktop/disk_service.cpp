// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/desktop/disk_service.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusObjectPath>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <memory>

namespace disklathe::ui {
namespace {

constexpr int patience_ms = 120'000;  // a stick that flushes its cache takes its time
const QString service = QStringLiteral("org.freedesktop.UDisks2");

// "/dev/sdc1" -> "/org/freedesktop/UDisks2/block_devices/sdc1", other characters as _XX.
QString object_of(const QString& node) {
  QString name;
  for (const char c : node.section(QLatin1Char('/'), -1).toLatin1()) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    name += plain ? QString(QLatin1Char(c)) : QStringLiteral("_%1").arg(static_cast<uchar>(c), 2, 16, QLatin1Char('0'));
  }
  return QStringLiteral("/org/freedesktop/UDisks2/block_devices/") + name;
}

QString no_service() {
  return DiskService::tr("There is no UDisks2 on this computer. Use the file manager, or umount in a terminal.");
}

void call(QDBusMessage message, QObject* context, const DiskService::Then& then) {
  const QDBusConnection bus = QDBusConnection::systemBus();
  if (!bus.isConnected()) return then(no_service());
  message.setInteractiveAuthorizationAllowed(true);
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(message, patience_ms), context);
  QObject::connect(watcher, &QDBusPendingCallWatcher::finished, context, [then](QDBusPendingCallWatcher* done) {
    done->deleteLater();
    if (done->isError() && done->error().type() == QDBusError::ServiceUnknown) return then(no_service());
    then(done->isError() ? done->error().message() : QString());
  });
}

}  // namespace

void DiskService::unmount(const Device& device, QObject* context, const Then& then) {
  QStringList nodes;
  for (size_t i = 0; i < device.disk.partitions.size(); ++i)
    for (const Hold& hold : device.partition_usage[i].holds)
      if (hold.kind == HoldKind::mount) nodes << QString::fromStdString(device.disk.partitions[i].node);
  if (device.disk.partitions.empty()) nodes << QString::fromStdString(device.disk.node);
  nodes.removeDuplicates();
  auto left = std::make_shared<int>(static_cast<int>(nodes.size()));
  auto problem = std::make_shared<QString>();
  for (const QString& node : nodes) {
    QDBusMessage message = QDBusMessage::createMethodCall(
        service, object_of(node), service + QStringLiteral(".Filesystem"), QStringLiteral("Unmount"));
    message << QVariantMap();
    call(message, context, [left, problem, then](const QString& why) {
      if (!why.isEmpty()) *problem = why;
      if (--*left == 0) then(*problem);
    });
  }
}

void DiskService::eject(const QString& node, QObject* context, const Then& then) {
  QDBusMessage get = QDBusMessage::createMethodCall(
      service, object_of(node), QStringLiteral("org.freedesktop.DBus.Properties"), QStringLiteral("Get"));
  get << service + QStringLiteral(".Block") << QStringLiteral("Drive");
  const QDBusConnection bus = QDBusConnection::systemBus();
  if (!bus.isConnected()) return then(no_service());
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(get), context);
  QObject::connect(
      watcher, &QDBusPendingCallWatcher::finished, context, [context, then](QDBusPendingCallWatcher* done) {
        done->deleteLater();
        const QDBusPendingReply<QDBusVariant> reply = *done;
        if (reply.isError())
          return then(reply.error().type() == QDBusError::ServiceUnknown ? no_service() : reply.error().message());
        const auto drive = reply.value().variant().value<QDBusObjectPath>();
        QDBusMessage message = QDBusMessage::createMethodCall(service, drive.path(), service + QStringLiteral(".Drive"),
                                                              QStringLiteral("PowerOff"));
        message << QVariantMap();
        call(message, context, then);
      });
}

}  // namespace disklathe::ui
