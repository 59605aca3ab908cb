// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
// LABELS: serial
// TIMEOUT: 120
//
// Ten jobs at once, and the window still answers: no event, and so no frame, keeps it from the next one for long.
#include <fcntl.h>
#include <unistd.h>

#include <QtWidgets>
#include <random>

#include <QTest>

#include "tests/support/temp_dir.h"
#include "tests/support_ui/driver.h"
#include "ui/images/image_model.h"
#include "ui/images/open_image.h"
#include "ui/jobs/job_queue.h"
#include "ui/main_window.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace disklathe::ui::drive;
using namespace Qt::StringLiterals;

namespace {

constexpr int jobs = 10;
constexpr size_t image_size = 96 << 20;
constexpr double frame_ms = 50;

// How long this thread waited for a processor so far, in ns: that others use it is not the window's doing.
int64_t time_in_line() {
  static const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  char words[96] = {};
  if (file < 0 || pread(file, words, sizeof words - 1, 0) <= 0) return 0;
  long long ran = 0, waited = 0;
  return sscanf(words, "%lld %lld", &ran, &waited) == 2 ? waited : 0;
}

// Takes the time of every event that the loop of the windows hands out.
class WatchedApplication : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override {
    // Other threads have loops of their own, and no windows.
    if (QThread::currentThread() != thread() || depth_ > 0 || !watching) return QApplication::notify(receiver, event);
    ++depth_;
    const int64_t waited = time_in_line();
    QElapsedTimer clock;
    clock.start();
    const QByteArray what = receiver->metaObject()->className() + QByteArray(", event ") +
                            QByteArray::number(event->type()) + " of " +
                            (receiver->parent() ? receiver->parent()->metaObject()->className() : "nobody");
    const bool taken = QApplication::notify(receiver, event);
    const double all = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    const double own = all - static_cast<double>(time_in_line() - waited) / 1e6;
    longest_with_line = std::max(longest_with_line, all);
    ++events;
    if (own > longest) {
      longest = own;
      longest_what = what;
    }
    --depth_;
    return taken;
  }
  bool watching = false;
  double longest = 0, longest_with_line = 0;  // ms: without and with the time others had the processor
  QByteArray longest_what;
  int events = 0;

 private:
  int depth_ = 0;
};

}  // namespace

class ResponsivenessTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QSettings().clear();
  }
  void tenJobsLeaveTheWindowAnswering() {
    const test::TempDir folder;
    std::mt19937_64 random(1);
    std::string content(image_size, '\0');
    for (size_t at = 0; at < content.size(); at += 8) {
      const uint64_t word = random();
      std::memcpy(content.data() + at, &word, 8);
    }
    const std::string source = folder.file("source.raw");
    test::write_file(source, content);

    auto& app = *static_cast<WatchedApplication*>(qApp);
    MainWindow window;
    window.show();
    window.start();
    window.open({QUrl::fromLocalFile(QString::fromStdString(source))});
    const ImagePtr image = window.images().at(0);
    QVERIFY(QTest::qWaitFor([&] { return image->map_complete(); }, patience_ms));
    app.watching = true;
    for (int job = 0; job < jobs; ++job) {
      JobRequest request{.work = job::Convert{.format = "qcow2",
                                              .options = {{"compression_type", "zstd"}},
                                              .compress = true,
                                              .target_is_zero = true,
                                              .verify = true},
                         .source = QString::fromStdString(source)};
      request.target = QString::fromStdString(folder.file("target" + std::to_string(job) + ".qcow2"));
      window.queue().add(request);
    }
    window.show_job(window.queue().jobs().first());
    int most = 0;
    const auto over = [&] {
      most = std::max(most, window.queue().running());
      return window.queue().running() + window.queue().waiting() == 0;
    };
    QVERIFY(QTest::qWaitFor(over, 90'000));
    app.watching = false;
    QCOMPARE(most, jobs);
    for (const QueuedJob* job : window.queue().jobs()) QVERIFY(job->result()->good());
    qInfo("%d events, the longest %.1f ms (%.1f with the time others had the processor): %s", app.events, app.longest,
          app.longest_with_line, app.longest_what.constData());
    QVERIFY2(app.longest < frame_ms, app.longest_what.constData());
  }
};

int main(int count, char** words) {
  WatchedApplication app(count, words);
  ResponsivenessTest test;
  return QTest::qExec(&test, count, words);
}
#include "responsiveness_test.moc"
