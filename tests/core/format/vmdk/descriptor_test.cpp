// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/descriptor.h"

#include <QTest>

using namespace disklathe;
using vmdk::DescribedExtent;
using vmdk::Descriptor;

namespace {

const std::string head = "# Disk DescriptorFile\nversion=1\nCID=fffffffe\nparentCID=ffffffff\ncreateType=\"custom\"\n";

Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

class VmdkDescriptorTest : public QObject {
  Q_OBJECT
 private slots:
  void readsWhatVmwareWrites() {
    const auto descriptor = Descriptor::parse(
        "# Disk DescriptorFile\r\nversion=1\r\nencoding=\"windows-1252\"\r\nCID=1e6C1353\r\nparentCID=ffffffff\r\n"
        "isNativeSnapshot=\"no\"\r\ncreateType=\"twoGbMaxExtentSparse\"\r\n\r\n# Extent description\r\n"
        "RW 4192256 SPARSE \"a disk-s001.vmdk\"\r\nRW 63 ZERO\r\nRDONLY 20 FLAT \"a-f002.vmdk\" 128\r\n"
        "RW 20 VMFS \"a-flat.vmdk\"\r\nRW 7 VMFSSPARSE \"a-delta.vmdk\"\r\n\r\n#DDB\r\nddb.adapterType = \"ide\"\r\n");
    QVERIFY(descriptor);
    QCOMPARE(descriptor->cid, 0x1e6c1353u);
    QVERIFY(!descriptor->has_parent());
    QCOMPARE(descriptor->create_type, "twoGbMaxExtentSparse");
    QCOMPARE(descriptor->extents.size(), 5u);
    QCOMPARE(descriptor->extents[0].kind, DescribedExtent::Kind::sparse);
    QCOMPARE(descriptor->extents[0].name, "a disk-s001.vmdk");
    QCOMPARE(descriptor->extents[0].sectors, 4192256u);
    QCOMPARE(descriptor->extents[1].kind, DescribedExtent::Kind::zero);
    QCOMPARE(descriptor->extents[2].offset, 128u);
    QCOMPARE(descriptor->extents[3].kind, DescribedExtent::Kind::flat);
    QCOMPARE(descriptor->extents[3].offset, 0u);
    QCOMPARE(descriptor->extents[4].kind, DescribedExtent::Kind::sparse);
  }

  void tellsTheParent() {
    const auto named = Descriptor::parse(head + "parentCID=12\nparentFileNameHint=\"base.vmdk\"\n");
    QVERIFY(named && named->has_parent());
    QCOMPARE(named->parent_hint, "base.vmdk");
    QCOMPARE(named->parent_cid, 0x12u);
    QVERIFY(Descriptor::parse(head + "parentCID=12\n")->has_parent());
  }

  void endsAtTheFirstZeroByte() {
    QVERIFY(Descriptor::parse(head + std::string(1, '\0') + "nonsense"));
    QVERIFY(!Descriptor::parse(head + "nonsense"));
  }

  void namesTheLineThatIsWrong_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<ErrorKind>("kind");
    for (const char* line : {"RW", "RW 5", "RW 5 FLAT", "RW 5 FLAT \"a\"", "RW 5 FLAT \"a\" -1", "RW 5 FLAT \"a 0",
                             "RW 5 FLAT a 0", "RW 0 FLAT \"a\" 0", "RW x FLAT \"a\" 0", "RW 99999999999999999999 ZERO",
                             "RW 18446744073709551615 ZERO", "RW 5 SPARSE", "RW 5 SPARSE \"\"", "CID=", "CID=123456789",
                             "CID=x", "version=", "nonsense", "RW 5 FLAT \"a\" 18446744073709551615"})
      QTest::newRow(line) << line << ErrorKind::corrupt;
    for (const char* line : {"version=5", "RW 5 SESPARSE \"a\"", "RW 5 VMFSRDM \"a\"", "RW 5 FUTURE \"a\"",
                             "NOACCESS 5 FLAT \"a\" 0", "encryption.keySafe = \"vmware:key/list\""})
      QTest::newRow(line) << line << ErrorKind::unsupported;
  }
  void namesTheLineThatIsWrong() {
    QFETCH(QString, line);
    QFETCH(ErrorKind, kind);
    const auto descriptor = Descriptor::parse(head + line.toStdString() + "\n");
    QVERIFY(!descriptor);
    QCOMPARE(descriptor.error().kind, kind);
    QCOMPARE(descriptor.error().offset, head.size());
  }

  void extentsTogetherAreBounded() {
    const std::string half = "RW 9007199254740991 ZERO\n";
    QVERIFY(Descriptor::parse(head + half));
    QVERIFY(!Descriptor::parse(head + half + half));
  }

  void needsAContentIdAndAType() {
    QVERIFY(!Descriptor::parse(""));
    QVERIFY(!Descriptor::parse("version=1\nCID=1\n"));
    QVERIFY(!Descriptor::parse("version=1\ncreateType=\"vmfs\"\n"));
  }

  void isRecognisedByItsVersionLine() {
    for (const char* text : {"version=1\n", "# x\n# y\n\n \nversion=3\r\n", "#\r\n\r\nversion=2\n"})
      QVERIFY2(vmdk::looks_like_descriptor(bytes_of(text)), text);
    for (const char* text :
         {"", "#", "# x", "version=1", "version=11\n", "x\nversion=1\n", "version=5\n", "\tversion=1\n"})
      QVERIFY2(!vmdk::looks_like_descriptor(bytes_of(text)), text);
  }

  void readsWhatItComposes() {
    const std::string text = vmdk::compose({.cid = 0x1234,
                                            .create_type = "monolithicSparse",
                                            .sectors = 4096,
                                            .file_name = "a \"quoted\nname\".vmdk",
                                            .adapter_type = "lsilogic",
                                            .hardware_version = "4",
                                            .tools_version = "0"});
    QVERIFY(text.size() < vmdk::embedded_descriptor_sectors * vmdk::sector_size);
    const auto descriptor = Descriptor::parse(text);
    QVERIFY(descriptor);
    QCOMPARE(descriptor->cid, 0x1234u);
    QVERIFY(!descriptor->has_parent());
    QCOMPARE(descriptor->extents.size(), 1u);
    QCOMPARE(descriptor->extents[0].name, "a _quoted_name_.vmdk");
    QVERIFY(text.contains("ddb.geometry.heads = \"255\""));
    QVERIFY(vmdk::looks_like_descriptor(bytes_of(text)));
  }
};

QTEST_GUILESS_MAIN(VmdkDescriptorTest)
#include "descriptor_test.moc"
