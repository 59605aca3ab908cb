// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "tests/core/format/parallels/parallels_image.h"
#include "tests/support/open_image.h"

using namespace disklathe;
using test::nothing;
using test::OpenedBytes;
using test::ParallelsImage;
using test::stored;
using Kind = Extent::Kind;

namespace {

constexpr uint64_t cluster = ParallelsImage::cluster;

}  // namespace

class ParallelsMapTest : public QObject {
  Q_OBJECT
 private slots:
  void saysWhereClustersAre() {
    ParallelsImage image;
    image.set_entry(0, 3);
    image.set_entry(1, 4);
    image.set_entry(3, 1);
    QCOMPARE(*OpenedBytes("parallels", image.bytes).map(),
             (std::vector<Extent>{stored(0, 2 * cluster, 3 * cluster), nothing(Kind::hole, 2 * cluster, cluster),
                                  stored(3 * cluster, cluster, cluster)}));
  }

  // The old kind counts in sectors, and its clusters may begin at any.
  void theOldKindCountsInSectors() {
    ParallelsImage image(parallels::magic_sectors);
    image.set_entry(0, 3);
    image.set_entry(1, 7);
    image.set_entry(2, 10);
    QCOMPARE(*OpenedBytes("parallels", image.bytes).map(),
             (std::vector<Extent>{stored(0, cluster, 3 * 512), stored(cluster, 2 * cluster, 7 * 512),
                                  nothing(Kind::hole, 3 * cluster, cluster)}));
  }

  void aPartOfTheDiskIsAPartOfIt() {
    ParallelsImage image;
    image.set_entry(1, 2);
    OpenedBytes opened("parallels", image.bytes);
    QCOMPARE(*test::map_all(**opened.reader, {cluster - 512, 1024}),
             (std::vector<Extent>{nothing(Kind::hole, cluster - 512, 512), stored(cluster, 512, 2 * cluster)}));
  }

  void endsWithTheDiskInsideACluster() {
    ParallelsImage image(parallels::magic_clusters, 3 * ParallelsImage::sectors + 1);
    image.set_entry(3, 1);
    image.bytes.resize(cluster + 512);  // no more of it is needed
    QCOMPARE(OpenedBytes("parallels", image.bytes).map()->back(), stored(3 * cluster, 512, cluster));
  }

  void twoEntriesMayNameOneCluster() {
    ParallelsImage image;
    image.set_entry(0, 1);
    image.set_entry(1, 1);
    QCOMPARE(OpenedBytes("parallels", image.bytes).map()->size(), 3u);
  }

  void namesWhatIsWrongAndWhere() {
    for (const auto magic : {parallels::magic_sectors, parallels::magic_clusters}) {
      for (const uint32_t entry : {15u, 0x7fffffffu, 0xffffffffu}) {
        ParallelsImage image(magic);
        image.set_entry(2, entry);
        const auto map = OpenedBytes("parallels", image.bytes).map();
        QVERIFY(!map);
        QCOMPARE(map.error().kind, ErrorKind::corrupt);
        QCOMPARE(map.error().offset, uint64_t{64 + 2 * 4});
      }
    }
  }

  void noClusterLiesInTheTable() {
    ParallelsImage image(parallels::magic_sectors, 300 * ParallelsImage::sectors);
    image.set_entry(299, 2);
    const auto map = OpenedBytes("parallels", image.bytes).map();
    QVERIFY(!map);
    QVERIFY(map.error().cause.contains("overlaps"));
    image.set_entry(299, 3);
    QVERIFY(OpenedBytes("parallels", image.bytes).map());
  }

  // Cut anywhere, it is damaged or reads as before.
  void isNeverReadPastWhereItWasCut() {
    ParallelsImage image;
    for (uint32_t index = 0; index < 4; ++index) image.set_entry(index, 4 - index);
    for (size_t length = 0; length < image.bytes.size(); length += 512) {
      auto map =
          OpenedBytes("parallels", {image.bytes.begin(), image.bytes.begin() + static_cast<std::ptrdiff_t>(length)})
              .map();
      QVERIFY(!map);
      QCOMPARE(map.error().kind, ErrorKind::corrupt);
      QVERIFY(map.error().offset);
    }
    QVERIFY(OpenedBytes("parallels", image.bytes).map());
  }
};

QTEST_GUILESS_MAIN(ParallelsMapTest)
#include "map_test.moc"
