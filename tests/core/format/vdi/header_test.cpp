// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <functional>

#include "core/format/registry.h"
#include "tests/core/format/vdi/vdi_image.h"
#include "tests/support/memory_device.h"

using namespace disklathe;
using test::VdiImage;
using vdi::Field;

namespace {

Result<std::unique_ptr<ImageReader>> open(const std::vector<std::byte>& bytes) {
  test::MemoryDevice file(bytes);
  return find_format("vdi")->open({.file = &file});
}

}  // namespace

class VdiHeaderTest : public QObject {
  Q_OBJECT
 private slots:
  void comesBackAsItWasWritten() {
    VdiImage image;
    image.header.uuid[3] = std::byte{9};
    image.write_header();
    const auto header = vdi::Header::parse(Bytes(image.bytes).first(512), image.bytes.size());
    QVERIFY(header);
    QCOMPARE(header->disk_size, 4 * 4096u);
    QCOMPARE(header->offset_data, 1024u);
    QCOMPARE(header->blocks_allocated, 4u);
    QCOMPARE(header->uuid, image.header.uuid);
  }

  void isRecognisedByItsContent() {
    test::MemoryDevice file(VdiImage().bytes);
    QCOMPARE(probe_format(file)->format->name, "vdi");
  }

  void roundsOddDisksUpToSectors() {
    VdiImage image;
    image.header.disk_size = 1000;
    image.write_header();
    QCOMPARE((*open(image.bytes))->size(), 1024u);
  }

  void namesWhatIsWrongAndWhere_data() {
    using Bend = std::function<void(VdiImage&)>;
    QTest::addColumn<Bend>("bend");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<quint64>("offset");
    const auto field = [](const char* name, uint64_t at, uint32_t value, ErrorKind kind) {
      QTest::newRow(name) << Bend([=](VdiImage& image) { image.set(at, value); }) << kind << quint64{at};
    };
    field("signature", Field::signature, 1, ErrorKind::corrupt);
    field("old version", Field::version, 2, ErrorKind::unsupported);
    field("newer version", Field::version, 0x00020000, ErrorKind::unsupported);
    field("short header", Field::header_size, 100, ErrorKind::corrupt);
    field("undo", Field::image_type, 3, ErrorKind::unsupported);
    field("differencing", Field::image_type, 4, ErrorKind::unsupported);
    field("unknown type", Field::image_type, 5, ErrorKind::unsupported);
    field("parent", Field::uuid_link, 5, ErrorKind::unsupported);
    field("parent's state", Field::uuid_parent_modification, 5, ErrorKind::unsupported);
    field("sectors", Field::legacy_sector_size, 4096, ErrorKind::unsupported);
    field("no blocks", Field::block_size, 0, ErrorKind::unsupported);
    field("odd blocks", Field::block_size, 4095, ErrorKind::unsupported);
    field("giant blocks", Field::block_size, 1u << 31, ErrorKind::unsupported);
    field("giant extra", Field::block_extra, 0xfffffe00, ErrorKind::unsupported);
    field("giant map", Field::blocks_in_image, 0x3fffffff, ErrorKind::corrupt);
    field("more than any map", Field::blocks_in_image, 0xffffffff, ErrorKind::unsupported);
    field("map too small", Field::disk_size, 4 * 4096 + 1, ErrorKind::corrupt);
    field("giant disk", Field::disk_size + 4, 0xffffffff, ErrorKind::corrupt);
    field("map in the header", Field::offset_map, 0, ErrorKind::corrupt);
    field("map off its sector", Field::offset_map, 513, ErrorKind::corrupt);
    field("data off its sector", Field::offset_data, 1025, ErrorKind::corrupt);
    field("data over the map", Field::offset_data, 512, ErrorKind::corrupt);
  }
  void namesWhatIsWrongAndWhere() {
    QFETCH(std::function<void(VdiImage&)>, bend);
    QFETCH(ErrorKind, kind);
    QFETCH(quint64, offset);
    VdiImage image;
    bend(image);
    const auto opened = open(image.bytes);
    QVERIFY(!opened);
    QCOMPARE(opened.error().kind, kind);
    // What the map's room cannot hold is told of the field that says how much that is.
    const quint64 told = opened.error().offset.value_or(0);
    QVERIFY2(told == offset || (told == Field::disk_size && offset == Field::disk_size + 4),
             qPrintable(QString::number(told)));
    QVERIFY(!opened.error().cause.empty());
  }

  void aMapBehindTheEndIsNotRead() {
    VdiImage image;
    image.set(Field::offset_map, 0xfffffe00);
    image.set(Field::offset_data, 0xffffff00);
    QCOMPARE(open(image.bytes).error().kind, ErrorKind::corrupt);
  }
};

QTEST_GUILESS_MAIN(VdiHeaderTest)
#include "header_test.moc"
