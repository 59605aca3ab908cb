// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <functional>

#include "tests/core/format/qed/qed_image.h"
#include "tests/support/open_image.h"

using namespace disklathe;
using qed::Field;
using test::OpenedBytes;
using test::QedImage;

class QedHeaderTest : public QObject {
  Q_OBJECT
 private slots:
  void isRecognisedByItsContent() {
    test::MemoryDevice file(QedImage().bytes);
    QCOMPARE(probe_format(file)->format->name, "qed");
  }

  void namesItsBackingFile() {
    QedImage image;
    image.set_backing("base.img");
    const auto opened = OpenedBytes("qed", image.bytes);
    QCOMPARE((*opened.reader)->references().size(), 1u);
    QCOMPARE((*opened.reader)->references()[0].name, "base.img");
    QCOMPARE((*opened.reader)->references()[0].format, "");
  }

  void aBackingFileThatMustNotBeProbedIsRaw() {
    QedImage image;
    image.set_backing("base.img", qed::feature_backing_file | qed::feature_backing_format_no_probe);
    QCOMPARE((*OpenedBytes("qed", image.bytes).reader)->references()[0].format, "raw");
  }

  void aNameWithoutItsFeatureIsNone() {
    QedImage image;
    image.set_backing("base.img", 0);
    QVERIFY((*OpenedBytes("qed", image.bytes).reader)->references().empty());
  }

  void saysWhenItNeedsACheck() {
    QedImage image;
    QVERIFY((*OpenedBytes("qed", image.bytes).reader)->facts().warnings.empty());
    image.set(Field::features, qed::feature_need_check);
    const auto opened = OpenedBytes("qed", image.bytes);
    QCOMPARE((*opened.reader)->facts().dirty, true);
    QCOMPARE((*opened.reader)->facts().warnings.size(), 1u);
  }

  void featuresThatSayNothingOfReadingDoNotMatter() {
    QedImage image;
    image.set(Field::compat_features, ~uint64_t{0});
    image.set(Field::autoclear_features, ~uint64_t{0});
    QVERIFY(OpenedBytes("qed", image.bytes).reader);
  }

  void namesWhatIsWrongAndWhere_data() {
    using Bend = std::function<void(QedImage&)>;
    QTest::addColumn<Bend>("bend");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<quint64>("offset");
    const auto row = [](const char* name, uint64_t at, auto value, ErrorKind kind = ErrorKind::corrupt) {
      QTest::newRow(name) << Bend([=](QedImage& image) { image.set(at, value); }) << kind << quint64{at};
    };
    row("magic", Field::magic, uint32_t{1});
    row("unknown feature", Field::features, uint64_t{8}, ErrorKind::unsupported);
    row("small clusters", Field::cluster_size, uint32_t{2048});
    row("odd clusters", Field::cluster_size, uint32_t{4097});
    row("giant clusters", Field::cluster_size, uint32_t{1} << 31);
    row("no tables", Field::table_size, uint32_t{0});
    row("odd tables", Field::table_size, uint32_t{3});
    row("giant tables", Field::table_size, uint32_t{32});
    row("no header", Field::header_size, uint32_t{0});
    row("part of a sector", Field::image_size, uint64_t{1000});
    row("disk beyond its tables", Field::image_size, (uint64_t{512} * 512 * 4096) + 512);
    row("giant disk", Field::image_size, ~uint64_t{511});
    row("L1 table off its cluster", Field::l1_table_offset, uint64_t{4608});
    row("L1 table in the header", Field::l1_table_offset, uint64_t{0});
    row("L1 table at the end", Field::l1_table_offset, QedImage::data_at + 4 * QedImage::cluster);
    row("L1 table at the end of all", Field::l1_table_offset, ~uint64_t{4095});
    const auto name = [](const char* called, uint32_t at, uint32_t length, std::string_view text) {
      QTest::newRow(called) << Bend([=](QedImage& image) {
        image.set_backing(text);
        image.set(Field::backing_filename_offset, at);
        image.set(Field::backing_filename_size, length);
      }) << ErrorKind::corrupt
                            << quint64{Field::backing_filename_offset};
    };
    name("name behind the header", 4090, 10, "base");
    name("giant name", 64, 1024, "base");
    name("name at the end of all", 0xffffffff, 0xffffffff, "base");
    name("zero byte in the name", 64, 8, "base");
    QTest::newRow("header over the L1 table")
        << Bend([](QedImage& image) { image.set(Field::header_size, uint32_t{2}); }) << ErrorKind::corrupt
        << quint64{Field::l1_table_offset};
    QTest::newRow("header beyond all") << Bend([](QedImage& image) {
      image.set(Field::header_size, uint32_t{0xffffffff});
    }) << ErrorKind::corrupt << quint64{Field::l1_table_offset};
    QTest::newRow("L1 table across the end")
        << Bend([](QedImage& image) { image.set(Field::table_size, uint32_t{16}); }) << ErrorKind::corrupt
        << quint64{Field::l1_table_offset};
  }
  void namesWhatIsWrongAndWhere() {
    QFETCH(std::function<void(QedImage&)>, bend);
    QFETCH(ErrorKind, kind);
    QFETCH(quint64, offset);
    QedImage image;
    bend(image);
    const OpenedBytes opened("qed", image.bytes);
    QVERIFY(!opened.reader);
    QCOMPARE(opened.reader.error().kind, kind);
    QCOMPARE(opened.reader.error().offset, offset);
    QVERIFY(!opened.reader.error().cause.empty());
  }
};

QTEST_GUILESS_MAIN(QedHeaderTest)
#include "header_test.moc"
