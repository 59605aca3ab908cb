// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/desktop/sleep_inhibitor.h"

#include <fcntl.h>

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusObjectPath>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusUnixFileDescriptor>
#include <QFileInfo>

namespace disklathe::ui {
namespace {

constexpr unsigned portal_logout_and_suspend = 1 | 4;  // org.freedesktop.portal.Inhibit: 1 logout, 4 suspend

}  // namespace

void SleepInhibitor::set_active(bool active) {
  if (active == active_) return;
  active_ = active;
  if (active) return QFileInfo::exists(QStringLiteral("/.flatpak-info")) ? ask_portal() : ask_logind();
  lock_ = Descriptor();
  if (portal_handle_.isEmpty()) return;
  QDBusConnection::sessionBus().asyncCall(
      QDBusMessage::createMethodCall(QStringLiteral("org.freedesktop.portal.Desktop"), portal_handle_,
                                     QStringLiteral("org.freedesktop.portal.Request"), QStringLiteral("Close")));
  portal_handle_.clear();
}

void SleepInhibitor::ask_logind() {
  const QDBusConnection bus = QDBusConnection::systemBus();
  if (!bus.isConnected()) return;
  QDBusMessage message = QDBusMessage::createMethodCall(
      QStringLiteral("org.freedesktop.login1"), QStringLiteral("/org/freedesktop/login1"),
      QStringLiteral("org.freedesktop.login1.Manager"), QStringLiteral("Inhibit"));
  message << QStringLiteral("sleep:shutdown") << tr("Disklathe") << tr("A disk image is being written")
          << QStringLiteral("block");
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(message), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
    done->deleteLater();
    const QDBusPendingReply<QDBusUnixFileDescriptor> reply = *done;
    // The answer's own descriptor closes with it.
    if (!reply.isError() && active_) lock_ = Descriptor(fcntl(reply.value().fileDescriptor(), F_DUPFD_CLOEXEC, 3));
  });
}

void SleepInhibitor::ask_portal() {
  QDBusMessage message = QDBusMessage::createMethodCall(
      QStringLiteral("org.freedesktop.portal.Desktop"), QStringLiteral("/org/freedesktop/portal/desktop"),
      QStringLiteral("org.freedesktop.portal.Inhibit"), QStringLiteral("Inhibit"));
  message << QString() << portal_logout_and_suspend
          << QVariantMap{{QStringLiteral("reason"), tr("A disk image is being written")}};
  auto* watcher = new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(message), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
    done->deleteLater();
    const QDBusPendingReply<QDBusObjectPath> reply = *done;
    if (!reply.isError() && active_) portal_handle_ = reply.value().path();
  });
}

}  // namespace disklathe::ui
