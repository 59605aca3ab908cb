// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <functional>

#include "tests/core/format/parallels/parallels_image.h"
#include "tests/support/open_image.h"

using namespace disklathe;
using parallels::Field;
using test::OpenedBytes;
using test::ParallelsImage;

namespace {

std::vector<std::string> warnings(const ParallelsImage& image) {
  const OpenedBytes opened("parallels", image.bytes);
  return opened.reader ? (*opened.reader)->facts().warnings : std::vector<std::string>{"not opened"};
}

}  // namespace

class ParallelsHeaderTest : public QObject {
  Q_OBJECT
 private slots:
  void isRecognisedByItsContent() {
    for (const auto magic : {parallels::magic_sectors, parallels::magic_clusters}) {
      test::MemoryDevice file(ParallelsImage(magic).bytes);
      QCOMPARE(probe_format(file)->format->name, "parallels");
    }
  }

  void anotherVersionIsNotTakenForRaw() {
    ParallelsImage image;
    image.set(Field::version, uint32_t{3});
    test::MemoryDevice file(image.bytes);
    QCOMPARE(probe_format(file)->format->name, "parallels");
  }

  // The upper half of the number of sectors belongs to the larger kind alone.
  void theOldKindHasNoDisksOf2TiB() {
    for (const auto& [magic, size] :
         {std::pair{parallels::magic_sectors, 12u * 512}, std::pair{parallels::magic_clusters, 0u}}) {
      ParallelsImage image(magic);
      image.set(Field::sectors + 4, uint32_t{1});
      const OpenedBytes opened("parallels", image.bytes);
      QCOMPARE(opened.reader ? (*opened.reader)->size() : 0, uint64_t{size});
    }
  }

  void saysWhenItWasNotClosed() {
    ParallelsImage image;
    QVERIFY(warnings(image).empty());
    image.set(Field::in_use, parallels::in_use_closed);
    QVERIFY(warnings(image).empty());
    image.set(Field::in_use, parallels::in_use_open);
    QCOMPARE(warnings(image), std::vector<std::string>{"it was not closed properly, or is in use"});
    QCOMPARE((*OpenedBytes("parallels", image.bytes).reader)->facts().dirty, true);
    image.set(Field::in_use, uint32_t{5});
    QCOMPARE(warnings(image).size(), 1u);
  }

  void saysWhenItIsSaidToBeEmpty() {
    ParallelsImage image;
    image.set(Field::flags, parallels::flag_empty);
    QCOMPARE(warnings(image).size(), 1u);
  }

  // Dirty bitmaps and the like: they say nothing of what the disk holds.
  void extensionsAreNotLookedAt() {
    ParallelsImage image;
    image.set(Field::extension_offset, ~uint64_t{0});
    QVERIFY(warnings(image).empty());
  }

  void namesWhatIsWrongAndWhere_data() {
    QTest::addColumn<quint64>("at");
    QTest::addColumn<quint64>("value");
    QTest::addColumn<ErrorKind>("kind");
    const auto row = [](const char* name, uint64_t at, uint32_t value, ErrorKind kind) {
      QTest::newRow(name) << quint64{at} << quint64{value} << kind;
    };
    row("magic", Field::magic, 1, ErrorKind::corrupt);
    row("version", Field::version, 1, ErrorKind::unsupported);
    row("no clusters", Field::cluster_sectors, 0, ErrorKind::corrupt);
    row("giant clusters", Field::cluster_sectors, 0xffffffff, ErrorKind::unsupported);
    row("giant table", Field::bat_entries, 0xffffffff, ErrorKind::unsupported);
    row("table across the end", Field::bat_entries, 1 << 20, ErrorKind::corrupt);
    row("table too small", Field::bat_entries, 3, ErrorKind::corrupt);
    row("giant disk", Field::sectors + 4, 0xffffffff, ErrorKind::corrupt);
  }
  void namesWhatIsWrongAndWhere() {
    QFETCH(quint64, at);
    QFETCH(quint64, value);
    QFETCH(ErrorKind, kind);
    ParallelsImage image;
    image.set(at, static_cast<uint32_t>(value));
    const OpenedBytes opened("parallels", image.bytes);
    QVERIFY(!opened.reader);
    QCOMPARE(opened.reader.error().kind, kind);
    // What the table's room cannot hold is told of the field that says how much that is.
    QCOMPARE(opened.reader.error().offset, at > Field::sectors ? uint64_t{Field::bat_entries} : uint64_t{at});
    QVERIFY(!opened.reader.error().cause.empty());
  }
};

QTEST_GUILESS_MAIN(ParallelsHeaderTest)
#include "header_test.moc"
