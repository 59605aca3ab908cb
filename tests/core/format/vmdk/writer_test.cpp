// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "tests/support/faulty_device.h"
#include "tests/support/made_image.h"
#include "tests/support/memory_device.h"
#include "tests/support/qemu_img.h"
#include "tests/support/write_guest.h"

using namespace disklathe;

namespace {

constexpr uint64_t grain = 65536;

bool is_image(const std::vector<std::byte>& content) { return test::is_image("vmdk", content); }

Result<void> make(BlockDevice& file, const std::vector<std::byte>& guest, const FormatOptions& options, bool fresh) {
  return test::make_image("vmdk", file, guest, options, fresh);
}

}  // namespace

class VmdkWriterTest : public QObject {
  Q_OBJECT

  void bothKinds() {
    QTest::addColumn<QString>("options");
    QTest::newRow("sparse") << "subformat=monolithicSparse";
    QTest::newRow("stream") << "subformat=streamOptimized";
  }

 private slots:
  void isWhatQemuReads_data() {
    QTest::addColumn<QString>("options");
    QTest::addColumn<quint64>("size");
    for (const char* options : {"subformat=monolithicSparse", "subformat=streamOptimized,adapter_type=lsilogic",
                                "compat6=on", "hwversion=9,toolsversion=10"})
      for (const uint64_t size : {uint64_t{1}, uint64_t{512}, grain - 512, grain, grain + 1, 9 * grain + 1000,
                                  uint64_t{32} << 20, (uint64_t{33} << 20) + 512})
        QTest::addRow("%s %llu", options, static_cast<unsigned long long>(size)) << options << quint64{size};
  }
  void isWhatQemuReads() {
    QFETCH(QString, options);
    QFETCH(quint64, size);
    const auto guest = test::mixed_guest(size);
    test::MadeImage image("vmdk");
    FINE(image.make(guest, {.options = test::options_of(options)}));
    FINE(image.check());
    FINE(image.compare(test::padded(guest)));
  }

  void storesLittleOfAnEmptyDisk_data() { bothKinds(); }
  void storesLittleOfAnEmptyDisk() {
    QFETCH(QString, options);
    test::MemoryDevice file;
    const auto writer = find_format("vmdk")->create(
        {.file = &file, .size = uint64_t{8} << 30, .options = test::options_of(options), .target_is_zero = true});
    QVERIFY(writer && (*writer)->place_zero({0, uint64_t{8} << 30}) && (*writer)->finish(true));
    test::MadeImage image("vmdk");
    test::write_file(image.path(), test::as_text(file.content()));
    FINE(image.check());
    QVERIFY(file.size() < 2 << 20);
  }

  void leavesNothingOfAUsedTargetInTheDisk_data() { bothKinds(); }
  void leavesNothingOfAUsedTargetInTheDisk() {
    QFETCH(QString, options);
    const auto guest = test::mixed_guest(3'000'000);
    test::MemoryDevice file(std::vector<std::byte>(8 << 20, std::byte{0xff}));
    if (options.contains("monolithic")) file.fix_size();  // a device; a stream ends where its file does
    const Result<void> made = make(file, guest, test::options_of(options), false);
    QVERIFY2(made, made ? "" : test::describe(made.error()).c_str());
    test::MadeImage image("vmdk");
    test::write_file(image.path(), test::as_text(file.content()));
    FINE(image.check());
    FINE(image.compare(test::padded(guest)));
  }

  void isNoImageUntilTheLastWrite_data() { bothKinds(); }
  void isNoImageUntilTheLastWrite() {
    QFETCH(QString, options);
    const auto guest = test::mixed_guest(700'000);
    for (const bool fresh : {true, false}) {
      std::vector<std::byte> before;
      if (!fresh) {
        test::MemoryDevice old;
        QVERIFY(make(old, test::mixed_guest(600'000, 2), {}, true));
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

  void flushesBeforeTheHeaderAndAfterIt_data() { bothKinds(); }
  void flushesBeforeTheHeaderAndAfterIt() {
    QFETCH(QString, options);
    test::MemoryDevice memory;
    test::FaultyDevice file(memory);
    auto writer = find_format("vmdk")->create(
        {.file = &file, .size = 1 << 20, .options = test::options_of(options), .target_is_zero = true});
    QVERIFY(writer && (*writer)->finish(true));
    QCOMPARE(file.flushes(), 2u);
  }

  void noiseIsStoredInTheRoomThatWasAskedFor() {
    test::MemoryDevice file;
    auto writer = find_format("vmdk")->create({.file = &file,
                                               .size = 1 << 20,
                                               .options = {{"subformat", "streamOptimized"}},
                                               .compress = true,
                                               .target_is_zero = true});
    QVERIFY(writer);
    std::vector<std::byte> in(grain), out((*writer)->encode_room());
    uint32_t state = 1;
    for (std::byte& byte : in) byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
    const auto size = (*writer)->encode(0, in, out);
    QVERIFY(size && *size > grain && *size <= out.size());
  }

  void refusesWhatItCannotDo() {
    test::MemoryDevice file;
    const auto kind = [&](CreateRequest request) {
      request.file = &file;
      const auto writer = find_format("vmdk")->create(request);
      return writer ? ErrorKind::stopped : writer.error().kind;
    };
    for (const char* type : {"monolithicFlat", "twoGbMaxExtentSparse", "twoGbMaxExtentFlat"})
      QCOMPARE(kind({.size = 1 << 20, .options = {{"subformat", type}}}), ErrorKind::unsupported);
    QCOMPARE(kind({.size = 1 << 20, .options = {{"zeroed_grain", "on"}}}), ErrorKind::unsupported);
    QCOMPARE(kind({.size = 1 << 20, .backing_file = "a"}), ErrorKind::unsupported);
    QCOMPARE(kind({.size = 1 << 20, .compress = true}), ErrorKind::unsupported);
    QCOMPARE(kind({.size = 1 << 20, .options = {{"adapter_type", "usb"}}}), ErrorKind::invalid);
    QCOMPARE(kind({.size = 1 << 20, .options = {{"hwversion", "4\"\nRW 1 FLAT \"/etc/passwd"}}}), ErrorKind::invalid);
    QCOMPARE(kind({.size = 1 << 20, .options = {{"compat6", "on"}, {"hwversion", "4"}}}), ErrorKind::invalid);
    QCOMPARE(kind({.size = uint64_t{1} << 60}), ErrorKind::invalid);
    QCOMPARE(kind({.size = 0}), ErrorKind::invalid);  // QEMU opens no such image
  }

  void refusesGrainsOutOfOrder() {
    test::MemoryDevice file;
    auto writer = find_format("vmdk")->create(
        {.file = &file, .size = 1 << 20, .options = {{"subformat", "streamOptimized"}}, .target_is_zero = true});
    QVERIFY(writer);
    Placement second{.guest = {grain, grain}, .stored = 512, .encoded = true};
    QVERIFY((*writer)->place({&second, 1}));
    QCOMPARE((*writer)->place({&second, 1}).error().kind, ErrorKind::invalid);
    Placement first{.guest = {0, grain}, .stored = 512, .encoded = true};
    QCOMPARE((*writer)->place({&first, 1}).error().kind, ErrorKind::invalid);
    Placement plain{.guest = {2 * grain, grain}, .stored = grain};
    QCOMPARE((*writer)->place({&plain, 1}).error().kind, ErrorKind::invalid);
  }
};

QTEST_GUILESS_MAIN(VmdkWriterTest)
#include "writer_test.moc"
