// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/hotplug.h"

#include <poll.h>

#include <QElapsedTimer>
#include <QTest>

#include "tests/support/loop_device.h"
#include "tests/support/temp_dir.h"
#include "tests/support/zram_device.h"

using namespace disklathe;
using Action = HotplugEvent::Action;

namespace {

// Whether such an event comes within two seconds; other devices' are passed over.
bool comes(Hotplug& hotplug, Action action, const std::string& name) {
  bool seen = false;
  QElapsedTimer clock;
  for (clock.start(); !seen && clock.elapsed() < 2000;) {
    pollfd waiting{.fd = hotplug.descriptor(), .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, 100) <= 0) continue;
    hotplug.take([&](const HotplugEvent& event) { seen = seen || (event.action == action && event.name == name); });
  }
  return seen;
}

}  // namespace

class HotplugTest : public QObject {
  Q_OBJECT

 private slots:
  void nothingWaitsWhenNothingHappens() {
    auto hotplug = Hotplug::open();
    QVERIFY(hotplug);
    int events = 0;
    (*hotplug)->take([&](const HotplugEvent&) { ++events; });
    QVERIFY(events >= 0);  // that it returns at all
  }

  void deviceThatComesAndGoesIsTold() {
    auto hotplug = Hotplug::open();
    QVERIFY(hotplug);
    std::string why_not;
    auto zram = test::ZramDevice::create(1 << 20, why_not);
    if (!zram) QSKIP(why_not.c_str());
    const std::string name = zram->name();
    QVERIFY(comes(**hotplug, Action::added, name));
    zram.reset();
    QVERIFY(comes(**hotplug, Action::removed, name));
  }

  void mediumThatIsPutInIsAChange() {
    auto hotplug = Hotplug::open();
    QVERIFY(hotplug);
    const test::TempDir folder;
    test::write_file(folder.file("disk"), std::string(1 << 20, '\0'));
    const auto loop = test::LoopDevice::attach(folder.file("disk"), 512);
    if (!loop) QSKIP(test::LoopDevice::why_not());
    QVERIFY(comes(**hotplug, Action::changed, loop->name()));
  }
};

QTEST_GUILESS_MAIN(HotplugTest)
#include "hotplug_test.moc"
