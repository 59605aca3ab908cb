// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/max_sectors.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>

#include "core/device/descriptor.h"
#include "core/device/system_files.h"
#include "tests/support/loop_device.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;
using test::LoopDevice;
using test::TempDir;

class MaxSectorsTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { test::write_file(attribute(), "1280\n"); }

  void itIsSetBackWhenItGoes() {
    {
      const auto changed = MaxSectorsOverride::set_attribute(attribute(), 128);
      QVERIFY(changed);
      QCOMPARE(changed->original(), 1280U);
      QCOMPARE(read_number(attribute()), 128U);
    }
    QCOMPARE(read_number(attribute()), 1280U);
  }

  void itIsSetBackWhenTheProcessIsKilled() {
    int ready[2];
    QCOMPARE(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      const auto changed = MaxSectorsOverride::set_attribute(attribute(), 128);
      const char byte = changed ? 'y' : 'n';
      [[maybe_unused]] const ssize_t told = write(ready[1], &byte, 1);
      while (true) pause();
    }
    char byte = 0;
    QCOMPARE(read(ready[0], &byte, 1), 1);
    QCOMPARE(byte, 'y');
    QCOMPARE(read_number(attribute()), 128U);
    kill(child, SIGKILL);
    QCOMPARE(waitpid(child, nullptr, 0), child);
    QVERIFY(QTest::qWaitFor([&] { return read_number(attribute()) == 1280; }));
    close(ready[0]);
    close(ready[1]);
  }

  void itIsSetBackWhenItsGuardIsKilled() {
    auto changed = MaxSectorsOverride::set_attribute(attribute(), 128);
    QVERIFY(changed);
    kill(changed->guard(), SIGKILL);
    QVERIFY(changed->restore());
    QCOMPARE(read_number(attribute()), 1280U);
  }

  void theGuardMindsNoOtherSignal() {
    auto changed = MaxSectorsOverride::set_attribute(attribute(), 128);
    QVERIFY(changed);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) kill(changed->guard(), number);
    QTest::qWait(20);
    QCOMPARE(kill(changed->guard(), 0), 0);
    QCOMPARE(read_number(attribute()), 128U);
  }

  // A device that it held open could not be taken by anybody else, and a reader of the output would wait for it.
  void theGuardHoldsNothingOpen() {
    const auto changed = MaxSectorsOverride::set_attribute(attribute(), 128);
    QVERIFY(changed);
    const std::string open_files = "/proc/" + std::to_string(changed->guard()) + "/fd";
    QVERIFY(QTest::qWaitFor([&] { return list_folder(open_files) == std::vector<std::string>{"0"}; }));
  }

  void whatIsRefusedChangesNothing() {
    QVERIFY(!MaxSectorsOverride::set_attribute(folder_.file("nothing"), 128));
    const Descriptor file(open("/dev/null", O_RDONLY | O_CLOEXEC));
    const auto changed = MaxSectorsOverride::set(file.get(), 128);
    QVERIFY(!changed);
    QCOMPARE(changed.error().kind, ErrorKind::unsupported);
  }

  void theKernelTakesItForARealDevice() {
    test::write_file(folder_.file("disk"), std::string(1 << 20, '\0'));
    const auto loop = LoopDevice::attach(folder_.file("disk"), 512);
    if (!loop) QSKIP(LoopDevice::why_not());
    const Descriptor device(open(loop->path().c_str(), O_RDONLY | O_CLOEXEC));
    const std::string queue = "/sys/block/" + loop->name() + "/queue/max_sectors_kb";
    const auto before = read_number(queue);
    {
      const auto changed = MaxSectorsOverride::set(device.get(), 64);
      if (!changed && changed.error().kind == ErrorKind::permission) QSKIP("/sys may not be written here");
      QVERIFY(changed);
      QCOMPARE(read_number(queue), 64U);
    }
    QCOMPARE(read_number(queue), before);
    const auto too_small = MaxSectorsOverride::set(device.get(), 1);
    QVERIFY(!too_small);
    QCOMPARE(too_small.error().kind, ErrorKind::invalid);
    QCOMPARE(read_number(queue), before);
  }

 private:
  std::string attribute() const { return folder_.file("max_sectors_kb"); }
  TempDir folder_{TempDir::Where::memory};
};

QTEST_GUILESS_MAIN(MaxSectorsTest)
#include "max_sectors_test.moc"
