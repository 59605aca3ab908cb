// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/desktop/desktop_report.h"

#include <KNotification>
#include <KUiServerV2JobTracker>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QIcon>
#include <QSettings>
#include <QSystemTrayIcon>
#include <QWidget>

#include "ui/desktop/sleep_inhibitor.h"
#include "ui/theme/glyph.h"
#include "ui/words/result_words.h"

namespace disklathe::ui {

DesktopReport::DesktopReport(JobQueue& queue, QWidget& window)
    : QObject(&window),
      queue_(queue),
      window_(window),
      tracker_(new KUiServerV2JobTracker(this)),
      awake_(new SleepInhibitor(this)) {
  connect(&queue, &JobQueue::started, this, &DesktopReport::begun);
  connect(&queue, &JobQueue::ended, this, &DesktopReport::ended);
  connect(&queue, &JobQueue::counts_changed, this, &DesktopReport::update);
}

void DesktopReport::begun(QueuedJob* job) {
  tracker_->registerJob(job->worker());
  connect(job, &QueuedJob::progressed, this, &DesktopReport::update);
}

void DesktopReport::ended(QueuedJob* job) {
  if (window_.isActiveWindow() || !QSettings().value(QStringLiteral("notify"), true).toBool()) return;
  if (job->result()->stopped()) return;
  auto* notification =
      new KNotification(job->result()->good() ? QStringLiteral("jobDone") : QStringLiteral("jobFailed"));
  notification->setTitle(ResultWords::title(job->request()));
  notification->setText(ResultWords::sentence(*job->result()).toHtmlEscaped());
  KNotificationAction* show = notification->addDefaultAction(tr("Show"));
  connect(show, &KNotificationAction::activated, this, &DesktopReport::activated);
  notification->sendEvent();
}

void DesktopReport::update() {
  double share = 0;
  int known = 0;
  bool writes = false;
  for (const QueuedJob* job : queue_.jobs()) {
    if (job->state() != QueuedJob::State::running || !job->worker()) continue;
    writes = writes || job->request().writes();
    if (const auto one = job->worker()->progress().share()) {
      share += *one;
      ++known;
    }
  }
  awake_->set_active(writes);
  tell_launcher(known ? share / known : 0, known > 0);
  update_tray();
}

void DesktopReport::update_tray() {
  QStringList lines;
  for (const QueuedJob* job : queue_.jobs())
    if (job->state() == QueuedJob::State::running && job->worker())
      lines << tr("%1: %2", "job, how far it is")
                   .arg(ResultWords::title(job->request()),
                        ResultWords::doing(job->worker()->progress(), job->request().kind()));
  const bool wanted = !window_.isVisible() && !lines.isEmpty() && QSystemTrayIcon::isSystemTrayAvailable();
  if (!wanted) return tray_ ? tray_->hide() : void();
  if (!tray_) {
    tray_ =
        new QSystemTrayIcon(QIcon::fromTheme(QStringLiteral("org.disklathe.Disklathe"), icon_of(Glyph::disk)), this);
    connect(tray_, &QSystemTrayIcon::activated, this, &DesktopReport::activated);
  }
  tray_->setToolTip(lines.join(QLatin1Char('\n')));
  tray_->show();
}

// Unity's LauncherEntry, which Plasma's task manager and others understand.
void DesktopReport::tell_launcher(double share, bool visible) {
  QDBusMessage message =
      QDBusMessage::createSignal(QStringLiteral("/org/disklathe/Disklathe"),
                                 QStringLiteral("com.canonical.Unity.LauncherEntry"), QStringLiteral("Update"));
  message << QStringLiteral("application://org.disklathe.Disklathe.desktop")
          << QVariantMap{{QStringLiteral("progress"), share}, {QStringLiteral("progress-visible"), visible}};
  QDBusConnection::sessionBus().send(message);
}

}  // namespace disklathe::ui
