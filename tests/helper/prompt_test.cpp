// SPDX-License-Identifier: GPL-3.0-or-later
//
// A person who has to be asked, on her terminal: what is answered, what is not, and what comes too late.
#include "tests/helper/rig.h"

using namespace disklathe;
using namespace disklathe::test;

class PromptTest : public HelperTest {
  Q_OBJECT

  Terminal convert_on_a_terminal(const Device& device, const QString& image) {
    return Terminal(carol, {PrivateBus::program("disklathe"), "convert", image.toStdString(), device.loop->path(),
                            "--yes-erase", device.id()});
  }

 private Q_SLOTS:
  void initTestCase() { start_rig(); }
  void cleanup() { nothing_is_left(); }
  void cleanupTestCase() { end_rig(); }

  void the_command_goes_on_when_the_password_is_right() {
    const Device device = make_device();
    const std::string content = pattern(3 * mebibyte, 1);
    Terminal terminal = convert_on_a_terminal(device, make_image(carol, content));
    QVERIFY2(terminal.wait_for("Password:"), terminal.shown().c_str());
    QVERIFY2(terminal.shown().contains("overwrite a disk. All data on it will be lost."), terminal.shown().c_str());
    QVERIFY(device.untouched());
    QVERIFY(terminal.type_secret("sesame"));
    QCOMPARE(terminal.wait(), 0);
    QVERIFY2(terminal.shown().contains("read back and found the same"), terminal.shown().c_str());
    QCOMPARE(device.content().substr(0, content.size()), content);
    QVERIFY(soon([] { return processes("pkttyagent").empty(); }));
  }

  void without_a_terminal_nobody_is_asked() {
    const Device device = make_device();
    const auto ran =
        run_program({"setsid", "--wait", "setpriv", "--reuid=2003", "--regid=2003", "--clear-groups",
                     PrivateBus::program("disklathe"), "convert", make_image(carol, pattern(mebibyte, 2)).toStdString(),
                     device.loop->path(), "--yes-erase", device.id()});
    QCOMPARE(ran.status, 12);
    QVERIFY2(ran.errors.contains("it was not authorised"), ran.errors.c_str());
    QVERIFY(device.untouched());
  }

  void a_command_that_is_interrupted_takes_its_question_along() {
    const Device device = make_device();
    Terminal terminal = convert_on_a_terminal(device, make_image(carol, pattern(mebibyte, 3)));
    QVERIFY2(terminal.wait_for("Password:"), terminal.shown().c_str());
    terminal.type("\x03");
    QCOMPARE(terminal.wait(), 130);
    QVERIFY(soon([] { return processes("pkttyagent").empty() && processes("disklathe-authorize").empty(); }));
    QVERIFY(device.untouched());
  }

  void a_client_that_is_killed_while_the_question_is_open_leaves_nothing() {
    const Device device = make_device();
    Terminal terminal = convert_on_a_terminal(device, make_image(carol, pattern(mebibyte, 4)));
    QVERIFY2(terminal.wait_for("Password:"), terminal.shown().c_str());
    terminal.kill(SIGKILL);
    QVERIFY(soon([] { return processes("pkttyagent").empty() && processes("disklathe-authorize").empty(); }));
    // The helper is free again, and nothing else was started.
    const std::string content = pattern(mebibyte, 5);
    const Device other = make_device();
    Client next(alice, convert(other, make_image(alice, content)));
    QVERIFY2(next.end().startsWith("ended well"), qPrintable(next.said()));
    QVERIFY(device.untouched());
  }

  void a_password_that_comes_after_the_client_gave_up_opens_nothing() {
    const Device device = make_device();
    Client client(carol, convert(device, make_image(carol, pattern(mebibyte, 6))) << "wait" << "gives-up");
    QVERIFY(!client.line("ready").isEmpty());
    // Its agent tells when it is registered: asked too early, polkit finds nobody.
    int ready[2];
    QCOMPARE(pipe2(ready, O_CLOEXEC), 0);
    Terminal agent(carol,
                   {"pkttyagent", "--process", std::to_string(client.pid()), "--notify-fd", std::to_string(ready[1])},
                   {ready[1]});
    close(ready[1]);
    char nothing = 0;
    QCOMPARE(read(ready[0], &nothing, 1), 0);
    close(ready[0]);
    client.tell();
    QVERIFY2(agent.wait_for("Password:"), agent.shown().c_str());
    client.tell();
    QVERIFY2(!client.line("gave up").isEmpty(), qPrintable(client.said()));
    QVERIFY(agent.type_secret("sesame"));
    QVERIFY2(!client.line("answered").isEmpty(), qPrintable(client.said()));
    // The helper has started whatever it starts before it answers, and who starts a worker ends after it has.
    QVERIFY(soon([] { return processes("disklathe-opener").empty(); }));
    QVERIFY(workers().empty());
    QVERIFY(device.untouched());
  }

  void who_asks_while_somebody_else_thinks_waits_and_is_served() {
    const Device mine = make_device(), other = make_device();
    const std::string content = pattern(mebibyte, 7), second = pattern(mebibyte, 8);
    Terminal terminal = convert_on_a_terminal(mine, make_image(carol, content));
    QVERIFY2(terminal.wait_for("Password:"), terminal.shown().c_str());
    Client waiting(bob, convert(other, make_image(bob, second)));
    QVERIFY(waiting.line("hello", 100).isEmpty());
    QVERIFY(terminal.type_secret("sesame"));
    QCOMPARE(terminal.wait(), 0);
    QVERIFY2(waiting.end().startsWith("ended well"), qPrintable(waiting.said()));
    QCOMPARE(mine.content().substr(0, mebibyte), content);
    QCOMPARE(other.content().substr(0, mebibyte), second);
  }
};

int main(int count, char** arguments) { return run_in_rig<PromptTest>(count, arguments); }

#include "prompt_test.moc"
