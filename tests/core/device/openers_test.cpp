// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/openers.h"

#include <sys/stat.h>
#include <unistd.h>

#include <QProcess>
#include <QTest>
#include <algorithm>
#include <memory>

#include "tests/support/loop_device.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;
using test::LoopDevice;

class OpenersTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    test::write_file(folder_.file("disk"), std::string(1 << 20, '\0'));
    loop_ = LoopDevice::attach(folder_.file("disk"), 512);
    if (!loop_) QSKIP(LoopDevice::why_not());
    node_ = QString::fromStdString(loop_->path());
  }
  void cleanup() { loop_.reset(); }

  void theCallerItselfIsNone() { QVERIFY(openers_that_are(getpid()).empty()); }  // the test has it open

  void whoeverReadsIsNamed() {
    QProcess program;
    program.setStandardInputFile(node_);
    start(program);
    const auto found = openers_that_are(process_);
    end(program);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].program, std::string("sleep"));
    QCOMPARE(found[0].process, process_);
    QVERIFY(!found[0].writes);
    QVERIFY(openers_that_are(process_).empty());
  }

  void whoeverMayWriteIsToldApart() {
    QProcess program;
    program.setStandardInputFile(node_);
    program.setStandardOutputFile(node_);
    start(program);
    const auto found = openers_that_are(process_);
    end(program);
    QCOMPARE(found.size(), size_t{1});
    QVERIFY(found[0].writes);
  }

  void otherDevicesDoNotMatter() {
    QProcess program;
    program.setStandardInputFile(node_);
    start(program);
    const dev_t other[] = {number() + 1};
    const auto found = programs_with_open(other);
    end(program);
    QVERIFY(!std::ranges::contains(found, process_, &Opener::process));
  }

 private:
  void start(QProcess& program) {
    program.start("sleep", {"60"});
    QVERIFY(program.waitForStarted());
    process_ = static_cast<pid_t>(program.processId());
  }
  static void end(QProcess& program) {
    program.kill();
    program.waitForFinished();
  }
  dev_t number() const {
    struct stat status{};
    return stat(loop_->path().c_str(), &status) == 0 ? status.st_rdev : 0;
  }
  // Programs that look at every disk, other tests among them, may have it open for a moment.
  std::vector<Opener> openers_that_are(pid_t process) const {
    const dev_t devices[] = {number()};
    std::vector<Opener> openers = programs_with_open(devices);
    std::erase_if(openers, [process](const Opener& opener) { return opener.process != process; });
    return openers;
  }

  test::TempDir folder_{test::TempDir::Where::memory};
  std::unique_ptr<LoopDevice> loop_;
  QString node_;
  pid_t process_ = 0;
};

QTEST_GUILESS_MAIN(OpenersTest)
#include "openers_test.moc"
