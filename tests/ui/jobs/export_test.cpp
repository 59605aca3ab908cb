// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
//
// An image that is served, and what is told of who reads it.
#include <QtWidgets>

#include <QTest>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support_ui/driver.h"
#include "ui/images/open_image.h"
#include "ui/jobs/export_server.h"
#include "ui/jobs/exports.h"
#include "ui/pages/export_page.h"
#include "ui/panes/export_row.h"
#include "ui/words/sizes.h"

using namespace disklathe;
using namespace disklathe::ui;

namespace {

constexpr int patience_ms = 20'000;
constexpr uint64_t mib = 1 << 20;

// The page to lend a raw image, on the screen.
struct PageOfAnImage {
  explicit PageOfAnImage(uint64_t size) {
    test::write_file(folder.file("disk.raw"), std::string(size, 'x'));
    image = std::make_shared<OpenImage>(QString::fromStdString(folder.file("disk.raw")));
  }
  bool open() {
    image->inspect();
    if (!QTest::qWaitFor([&] { return image->map_complete(); }, patience_ms)) return false;
    page.set_image(image);
    page.resize(900, 700);
    page.show();
    return true;
  }
  ExportServer& server() { return exports.of(image); }

  const test::TempDir folder{test::TempDir::Where::memory};
  ImagePtr image;
  Exports exports;
  ExportPage page{exports};
};

}  // namespace

class ExportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    qputenv("XDG_RUNTIME_DIR", runtime_.path().c_str());
    // The program is not beside a test.
    qputenv("PATH", qgetenv("DISKLATHE_BUILD_DIR") + "/bin:" + qgetenv("PATH"));
  }
  void whoReadsIsToldWithWhatWasTouched() {
    const test::TempDir folder(test::TempDir::Where::memory);
    test::write_file(folder.file("disk.raw"), std::string(8 * mib, 'x'));
    auto image = std::make_shared<OpenImage>(QString::fromStdString(folder.file("disk.raw")));
    image->inspect();
    QVERIFY(QTest::qWaitFor([&] { return image->map_complete(); }, patience_ms));
    ExportServer server(image);
    server.start(false);
    QVERIFY2(QTest::qWaitFor([&] { return !server.uri().isEmpty(); }, patience_ms), qPrintable(server.problem()));
    QVERIFY(QTest::qWaitFor([&] { return server.tells_clients(); }, patience_ms));
    QVERIFY(server.clients().isEmpty() && server.touched().empty());
    // A client that reads the middle and stays.
    QProcess client;
    client.start(QStringLiteral("qemu-io"),
                 {QStringLiteral("-r"), QStringLiteral("-f"), QStringLiteral("raw"), server.uri()});
    QVERIFY(client.waitForStarted());
    client.write("read 2M 1M\n");
    QVERIFY(QTest::qWaitFor([&] { return server.bytes_read() >= mib; }, patience_ms));
    QCOMPARE(server.clients().size(), 1);
    QCOMPARE(server.clients().first().name, QStringLiteral("qemu-io"));
    QVERIFY(std::ranges::any_of(server.touched(), [](const Range& range) { return range.contains(2 * mib); }));
    QVERIFY(std::ranges::none_of(server.touched(), [](const Range& range) { return range.contains(6 * mib); }));
    client.write("quit\n");
    QVERIFY(client.waitForFinished());
    QVERIFY(QTest::qWaitFor([&] { return server.clients().isEmpty(); }, patience_ms));
    QVERIFY(server.bytes_read() >= mib);  // it has left; what it read was read
    server.stop();
    QVERIFY(QTest::qWaitFor([&] { return !server.running(); }, patience_ms));
    QVERIFY2(server.problem().isEmpty(), qPrintable(server.problem()));
  }
  void whoReadsAllAndLeavesBetweenTwoLooksIsTold() {
    PageOfAnImage shown(8 * mib);
    QVERIFY(shown.open());
    ExportPage& page = shown.page;
    ExportServer& server = shown.server();
    server.start(false);
    QVERIFY2(QTest::qWaitFor([&] { return server.tells_clients(); }, patience_ms), qPrintable(server.problem()));
    // In one go: no look falls between.
    QCOMPARE(test::run_program({"qemu-io", "-r", "-f", "raw", "-c", "read 0 8M", server.uri().toStdString()}).status,
             0);
    QVERIFY(QTest::qWaitFor([&] { return server.clients_left() == 1; }, patience_ms));
    QVERIFY(server.clients().isEmpty());
    QVERIFY(server.bytes_read() >= 8 * mib);
    QCOMPARE(server.touched(), (std::vector<Range>{{0, 8 * mib}}));
    const auto says = [&](const QString& words) {
      return std::ranges::any_of(page.findChildren<QLabel*>(), [&](const QLabel* label) {
        return label->isVisible() && label->text().startsWith(words);
      });
    };
    QVERIFY(QTest::qWaitFor([&] { return says(QStringLiteral("None now. 1 client")); }, patience_ms));
  }
  // Both are looked at side by side.
  void thePageAndTheRowSayTheSameRate() {
    PageOfAnImage shown(64 * mib);
    QVERIFY(shown.open());
    ExportPage& page = shown.page;
    ExportServer& server = shown.server();
    ExportRow row(server);
    row.show();
    server.start(false);
    QVERIFY2(QTest::qWaitFor([&] { return server.tells_clients(); }, patience_ms), qPrintable(server.problem()));
    QProcess client;
    client.start(QStringLiteral("qemu-io"),
                 {QStringLiteral("-r"), QStringLiteral("-f"), QStringLiteral("raw"), server.uri()});
    QVERIFY(client.waitForStarted());
    int compared = 0;
    const auto compare = [&] {  // once both have heard of it
      if (server.rate() <= 0) return;
      const QString rate = Sizes::rate(server.rate());
      QVERIFY2(drive::said(page).contains(rate), qPrintable(drive::said(page)));
      QVERIFY2(drive::said(row).contains(rate), qPrintable(drive::said(row)));
      ++compared;
    };
    connect(&shown.exports, &Exports::looked, &page, compare, Qt::QueuedConnection);
    for (int reads = 0; reads < 40 && compared < 3; ++reads) {
      client.write("read 0 32M\n");
      QTest::qWait(100);
    }
    QVERIFY(compared >= 3);
    client.write("quit\n");
    QVERIFY(client.waitForFinished());
  }

 private:
  test::TempDir runtime_{test::TempDir::Where::memory};
};

QTEST_MAIN(ExportTest)
#include "export_test.moc"
