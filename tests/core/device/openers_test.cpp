// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/openers.h"

#include <sys/stat.h>

#include <QProcess>
#include <QTest>
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

  void theCallerItselfIsNone() { QVERIFY(openers().empty()); }  // the test has it open

  void whoeverReadsIsNamed() {
    QProcess program;
    program.setStandardInputFile(node_);
    start(program);
    const auto found = openers();
    end(program);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].program, std::string("sleep"));
    QCOMPARE(found[0].process, static_cast<pid_t>(process_));
    QVERIFY(!found[0].writes);
    QVERIFY(openers().empty());
  }

  void whoeverMayWriteIsToldApart() {
    QProcess program;
    program.setStandardInputFile(node_);
    program.setStandardOutputFile(node_);
    start(program);
    const auto found = openers();
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
    QVERIFY(found.empty());
  }

 private:
  void start(QProcess& program) {
    program.start("sleep", {"60"});
    QVERIFY(program.waitForStarted());
    process_ = program.processId();
  }
  static void end(QProcess& program) {
    program.kill();
    program.waitForFinished();
  }
  dev_t number() const {
    struct stat status{};
    return stat(loop_->path().c_str(), &status) == 0 ? status.st_rdev : 0;
  }
  std::vector<Opener> openers() const {
    const dev_t devices[] = {number()};
    return programs_with_open(devices);
  }

  test::TempDir folder_{test::TempDir::Where::memory};
  std::unique_ptr<LoopDevice> loop_;
  QString node_;
  qint64 process_ = 0;
};

QTEST_GUILESS_MAIN(OpenersTest)
#include "openers_test.moc"
