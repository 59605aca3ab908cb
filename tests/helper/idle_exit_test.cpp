// SPDX-License-Identifier: GPL-3.0-or-later
// LABELS: slow
//
// KAuth ends a helper after ten idle seconds.
#include "tests/helper/rig.h"

using namespace disklathe;
using namespace disklathe::test;

class IdleExitTest : public HelperTest {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start_rig(); }
  void cleanup() { nothing_is_left(); }
  void cleanupTestCase() { end_rig(); }

  void a_job_goes_on_when_the_idle_helper_ends() {
    const Device device = make_device();
    Endless endless;
    Client client(alice, endless.words(device), {endless.reader.get()});
    QVERIFY(!client.line("hello").isEmpty());
    QCOMPARE(processes("disklathe-helper").size(), 1u);
    for (int i = 0; i < 150 && !processes("disklathe-helper").empty(); ++i) QTest::qSleep(100);
    QVERIFY(processes("disklathe-helper").empty());
    QVERIFY(soon([] { return workers().size() == 1; }));
    const std::string content = pattern(60000, 1);
    QCOMPARE(write(endless.writer.get(), content.data(), content.size()), static_cast<ssize_t>(content.size()));
    endless.writer = {};
    QVERIFY2(client.end().startsWith("ended well"), qPrintable(client.said()));
    QCOMPARE(device.content().substr(0, 10 + content.size()), "some bytes" + content);
  }
};

int main(int count, char** arguments) { return run_in_rig<IdleExitTest>(count, arguments); }

#include "idle_exit_test.moc"
