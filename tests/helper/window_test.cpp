// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support disklathe_authorization KF6::AuthCore
// TIMEOUT: 120
//
// The window of a person who may not open devices herself. This program is started again as that person, for one of the
// functions of the second class; the first one has the devices, the bus and polkitd, and looks at what was written.
#include <QtWidgets>

#include "tests/helper/rig.h"
#include "tests/support_ui/driver.h"
#include "ui/controls/buttons.h"
#include "ui/devices/device_model.h"
#include "ui/dialogs/convert_dialog.h"
#include "ui/dialogs/erase_dialog.h"
#include "ui/images/image_model.h"
#include "ui/images/open_image.h"
#include "ui/jobs/job_queue.h"
#include "ui/main_window.h"
#include "ui/panes/side_list.h"

using namespace disklathe;
using namespace disklathe::test;
using namespace disklathe::ui;
using namespace disklathe::ui::drive;
using namespace Qt::StringLiterals;

namespace {

constexpr const char* device_variable = "DISKLATHE_RIG_DEVICE";
constexpr const char* image_variable = "DISKLATHE_RIG_IMAGE";

}  // namespace

// As the person: each of these is run by a test of the same name below.
class Person : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    QSettings().clear();
    window_ = std::make_unique<MainWindow>();
    window_->show();
    window_->start();
  }
  void cleanup() { window_.reset(); }

  void authorised() {
    QVERIFY(overwrite());
    QVERIFY(says(*window_, u"Verified: 3.1\u00a0MB read back"_s));
  }
  void notAuthorised() {
    QVERIFY(overwrite());
    QVERIFY(says(*window_, u"Failed: You were not authorised to open Loop device."_s));
    QVERIFY(says(*window_,
                 u"Nothing was written to Loop device. Try again and give the password. Where nobody asks "
                 "for one no agent of polkit runs: use sudo disklathe in a terminal."_s));
    // From the confirmation on, and with Cancel as its default again.
    QVERIFY(click(*window_, u"Try Again…"_s));
    const auto* again = drive::dialog<EraseDialog>(*window_);
    QVERIFY(again);
    QCOMPARE(window_->queue().running() + window_->queue().waiting(), 0);
    QVERIFY(says(*again, u"What is on it is not known: it may not be read without rights. There is no undo."_s));
  }
  void helperMissing() {
    QVERIFY(overwrite());
    QVERIFY(says(*window_, u"Failed: Loop device could not be opened: disklathe-helper is not installed."_s));
    QVERIFY(says(*window_,
                 u"Nothing was written to Loop device. Install disklathe-helper, or use sudo disklathe in a "
                 "terminal. Looking at devices and converting files work without it."_s));
    // That is true.
    JobRequest request{.work = job::Convert{.format = "qcow2", .target_is_zero = true, .verify = true},
                       .source = image()};
    request.target = u"/run/rig/without-helper.qcow2"_s;
    window_->show_job(window_->queue().add(request));
    QVERIFY(says(*window_, u"Verified: 3.1\u00a0MB read back"_s));
  }
  void imaged() {
    DevicePtr device;
    QVERIFY(QTest::qWaitFor([&] { return (device = find_device()) != nullptr; }, patience_ms));
    auto* list = window_->findChildren<SideList*>().first();
    for (int row = 0; row < window_->devices().rowCount(); ++row)
      if (window_->devices().at(row) == device) list->setCurrentIndex(window_->devices().index(row));
    QVERIFY(click(*window_, u"Make Image…"_s));
    const auto* dialog = drive::dialog<ConvertDialog>(*window_);
    QVERIFY(dialog && type_into(*dialog, u"Save as"_s, QDir::homePath() + u"/made.img"_s));
    QVERIFY(click(*dialog, u"Make Image"_s));
    QVERIFY(says(*window_, u"Verified: 4.2\u00a0MB read back"_s));
  }

 private:
  static QString image() { return qEnvironmentVariable(image_variable); }
  DevicePtr find_device() const {
    for (const DevicePtr& one : window_->devices().devices())
      if (q(one->disk.node) == qEnvironmentVariable(device_variable)) return one;
    return nullptr;
  }
  bool overwrite() {
    drop(*window_, {image()});
    const ImagePtr open = window_->images().at(0);
    DevicePtr device;
    const auto there = [&] { return (device = find_device()) && open->map_complete(); };
    if (!QTest::qWaitFor(there, patience_ms) || !click(*window_, u"Write to Device…"_s)) return false;
    auto* dialog = drive::dialog<ConvertDialog>(*window_);
    dialog->choose_device(device);
    if (!click(*dialog, u"Continue…"_s)) return false;
    const auto* erase = drive::dialog<EraseDialog>(*window_);
    return erase && click(*erase, u"Overwrite 4.2\u00a0MB"_s);
  }

  std::unique_ptr<MainWindow> window_;
};

class WindowTest : public HelperTest {
  Q_OBJECT

  void run(uid_t user, const char* function, const Device& device, const QString& image) {
    QProcess person;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(device_variable, device.path());
    environment.insert(image_variable, image);
    const QString home = u"/run/rig/home-%1"_s.arg(user);
    QDir().mkpath(home);
    (void)!chown(home.toUtf8().constData(), user, user);
    for (const char* name : {"HOME", "XDG_RUNTIME_DIR"}) environment.insert(name, home);
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "DBUS_SESSION_BUS_ADDRESS"})
      environment.remove(name);
    person.setProcessEnvironment(environment);
    person.setWorkingDirectory(home);
    person.setProcessChannelMode(QProcess::MergedChannels);
    person.setChildProcessModifier([user] {
      if (setgroups(0, nullptr) != 0 || setgid(user) != 0 || setuid(user) != 0) _exit(126);
    });
    person.start(QString(PrivateBus::test_programs) + u"/helper.window"_s, {function});
    QVERIFY(person.waitForStarted());
    QVERIFY(person.waitForFinished(100'000));
    const QByteArray said = person.readAll();
    QVERIFY2(person.exitStatus() == QProcess::NormalExit && person.exitCode() == 0, said.constData());
  }

 private Q_SLOTS:
  void initTestCase() { start_rig(); }
  void cleanup() { nothing_is_left(); }
  void cleanupTestCase() { end_rig(); }

  void a_person_who_is_authorised_writes_a_device() {
    const Device device = make_device();
    const std::string content = pattern(3 * mebibyte, 1);
    run(alice, "authorised", device, make_image(alice, content));
    QCOMPARE(device.content().substr(0, content.size()), content);
    QCOMPARE(device.content().substr(content.size()), std::string(mebibyte, '\0'));
  }
  void who_is_not_authorised_is_told_so_and_may_try_again() {
    const Device device = make_device();
    run(dave, "notAuthorised", device, make_image(dave, pattern(3 * mebibyte, 2)));
    QVERIFY(device.untouched());
  }
  void where_nobody_can_ask_for_the_password_it_is_the_same() {
    const Device device = make_device();
    run(carol, "notAuthorised", device, make_image(carol, pattern(3 * mebibyte, 3)));
    QVERIFY(device.untouched());
  }
  void a_person_who_is_authorised_makes_an_image_of_a_device() {
    const Device device = make_device();
    run(alice, "imaged", device, {});
    QCOMPARE(read_file("/run/rig/home-" + std::to_string(alice) + "/made.img"), device.content());
    QVERIFY(device.untouched());
  }
  void without_the_helper_it_is_named_and_files_are_converted_all_the_same() {
    const Device device = make_device();
    const QString service = QString(PrivateBus::folder) + u"/services/org.disklathe.helper.service"_s;
    QVERIFY(QFile::rename(service, service + u".away"_s));
    const auto back = qScopeGuard([&] { QFile::rename(service + u".away"_s, service); });
    for (const Running& helper : processes("disklathe-helper")) ::kill(helper.pid, SIGKILL);
    run_program({"dbus-send", "--system", "--dest=org.freedesktop.DBus", "--print-reply", "/",
                 "org.freedesktop.DBus.ReloadConfig"});
    run(alice, "helperMissing", device, make_image(alice, pattern(3 * mebibyte, 4)));
    QVERIFY(device.untouched());
  }
};

int main(int count, char** arguments) {
  if (!qEnvironmentVariableIsSet(device_variable)) return run_in_rig<WindowTest>(count, arguments);
  QApplication application(count, arguments);
  QStandardPaths::setTestModeEnabled(true);
  Person person;
  return QTest::qExec(&person, count, arguments);
}

#include "window_test.moc"
