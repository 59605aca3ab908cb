// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "tests/support/faulty_device.h"
#include "tests/support/made_image.h"
#include "tests/support/memory_device.h"
#include "tests/support/qemu_img.h"
#include "tests/support/write_guest.h"

using namespace disklathe;

namespace {

constexpr uint64_t mebibyte = 1 << 20;

bool is_image(const std::vector<std::byte>& content) { return test::is_image("vdi", content); }

Result<void> make(BlockDevice& file, const std::vector<std::byte>& guest, const FormatOptions& options, bool fresh) {
  return test::make_image("vdi", file, guest, options, fresh);
}

}  // namespace

class VdiWriterTest : public QObject {
  Q_OBJECT

  void bothKinds() {
    QTest::addColumn<QString>("options");
    QTest::newRow("dynamic") << "";
    QTest::newRow("fixed") << "static=on";
  }

 private slots:
  void isWhatQemuReads_data() {
    QTest::addColumn<QString>("options");
    QTest::addColumn<quint64>("size");
    for (const char* options : {"static=off", "static=on"})
      for (const uint64_t size : {uint64_t{0}, uint64_t{1}, uint64_t{512}, mebibyte - 512, mebibyte, mebibyte + 1,
                                  5 * mebibyte + 1000, 9 * mebibyte + 512})
        QTest::addRow("%s %llu", options, static_cast<unsigned long long>(size)) << options << quint64{size};
  }
  void isWhatQemuReads() {
    QFETCH(QString, options);
    QFETCH(quint64, size);
    const auto guest = test::mixed_guest(size);
    test::MadeImage image("vdi");
    FINE(image.make(guest, {.options = test::options_of(options)}));
    FINE(image.check());
    FINE(image.compare(test::padded(guest)));
  }

  void storesNothingOfAnEmptyDisk() {
    test::MadeImage image("vdi");
    FINE(image.make_empty(uint64_t{100} << 30, {}));
    FINE(image.check());
    QVERIFY(test::read_file(image.path()).size() <= 1 * mebibyte);
  }

  void leavesNothingOfAUsedTargetInTheDisk_data() { bothKinds(); }
  void leavesNothingOfAUsedTargetInTheDisk() {
    QFETCH(QString, options);
    const auto guest = test::mixed_guest(3 * mebibyte + 1000);
    test::MemoryDevice file(std::vector<std::byte>(8 * mebibyte, std::byte{0xff}));
    file.fix_size();  // a device
    auto writer =
        find_format("vdi")->create({.file = &file, .size = guest.size(), .options = test::options_of(options)});
    QVERIFY(writer);
    QCOMPARE((*writer)->unit(), mebibyte);
    // As the engine does: what place_zero() names is cleared.
    for (uint64_t at = 0; at < guest.size(); at += mebibyte) {
      const auto range = (*writer)->place_zero({at, std::min(mebibyte, guest.size() - at)});
      QVERIFY(range);
      if (*range) QVERIFY(file.write_now((*range)->at, std::vector<std::byte>((*range)->length)));
    }
    QVERIFY(test::write_guest(**writer, file, nullptr, guest));
    QVERIFY((*writer)->finish(true));
    test::MadeImage image("vdi");
    test::write_file(image.path(), test::as_text(file.content()));
    FINE(image.check());
    FINE(image.compare(test::padded(guest)));
  }

  void isNoImageUntilTheLastWrite_data() { bothKinds(); }
  void isNoImageUntilTheLastWrite() {
    QFETCH(QString, options);
    const auto guest = test::mixed_guest(3 * mebibyte);
    for (const bool fresh : {true, false}) {
      std::vector<std::byte> before;
      if (!fresh) {
        test::MemoryDevice old;
        QVERIFY(make(old, test::mixed_guest(2 * mebibyte, 2), {}, true));
        before = old.content();
      }
      for (size_t k = 1;; ++k) {
        test::MemoryDevice memory(before);
        test::FaultyDevice file(memory);
        file.stop_after_writes(k);
        const bool done = make(file, guest, test::options_of(options), fresh).has_value();
        QCOMPARE(is_image(memory.content()), done);
        if (done) break;
        QVERIFY(k < 1000);
      }
    }
  }

  void flushesBeforeTheHeaderAndAfterIt() {
    test::MemoryDevice memory;
    test::FaultyDevice file(memory);
    auto writer = find_format("vdi")->create({.file = &file, .size = mebibyte, .target_is_zero = true});
    QVERIFY(writer && (*writer)->finish(true));
    QCOMPARE(file.flushes(), 2u);
  }

  void refusesWhatItCannotDo() {
    test::MemoryDevice file;
    const auto kind = [&](CreateRequest request) {
      request.file = &file;
      const auto writer = find_format("vdi")->create(request);
      return writer ? ErrorKind::stopped : writer.error().kind;
    };
    QCOMPARE(kind({.size = mebibyte, .compress = true}), ErrorKind::unsupported);
    QCOMPARE(kind({.size = mebibyte, .backing_file = "a"}), ErrorKind::unsupported);
    QCOMPARE(kind({.size = mebibyte, .options = {{"static", "perhaps"}}}), ErrorKind::invalid);
    QCOMPARE(kind({.size = uint64_t{1} << 50}), ErrorKind::invalid);
    QCOMPARE(kind({.size = UINT64_MAX}), ErrorKind::invalid);
  }

  void saysWhenADeviceIsTooSmall() {
    test::MemoryDevice file(3 * mebibyte);
    file.fix_size();
    const auto writer = find_format("vdi")->create({.file = &file, .size = 64 * mebibyte});
    QVERIFY(writer);
    Placement placement{.guest = {0, 4 * mebibyte}, .stored = 4 * mebibyte};
    QCOMPARE((*writer)->place({&placement, 1}).error().kind, ErrorKind::no_space);
  }
};

QTEST_GUILESS_MAIN(VdiWriterTest)
#include "writer_test.moc"
