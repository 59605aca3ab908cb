// SPDX-License-Identifier: GPL-3.0-or-later
#include <KDBusService>
#include <QApplication>
#include <QCommandLineParser>
#include <QDBusConnection>
#include <QDir>
#include <memory>

#include "core/base/version.h"
#include "ui/desktop/desktop_report.h"
#include "ui/dialogs/preferences_dialog.h"
#include "ui/main_window.h"
#include "ui/theme/style.h"
#include "ui/theme/translations.h"

int main(int count, char** words) {
  QApplication app(count, words);
  // Each KJob holds the program until it is deleted, also when it has ended. What ends it is its last window or, where
  // jobs go on without one, the last job (ui/main_jobs).
  QCoreApplication::setQuitLockEnabled(false);
  QObject::connect(&app, &QGuiApplication::lastWindowClosed, &app, [] {
    if (QApplication::quitOnLastWindowClosed()) QApplication::quit();
  });
  QApplication::setApplicationName(QStringLiteral("disklathe"));
  QApplication::setOrganizationName(QStringLiteral("disklathe"));
  QApplication::setOrganizationDomain(QStringLiteral("disklathe.org"));
  QApplication::setApplicationDisplayName(QStringLiteral("Disklathe"));
  QApplication::setApplicationVersion(QString::fromStdString(std::string(disklathe::version())));
  QApplication::setDesktopFileName(QStringLiteral("org.disklathe.Disklathe"));
  disklathe::ui::Style::install();
  disklathe::ui::install_translations();

  QCommandLineParser line;
  line.setApplicationDescription(QApplication::translate("main", "Inspects and converts disk images."));
  line.addPositionalArgument(QStringLiteral("images"), QApplication::translate("main", "Disk images to open."),
                             QStringLiteral("[images...]"));
  line.addHelpOption();
  line.addVersionOption();
  line.process(app);
  const auto urls_of = [](const QStringList& named, const QString& folder) {
    QList<QUrl> urls;
    for (const QString& word : named) urls << QUrl::fromUserInput(word, folder, QUrl::AssumeLocalFile);
    return urls;
  };

  // A second start hands its files to the window that is there, and ends. Without a session bus each start is its own.
  const bool has_bus = QDBusConnection::sessionBus().isConnected();
  const std::unique_ptr<KDBusService> service(
      has_bus ? new KDBusService(KDBusService::Unique | KDBusService::NoExitOnFailure) : nullptr);

  disklathe::ui::PreferencesDialog::apply_colors();

  disklathe::ui::MainWindow window;
  window.show();
  window.start();
  auto* desktop = new disklathe::ui::DesktopReport(window.queue(), window);  // the window's
  QObject::connect(desktop, &disklathe::ui::DesktopReport::activated, &window, &disklathe::ui::MainWindow::show_again);
  if (service) {
    QObject::connect(service.get(), &KDBusService::activateRequested, &window,
                     [&](const QStringList& again, const QString& folder) {
                       window.show_again();
                       if (again.size() > 1) window.open(urls_of(again.mid(1), folder));
                     });
    QObject::connect(service.get(), &KDBusService::openRequested, &window, [&](const QList<QUrl>& urls) {
      window.show_again();
      window.open(urls);
    });
  }
  if (!line.positionalArguments().isEmpty()) window.open(urls_of(line.positionalArguments(), QDir::currentPath()));
  return QApplication::exec();
}
