// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <random>

#include "tests/support/faulty_device.h"
#include "tests/support/made_image.h"
#include "tests/support/memory_device.h"
#include "tests/support/qemu_img.h"
#include "tests/support/write_guest.h"

using namespace disklathe;

namespace {

const std::vector<std::byte>& guest() {
  static const auto bytes = test::mixed_guest(400 << 10);
  return bytes;
}

// Makes the image until it is done or the device stops.
Result<void> make(BlockDevice& file, bool target_is_zero, bool compress) {
  auto writer = find_format("qcow2")->create({.file = &file,
                                              .size = guest().size(),
                                              .options = {{"cluster_size", "4K"}},
                                              .compress = compress,
                                              .target_is_zero = target_is_zero});
  if (!writer) return failure(writer);
  if (auto written = test::write_guest(**writer, file, nullptr, guest(), 64 << 10); !written) return written;
  return (*writer)->finish(true);
}

bool is_image(const std::vector<std::byte>& content) { return test::as_text(content).starts_with("QFI\xfb"); }

// An image of another disk, as long as ours will be.
std::vector<std::byte> old_image() {
  test::MemoryDevice file;
  auto writer = find_format("qcow2")->create({.file = &file, .size = 1 << 20, .target_is_zero = true});
  const auto old_guest = test::mixed_guest(1 << 20, 2);
  if (!writer || !test::write_guest(**writer, file, nullptr, old_guest) || !(*writer)->finish(true)) return {};
  return file.content();
}

}  // namespace

class WriterCrashTest : public QObject {
  Q_OBJECT

  test::MadeImage image_{"qcow2"};

  // What an image says must be true.
  void verifyHonest(const std::vector<std::byte>& content) {
    if (!is_image(content)) return;
    test::write_file(image_.path(), test::as_text(content));
    FINE(image_.check());
    FINE(image_.compare(guest()));
    ++images_seen_;
  }
  size_t images_seen_ = 0;

  void eachCase() {
    QTest::addColumn<bool>("in_place");
    QTest::addColumn<bool>("compress");
    QTest::addRow("fresh") << false << false;
    QTest::addRow("fresh -c") << false << true;
    QTest::addRow("in place of an image") << true << false;
    QTest::addRow("in place of an image -c") << true << true;
  }

 private slots:
  void init() { images_seen_ = 0; }

  void isNoImageUntilTheLastWrite_data() { eachCase(); }
  void isNoImageUntilTheLastWrite() {
    QFETCH(bool, in_place);
    QFETCH(bool, compress);
    const auto before = in_place ? old_image() : std::vector<std::byte>();
    for (size_t k = 1;; ++k) {
      test::MemoryDevice memory(before);
      test::FaultyDevice file(memory);
      file.stop_after_writes(k);
      const bool done = make(file, !in_place, compress).has_value();
      verifyHonest(memory.content());
      QCOMPARE(is_image(memory.content()), done);
      if (QTest::currentTestFailed() || done) break;
      QVERIFY(k < 10000);
    }
    QCOMPARE(images_seen_, 1u);
  }

  void isHonestWhateverTheWriteCacheLost_data() { eachCase(); }
  void isHonestWhateverTheWriteCacheLost() {
    QFETCH(bool, in_place);
    QFETCH(bool, compress);
    const auto before = in_place ? old_image() : std::vector<std::byte>();
    test::MemoryDevice memory(before);
    test::FaultyDevice file(memory);
    file.keep_changes();
    QVERIFY(make(file, !in_place, compress));
    const auto changes = file.changes();
    std::mt19937 random(7);
    for (size_t until = 0; until <= changes.size(); ++until) {
      const bool near_the_end = until + 8 > changes.size();
      for (int attempt = 0; attempt < (near_the_end ? 8 : 1); ++attempt) {
        const auto content =
            test::content_after_power_cut(before, changes, until, [&](size_t) { return random() % 2 == 0; });
        if (content != before) verifyHonest(content);
        if (QTest::currentTestFailed()) return;
      }
    }
    QVERIFY(images_seen_ > 0);
  }
};

QTEST_GUILESS_MAIN(WriterCrashTest)
#include "writer_crash_test.moc"
