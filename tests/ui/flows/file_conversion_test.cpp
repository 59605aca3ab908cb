// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_ui disklathe_ui_test_support
// TIMEOUT: 120
//
// From an image dropped on the window to a file, by clicks; and what is said, with which way out, when that fails.
#include <sys/mount.h>

#include <QtWidgets>

#include <QTest>

#include "tests/support/program.h"
#include "tests/support/served_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support_ui/driver.h"
#include "ui/dialogs/convert_dialog.h"
#include "ui/images/image_model.h"
#include "ui/images/open_image.h"
#include "ui/jobs/job_queue.h"
#include "ui/main_window.h"
#include "ui/panes/drop_zones.h"

using namespace disklathe;
using namespace disklathe::ui;
using namespace disklathe::ui::drive;
using namespace Qt::StringLiterals;

namespace {

constexpr uint64_t mebibyte = 1 << 20;

QString text(const std::string& from) { return QString::fromStdString(from); }

// Data that a compressor or a search for zeroes makes nothing of, then zeroes, then a hole.
void make_image(const std::string& path) {
  QCOMPARE(test::run_program({"qemu-img", "create", "-q", "-f", "qcow2", path, "64M"}).status, 0);
  std::vector<std::string> words{"qemu-io", "-f", "qcow2"};
  for (int at = 0; at < 12; ++at) {
    words.emplace_back("-c");
    words.push_back("write -q -P " + std::to_string(at + 1) + " " + std::to_string(at) + "M 1M");
  }
  words.insert(words.end(), {"-c", "write -q -z 20M 1M", path});
  QCOMPARE(test::run_program(words).status, 0);
}

}  // namespace

class FileConversionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    make_image(image());
  }
  void init() {
    QSettings().clear();
    window_ = std::make_unique<MainWindow>();
    window_->show();
  }
  void cleanup() { window_.reset(); }

  void aDroppedImageBecomesTheSameRawFile() {
    ConvertDialog* dialog = convert_dropped(image());
    QVERIFY(dialog);
    // Long enough to be read: what will be done, and whether there is room.
    for (const QString& words : {u"Write\n12.6\u00a0MB"_s, u"Needs 12.6\u00a0MB"_s, u"A new file."_s})
      QVERIFY(says(*dialog, words));
    QVERIFY(type_target(*dialog, file("a.raw")));
    QVERIFY(click(*dialog, u"Convert"_s));
    QVERIFY(says(*window_, u"Verified: 67.1\u00a0MB read back"_s));
    QVERIFY(says(*window_, u"Every byte of a.raw was read back and is the same."_s));
    QVERIFY(!button(*window_, u"Try Again…"_s));
    QCOMPARE(test::run_program({"qemu-img", "convert", "-O", "raw", image(), file("reference.raw")}).status, 0);
    QVERIFY(test::read_file(file("a.raw")) == test::read_file(file("reference.raw")));
  }
  void droppedOnConvertTheDialogOpens() {
    const QString path = text(image());
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(window_->rect().center(), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window_.get(), &enter);
    DropZone* convert = nullptr;
    for (DropZone* zone : window_->findChildren<DropZone*>())
      if (zone->isVisible() && zone->accessibleName() == u"Convert or write…") convert = zone;
    QVERIFY(convert);
    drop(*convert, {path});
    QVERIFY(drive::dialog<ConvertDialog>(*window_));
  }
  void anImageDoesNotReplaceItself() {
    ConvertDialog* dialog = convert_dropped(image());
    QVERIFY(dialog);
    QVERIFY(type_target(*dialog, image()));
    QVERIFY(says(*dialog, u"That is the image itself. Choose another name."_s));
    QVERIFY(!button(*dialog, u"Convert"_s)->isEnabled());
  }
  void whereThereIsNoRoomThePlanSaysSo() {
    const auto small = small_file_system();
    if (!small) QSKIP("no file system can be mounted here: needs root");
    ConvertDialog* dialog = convert_dropped(image());
    QVERIFY(dialog);
    QVERIFY(type_target(*dialog, small->file("a.raw")));
    QVERIFY(says(*dialog, u"Needs 12.6\u00a0MB, 4.2\u00a0MB free"_s));
    QVERIFY(!button(*dialog, u"Convert"_s)->isEnabled());
  }
  // Compressed it could have fitted; or somebody else took the room meanwhile.
  void aDiskThatFillsUpIsSaidAndLeavesNothing() {
    const auto small = small_file_system();
    if (!small) QSKIP("no file system can be mounted here: needs root");
    show(run_to_raw(image(), small->file("a.raw")));
    QVERIFY(says(*window_, u"Failed: There is no room left for a.raw."_s));
    QVERIFY(says(*window_, u"Nothing was left under the name a.raw. Make room, or choose another place."_s));
    QVERIFY(says(*window_, u"4.2\u00a0MB are free there; the whole image is 67.1\u00a0MB."_s));
    QCOMPARE(small->names().size(), size_t{0});
    QVERIFY(click(*window_, u"Choose Another…"_s));
    QVERIFY(drive::dialog<ConvertDialog>(*window_));
    QCOMPARE(window_->queue().jobs().size(), 1);  // nothing goes on by itself
  }
  void aDamagedImageSaysWhereAndLeavesTheOldFile() {
    make_image(file("damaged.qcow2"));
    // The first entry of the first L2 table leads past the end of the file.
    QFile image(text(file("damaged.qcow2")));
    QVERIFY(image.open(QIODevice::ReadWrite));
    const auto number_at = [&](qint64 at) {
      image.seek(at);
      return qFromBigEndian<quint64>(image.read(8).constData()) & 0x00fffffffffffe00;
    };
    const auto l2 = static_cast<qint64>(number_at(static_cast<qint64>(number_at(40))));
    const quint64 wrong = qToBigEndian(quint64{0x8000000100000000});
    QVERIFY(image.seek(l2) && image.write(reinterpret_cast<const char*>(&wrong), 8) == 8);
    image.close();
    test::write_file(file("b.raw"), "old");
    show(run_to_raw(file("damaged.qcow2"), file("b.raw")));
    QVERIFY(says(*window_, u"Failed: "_s));
    QVERIFY2(said(*window_).contains(u"damaged.qcow2 is damaged at byte "_s) ||
                 said(*window_).contains(u"damaged.qcow2 is damaged, or not of its format: "_s),
             qPrintable(said(*window_)));
    QVERIFY(says(*window_, u"The file b.raw is as it was. The image is damaged: get it again."_s));
    QVERIFY(button(*window_, u"Save Report…"_s));
    QVERIFY(test::read_file(file("b.raw")) == "old");
  }
  void whatIsNoFileAnyMoreSaysSo() {
    show(run_to_raw(file("nowhere.qcow2"), file("c.raw")));
    QVERIFY(says(*window_, u"nowhere.qcow2 is not there."_s));
    QVERIFY(says(*window_, u"Check its name, and that its folder is there."_s));
    QVERIFY(button(*window_, u"Try Again…"_s));
  }
  void anExportedImageIsReadBackByNbdcopy() {
    drop(*window_, {text(image())});
    const ImagePtr open = window_->images().at(0);
    QVERIFY(QTest::qWaitFor([&] { return open->map_complete(); }, patience_ms));
    QVERIFY(click(*window_, u"Export…"_s));
    QVERIFY(click(*window_, u"Start"_s));
    QVERIFY(says(*window_, u"nbd+unix:///"_s));
    const QString uri = QRegularExpression(u"nbd\\+unix:\\S+"_s).match(said(*window_)).captured();
    QVERIFY(click(*window_, u"Copy"_s));
    QCOMPARE(QGuiApplication::clipboard()->text(), uri);
    QCOMPARE(test::run_program({"nbdcopy", uri.toStdString(), file("exported.raw")}).status, 0);
    QCOMPARE(test::run_program({"qemu-img", "compare", image(), file("exported.raw")}).status, 0);
    QVERIFY(click(*window_, u"Stop"_s));
    QVERIFY(says(*window_, u"Not served"_s));
  }
  // Opened, but not answered yet: the worker has not seen a byte.
  void cancelledWhilePreparingItLeavesNothing() {
    const test::TempDir folder;
    const auto source = test::ServedFile::mount(folder.path(), 8 * mebibyte);
    if (!source) QSKIP(test::ServedFile::why_not());
    source->hold(test::ServedFile::Request::read);
    JobRequest request = to_raw(source->path(), file("d.raw"));
    QueuedJob* job = window_->queue().add(request);
    show(job);
    QVERIFY(QTest::qWaitFor([&] { return source->holds(); }, patience_ms));
    QCOMPARE(job->worker()->progress().phase, Phase::prepare);
    QVERIFY(says(*window_, u"If cancelled now, d.raw is as it was."_s));
    QVERIFY(click(*window_, u"Cancel"_s));
    QTest::qWait(50);
    source->release();
    QVERIFY(says(*window_, u"Failed: cancelled."_s));
    QVERIFY(says(*window_, u"Nothing was left under the name d.raw."_s));
    QVERIFY(!QFile::exists(text(file("d.raw"))));
  }
  void twoJobsForOneFileTakeTurnsAndSayForWhat() {
    const test::TempDir folder;
    const auto source = test::ServedFile::mount(folder.path(), 8 * mebibyte);
    if (!source) QSKIP(test::ServedFile::why_not());
    source->hold(test::ServedFile::Request::read);
    QueuedJob* first = window_->queue().add(to_raw(source->path(), file("e.raw")));
    QueuedJob* second = window_->queue().add(to_raw(image(), file("e.raw")));
    QVERIFY(says(*window_, u"Waiting: e.raw is busy. Starts after served → e.raw."_s));
    show(second);
    QVERIFY(says(*window_, u"1 running, 1 waiting"_s));
    source->release();
    QVERIFY(says(*window_, u"Verified: 67.1\u00a0MB read back"_s));
    QVERIFY(first->result()->good());
  }

 private:
  std::string file(const char* name) const { return folder_.file(name); }
  std::string image() const { return file("a.qcow2"); }
  // The convert dialog of an image that was dropped on the window, inspected, its map read.
  ConvertDialog* convert_dropped(const std::string& path) {
    drop(*window_, {text(path)});
    const ImagePtr open = window_->images().at(0);
    if (!QTest::qWaitFor([&] { return open->map_complete(); }, patience_ms)) return nullptr;
    if (!click(*window_, u"Convert…"_s)) return nullptr;
    return drive::dialog<ConvertDialog>(*window_);
  }
  static bool type_target(ConvertDialog& dialog, const std::string& path) {
    return type_into(dialog, u"Save as"_s, text(path));
  }

  JobRequest to_raw(const std::string& from, const std::string& to) {
    JobRequest request{.work = job::Convert{.format = "raw", .target_is_zero = true, .verify = true},
                       .source = text(from)};
    request.target = text(to);
    return request;
  }
  QueuedJob* run_to_raw(const std::string& from, const std::string& to) {
    return window_->queue().add(to_raw(from, to));
  }
  void show(QueuedJob* job) { window_->show_job(job); }

  struct SmallFileSystem : test::TempDir {
    ~SmallFileSystem() { umount2(path().c_str(), MNT_DETACH); }
  };
  static std::unique_ptr<SmallFileSystem> small_file_system() {
    auto made = std::make_unique<SmallFileSystem>();
    if (mount("small", made->path().c_str(), "tmpfs", 0, "size=4m") != 0) return nullptr;
    return made;
  }

  test::TempDir folder_;
  std::unique_ptr<MainWindow> window_;
};

QTEST_MAIN(FileConversionTest)
#include "file_conversion_test.moc"
