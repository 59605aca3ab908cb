// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: z
#include <zlib.h>

#include <QTest>

#include "tests/core/format/qcow/qcow_image.h"
#include "tests/support/open_image.h"

using namespace disklathe;
using test::nothing;
using test::OpenedBytes;
using test::QcowImage;
using test::stored;
using Kind = Extent::Kind;

namespace {

constexpr uint64_t cluster = QcowImage::cluster, data_at = QcowImage::data_at, disk = 2 * QcowImage::span;

// As QEMU compresses them: raw deflate, a window of 4 KiB.
std::vector<std::byte> deflated(Bytes bytes) {
  std::vector<std::byte> out(bytes.size() + 1000);
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -12, 9, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::vector<std::byte> text() {
  std::vector<std::byte> bytes(cluster);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 11 ^ i / 50);
  return bytes;
}

}  // namespace

class QcowMapTest : public QObject {
  Q_OBJECT
 private slots:
  void saysWhereClustersAre() {
    QcowImage image;
    image.set_stored(1, 2);
    image.set_stored(2, 3);
    image.set_stored(3, 0);
    QCOMPARE(*OpenedBytes("qcow", image.bytes).map(),
             (std::vector<Extent>{nothing(Kind::hole, 0, cluster), stored(cluster, 2 * cluster, data_at + 2 * cluster),
                                  stored(3 * cluster, cluster, data_at),
                                  nothing(Kind::hole, 4 * cluster, disk - 4 * cluster)}));
  }

  void anEmptyL1EntryIsAHole() {
    QcowImage image;
    image.set(QcowImage::l1_at, uint64_t{0});
    QCOMPARE(*OpenedBytes("qcow", image.bytes).map(), (std::vector<Extent>{nothing(Kind::hole, 0, disk)}));
  }

  // Those of QEMU begin anywhere and end where their bytes do.
  void compressedClustersHaveTheirBytes() {
    QcowImage image;
    image.bytes.push_back(std::byte{7});
    const auto encoded = deflated(text());
    image.add_compressed(2, encoded);
    OpenedBytes opened("qcow", image.bytes);
    const auto map = opened.map();
    QVERIFY(map);
    QCOMPARE(map->at(1), (Extent{.kind = Kind::compressed,
                                 .guest = {2 * cluster, cluster},
                                 .host = {data_at + 4 * cluster + 1, encoded.size()},
                                 .decoded_length = cluster}));
    const auto content = opened.content();
    QVERIFY(content);
    QVERIFY(std::ranges::equal(Bytes(*content).subspan(2 * cluster, cluster), text()));
    QCOMPARE((*opened.reader)->decode_unit(), cluster);
  }

  void aPartOfACompressedClusterIsAPartOfIt() {
    QcowImage image;
    image.add_compressed(0, deflated(text()));
    OpenedBytes opened("qcow", image.bytes);
    const auto map = test::map_all(**opened.reader, {100, 200});
    QCOMPARE(map->front().decoded_skip, 100u);
    QCOMPARE(map->front().guest, (Range{100, 200}));
  }

  void anImageThatBeginsCompressedIsWorkForEveryCore() {
    QcowImage image;
    image.set_stored(9, 0);
    QVERIFY(!(*OpenedBytes("qcow", image.bytes).reader)->facts().compressed);
    image.add_compressed(8, deflated(text()));
    QVERIFY((*OpenedBytes("qcow", image.bytes).reader)->facts().compressed);
  }

  void aDamagedStreamIsSaidWithItsPlace() {
    QcowImage image;
    const size_t at = image.bytes.size();
    image.add_compressed(0, std::vector<std::byte>(40, std::byte{0xff}));
    const auto content = OpenedBytes("qcow", image.bytes).content();
    QVERIFY(!content);
    QCOMPARE(content.error().kind, ErrorKind::corrupt);
    QCOMPARE(content.error().offset, at);
  }

  void anEncryptedClusterIsOne() {
    QcowImage image;
    image.set(QcowImage::Field::crypt_method, uint32_t{1});
    image.set_stored(0, 0);
    image.add_compressed(1, deflated(text()));
    const auto map = OpenedBytes("qcow", image.bytes).map();
    QCOMPARE(map->at(0).kind, Kind::encrypted);
    QCOMPARE(map->at(1).kind, Kind::encrypted);
    QCOMPARE(map->at(2).kind, Kind::hole);
  }

  void endsWithTheDiskInsideACluster() {
    QcowImage image(1, 512);
    image.bytes[QcowImage::Field::cluster_bits] = std::byte{12};
    image.set_stored(0, 0);
    QCOMPARE(*OpenedBytes("qcow", image.bytes).map(), (std::vector<Extent>{stored(0, 512, data_at)}));
  }

  void namesWhatIsWrongAndWhere_data() {
    QTest::addColumn<quint64>("at");
    QTest::addColumn<quint64>("entry");
    const auto row = [](const char* name, uint64_t at, uint64_t entry) {
      QTest::newRow(name) << quint64{at} << quint64{entry};
    };
    const uint64_t l1 = QcowImage::l1_at, l2 = QcowImage::l2_at + 3 * 8, end = data_at + 4 * cluster;
    row("L2 table off its sector", l1, 513);
    row("L2 table at the end", l1, end);
    row("L2 table at the end of all", l1, ~uint64_t{511});
    row("cluster off its sector", l2, data_at + 1);
    row("cluster at the end", l2, end);
    row("cluster at the end of all", l2, (uint64_t{1} << 63) - 512);
    row("compressed into nothing", l2, qcow::entry_compressed | data_at);
    row("compressed in the header", l2, qcow::entry_compressed | uint64_t{5} << 54 | 40);
    row("compressed across the end", l2, qcow::entry_compressed | uint64_t{5} << 54 | (end - 4));
    row("compressed behind the end", l2, ~uint64_t{0});
  }
  void namesWhatIsWrongAndWhere() {
    QFETCH(quint64, at);
    QFETCH(quint64, entry);
    QcowImage image;
    image.set(at, uint64_t{entry});
    const auto map = OpenedBytes("qcow", image.bytes).map();
    QVERIFY(!map);
    QCOMPARE(map.error().kind, ErrorKind::corrupt);
    QCOMPARE(map.error().offset, at);
  }

  void tablesThatLeadToThemselvesEnd() {
    QcowImage image;
    image.set(QcowImage::l1_at, QcowImage::l2_at);
    image.set(QcowImage::l1_at + 8, QcowImage::l2_at);  // the same table twice
    for (uint64_t index = 0; index < QcowImage::l2_entries; ++index) image.set_entry(index, QcowImage::l2_at);
    const auto map = OpenedBytes("qcow", image.bytes).map();
    QVERIFY(map);
    QCOMPARE(map->back().guest.end(), disk);
  }

  // Cut anywhere, it is damaged or reads as before.
  void isNeverReadPastWhereItWasCut() {
    QcowImage image;
    for (uint64_t index = 0; index < 4; ++index) image.set_stored(index, 3 - index);
    for (size_t length = 0; length < image.bytes.size(); length += 512) {
      auto map =
          OpenedBytes("qcow", {image.bytes.begin(), image.bytes.begin() + static_cast<std::ptrdiff_t>(length)}).map();
      QVERIFY(!map);
      QCOMPARE(map.error().kind, ErrorKind::corrupt);
      QVERIFY(map.error().offset);
    }
    QVERIFY(OpenedBytes("qcow", image.bytes).map());
  }
};

QTEST_GUILESS_MAIN(QcowMapTest)
#include "map_test.moc"
