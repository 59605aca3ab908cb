// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "tests/core/format/qed/qed_image.h"
#include "tests/support/open_image.h"

using namespace disklathe;
using test::nothing;
using test::OpenedBytes;
using test::QedImage;
using test::stored;
using Kind = Extent::Kind;

namespace {

constexpr uint64_t cluster = QedImage::cluster, data_at = QedImage::data_at, disk = 2 * QedImage::span;

}  // namespace

class QedMapTest : public QObject {
  Q_OBJECT
 private slots:
  void saysWhereClustersAre() {
    QedImage image;
    image.set_stored(1, 2);
    image.set_stored(2, 3);
    image.set_entry(3, qed::entry_zero);
    image.set_stored(4, 0);
    QCOMPARE(*OpenedBytes("qed", image.bytes).map(),
             (std::vector<Extent>{nothing(Kind::hole, 0, cluster), stored(cluster, 2 * cluster, data_at + 2 * cluster),
                                  nothing(Kind::zero, 3 * cluster, cluster), stored(4 * cluster, cluster, data_at),
                                  nothing(Kind::hole, 5 * cluster, disk - 5 * cluster)}));
  }

  void anEmptyL1EntryIsAHole() {
    QedImage image;
    image.set(QedImage::l1_at, uint64_t{0});
    QCOMPARE(*OpenedBytes("qed", image.bytes).map(), (std::vector<Extent>{nothing(Kind::hole, 0, disk)}));
  }

  void aPartOfTheDiskIsAPartOfIt() {
    QedImage image;
    image.set_stored(0, 1);
    OpenedBytes opened("qed", image.bytes);
    QCOMPARE(*test::map_all(**opened.reader, {100, 200}),
             (std::vector<Extent>{stored(100, 200, data_at + cluster + 100)}));
  }

  void namesWhatIsWrongAndWhere_data() {
    QTest::addColumn<quint64>("at");
    QTest::addColumn<quint64>("entry");
    const auto row = [](const char* name, uint64_t at, uint64_t entry) {
      QTest::newRow(name) << quint64{at} << quint64{entry};
    };
    const uint64_t l1 = QedImage::l1_at, l2 = QedImage::l2_at + 3 * 8, end = data_at + 4 * cluster;
    row("L2 table off its cluster", l1, 2 * cluster + 512);
    row("zero as an L2 table", l1, 1);
    row("L2 table at the end", l1, end);
    row("L2 table at the end of all", l1, ~uint64_t{4095});
    row("cluster off its place", l2, data_at + 512);
    row("reserved bits", l2, data_at | 2);
    row("cluster at the end", l2, end);
    row("cluster at the end of all", l2, ~uint64_t{4095});
  }
  void namesWhatIsWrongAndWhere() {
    QFETCH(quint64, at);
    QFETCH(quint64, entry);
    QedImage image;
    image.set(at, uint64_t{entry});
    const auto map = OpenedBytes("qed", image.bytes).map();
    QVERIFY(!map);
    QCOMPARE(map.error().kind, ErrorKind::corrupt);
    QCOMPARE(map.error().offset, at);
  }

  void nothingLiesInTheHeader() {
    QedImage image;
    image.set(QedImage::Field::header_size, uint32_t{2});
    image.set(QedImage::Field::l1_table_offset, QedImage::l2_at);
    image.set(QedImage::l2_at, QedImage::data_at);
    image.set(QedImage::data_at, uint64_t{0});
    image.set(QedImage::data_at + 8, cluster);
    std::fill(image.bytes.begin() + QedImage::data_at + 16, image.bytes.end(), std::byte{0});
    const auto map = OpenedBytes("qed", image.bytes).map();
    QVERIFY(!map);
    QCOMPARE(map.error().offset, QedImage::data_at + 8);
  }

  void tablesThatLeadToThemselvesEnd() {
    QedImage image;
    for (uint64_t index = 0; index < QedImage::l2_entries; ++index)
      image.set(QedImage::l1_at + index * 8, QedImage::l1_at);
    const auto map = OpenedBytes("qed", image.bytes).map();
    QVERIFY(map);
    QCOMPARE(map->back().guest.end(), disk);
  }

  // Cut anywhere, it is damaged or reads as before.
  void isNeverReadPastWhereItWasCut() {
    QedImage image;
    for (uint64_t index = 0; index < 4; ++index) image.set_stored(index, 3 - index);
    for (size_t length = 0; length < image.bytes.size(); length += 512) {
      auto map =
          OpenedBytes("qed", {image.bytes.begin(), image.bytes.begin() + static_cast<std::ptrdiff_t>(length)}).map();
      QVERIFY(!map);
      QCOMPARE(map.error().kind, ErrorKind::corrupt);
      QVERIFY(map.error().offset);
    }
    QVERIFY(OpenedBytes("qed", image.bytes).map());
  }

  // 2 EiB of a disk whose tables would fill a memory: nothing is read but what is asked for.
  void giantTablesAreReadInParts() {
    QedImage image;
    image.set(QedImage::Field::cluster_size, uint32_t{1} << 20);
    image.set(QedImage::Field::table_size, uint32_t{16});
    image.set(QedImage::Field::l1_table_offset, uint64_t{1} << 20);
    image.set(QedImage::Field::image_size, uint64_t{1} << 61);
    image.bytes.resize(17 << 20);
    std::fill(image.bytes.begin() + 4096, image.bytes.end(), std::byte{0});
    const auto map = OpenedBytes("qed", image.bytes).map();
    QVERIFY(map);
    QVERIFY(std::ranges::all_of(*map, [](const Extent& extent) { return extent.kind == Kind::hole; }));
    QCOMPARE(map->back().guest.end(), uint64_t{1} << 61);
  }
};

QTEST_GUILESS_MAIN(QedMapTest)
#include "map_test.moc"
