// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <functional>

#include "tests/core/format/qcow/qcow_image.h"
#include "tests/support/open_image.h"

using namespace disklathe;
using qcow::Field;
using test::OpenedBytes;
using test::QcowImage;

class QcowHeaderTest : public QObject {
  Q_OBJECT
 private slots:
  void isRecognisedByItsContent() {
    test::MemoryDevice file(QcowImage().bytes);
    QCOMPARE(probe_format(file)->format->name, "qcow");
  }

  void laterVersionsAreLeftToQcow2() {
    QcowImage image;
    image.set(Field::version, uint32_t{2});
    image.bytes.resize(4096);
    test::MemoryDevice file(image.bytes);
    QCOMPARE(probe_format(file)->format->name, "qcow2");
    QVERIFY(OpenedBytes("qcow", image.bytes).reader.error().cause.contains("qcow2"));
  }

  void aDiskHasWholeSectors() {
    QcowImage image(4, 1000);
    QCOMPARE((*OpenedBytes("qcow", image.bytes).reader)->size(), 512u);
  }

  void namesItsBackingFile() {
    QcowImage image;
    image.set_backing("base.img");
    const auto opened = OpenedBytes("qcow", image.bytes);
    QCOMPARE((*opened.reader)->references().size(), 1u);
    QCOMPARE((*opened.reader)->references()[0].name, "base.img");
    QCOMPARE((*opened.reader)->references()[0].format, "");
    QCOMPARE(*(*opened.reader)->facts().cluster_size, 512u);
  }

  void saysWhenItIsEncrypted() {
    QcowImage image;
    QVERIFY(!(*OpenedBytes("qcow", image.bytes).reader)->facts().encrypted);
    image.set(Field::crypt_method, uint32_t{1});
    QVERIFY((*OpenedBytes("qcow", image.bytes).reader)->facts().encrypted.value_or(false));
  }

  void hasNoSnapshots() {
    test::MemoryDevice file(QcowImage().bytes);
    QCOMPARE(find_format("qcow")->open({.file = &file, .snapshot = "a"}).error().kind, ErrorKind::unsupported);
  }

  void namesWhatIsWrongAndWhere_data() {
    using Bend = std::function<void(QcowImage&)>;
    QTest::addColumn<Bend>("bend");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<quint64>("offset");
    const auto row = [](const char* name, uint64_t at, auto value, ErrorKind kind) {
      QTest::newRow(name) << Bend([=](QcowImage& image) { image.set(at, value); }) << kind << quint64{at};
    };
    row("magic", Field::magic, uint32_t{1}, ErrorKind::corrupt);
    row("version 0", Field::version, uint32_t{0}, ErrorKind::unsupported);
    row("newer version", Field::version, uint32_t{4}, ErrorKind::unsupported);
    row("giant disk", Field::size, uint64_t{1} << 63, ErrorKind::corrupt);
    row("giant L1 table", Field::size, uint64_t{1} << 62, ErrorKind::unsupported);
    row("small clusters", Field::cluster_bits, uint8_t{8}, ErrorKind::corrupt);
    row("giant clusters", Field::cluster_bits, uint8_t{63}, ErrorKind::corrupt);
    row("small L2 tables", Field::l2_bits, uint8_t{5}, ErrorKind::corrupt);
    row("giant L2 tables", Field::l2_bits, uint8_t{64}, ErrorKind::corrupt);
    row("unknown encryption", Field::crypt_method, uint32_t{2}, ErrorKind::unsupported);
    row("L1 table in the header", Field::l1_table_offset, uint64_t{40}, ErrorKind::corrupt);
    row("L1 table off its place", Field::l1_table_offset, uint64_t{52}, ErrorKind::corrupt);
    row("L1 table behind the end", Field::l1_table_offset, uint64_t{1} << 20, ErrorKind::corrupt);
    row("L1 table at the end of all", Field::l1_table_offset, ~uint64_t{7}, ErrorKind::corrupt);
    row("name behind the end", Field::backing_file_offset, uint64_t{1} << 20, ErrorKind::corrupt);
    const auto name = [](const char* called, uint32_t length, std::string_view text) {
      QTest::newRow(called) << Bend([=](QcowImage& image) {
        image.set_backing(text);
        image.set(Field::backing_file_size, length);
      }) << ErrorKind::corrupt
                            << quint64{Field::backing_file_offset};
    };
    name("giant name", 0xffffffff, "base");
    name("zero byte in the name", 8, "base");
    QTest::newRow("L1 table across the end")
        << Bend([](QcowImage& image) { image.set(Field::l1_table_offset, uint64_t{image.bytes.size() - 8}); })
        << ErrorKind::corrupt << quint64{Field::l1_table_offset};
  }
  void namesWhatIsWrongAndWhere() {
    QFETCH(std::function<void(QcowImage&)>, bend);
    QFETCH(ErrorKind, kind);
    QFETCH(quint64, offset);
    QcowImage image;
    bend(image);
    const OpenedBytes opened("qcow", image.bytes);
    QVERIFY(!opened.reader);
    QCOMPARE(opened.reader.error().kind, kind);
    QCOMPARE(opened.reader.error().offset, offset);
    QVERIFY(!opened.reader.error().cause.empty());
  }
};

QTEST_GUILESS_MAIN(QcowHeaderTest)
#include "header_test.moc"
