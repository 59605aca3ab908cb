// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/options.h"

#include <QtTest>

#include "core/format/qcow2/refcount_block.h"
#include "tests/support/memory_device.h"
#include "tests/support/qemu_img.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;

class OptionsTest : public QObject {
  Q_OBJECT

 private slots:
  void takesAndRefusesWhatQemuImgDoes_data() {
    QTest::addColumn<QString>("options");
    for (const char* options : {
             "cluster_size=64k",
             "cluster_size=65536B",
             "cluster_size=0.25M",
             "cluster_size=256",
             "cluster_size=4M",
             "cluster_size=65537",
             "cluster_size=0",
             "cluster_size=-1",
             "cluster_size=big",
             "cluster_size=64KiB",
             "cluster_size=99999999999999999999",
             "cluster_size=",
             "compat=0.10",
             "compat=v2",
             "compat=v3",
             "compat=2",
             "compat=0.10,refcount_bits=8",
             "compat=0.10,lazy_refcounts=on",
             "compat=0.10,extended_l2=on",
             "compat=0.10,compression_type=zstd",
             "compat=0.10,compression_type=zlib",
             "refcount_bits=0",
             "refcount_bits=3",
             "refcount_bits=128",
             "refcount_bits=x",
             "lazy_refcounts=yes",
             "lazy_refcounts=maybe",
             "extended_l2=on,cluster_size=8K",
             "extended_l2=on,cluster_size=16K",
             "preallocation=metadata",
             "preallocation=some",
             "compression_type=lzma",
             "data_file_raw=on",
             "backing_fmt=raw",
             "no_such_option=1",
         })
      QTest::addRow("%s", options) << options;
  }
  void takesAndRefusesWhatQemuImgDoes() {
    QFETCH(QString, options);
    const test::TempDir dir(test::TempDir::Where::memory);
    const auto theirs =
        test::run_program({"qemu-img", "create", "-f", "qcow2", "-o", options.toStdString(), dir.file("image"), "1M"});
    test::MemoryDevice file;
    const auto ours = find_format("qcow2")->create(
        {.file = &file, .size = 1 << 20, .options = test::options_of(options), .target_is_zero = true});
    QVERIFY2(ours.has_value() == (theirs.status == 0), (theirs.output + theirs.errors).c_str());
    if (!ours) QCOMPARE(ours.error().kind, ErrorKind::invalid);
    if (!ours) QCOMPARE(file.size(), 0u);  // nothing was touched
  }

  void namesTheClusterSizeThatWouldDo() {
    test::MemoryDevice file;
    const auto writer = find_format("qcow2")->create(
        {.file = &file, .size = 1ull << 40, .options = {{"cluster_size", "512"}}, .target_is_zero = true});
    QVERIFY(!writer);
    QCOMPARE(writer.error().kind, ErrorKind::invalid);
    QVERIFY2(writer.error().cause.contains("cluster_size=2048"), writer.error().cause.c_str());
  }

  void refusesDisksThatNoTableCanHold() {
    test::MemoryDevice file;
    for (const uint64_t size : {uint64_t{UINT64_MAX}, uint64_t{1} << 62})
      QVERIFY(!find_format("qcow2")->create({.file = &file, .size = size, .target_is_zero = true}));
  }

  void refusesToCompressWhereItCannot() {
    test::MemoryDevice file, data_file;
    CreateRequest request{.file = &file, .size = 1 << 20, .compress = true, .target_is_zero = true};
    request.options = {{"preallocation", "metadata"}};
    QVERIFY(!find_format("qcow2")->create(request));
    request.options = {{"data_file", "data"}};
    request.data_file = &data_file;
    QVERIFY(!find_format("qcow2")->create(request));
    request = {.file = &file, .size = 1 << 20, .compress = true, .level = 99, .target_is_zero = true};
    QVERIFY(!find_format("qcow2")->create(request));
  }

  void refusesABackingNameThatDoesNotFit() {
    test::MemoryDevice file;
    CreateRequest request{.file = &file, .size = 1 << 20, .target_is_zero = true};
    request.backing_file = std::string(1024, 'b');
    QVERIFY(!find_format("qcow2")->create(request));
    request.backing_file = std::string(500, 'b');
    request.options = {{"cluster_size", "512"}};
    QVERIFY(!find_format("qcow2")->create(request));
    QCOMPARE(file.size(), 0u);
  }

  void holdsARefcountOfEveryWidth() {
    for (uint32_t order = 0; order <= 6; ++order) {
      std::vector<std::byte> block(64);
      const uint64_t count = 64 * 8 >> order;
      const uint64_t most = qcow2::max_refcount(order);
      for (uint64_t i = 0; i < count; ++i) qcow2::store_refcount(block, i, order, (i * 7 + 1) & most);
      for (uint64_t i = 0; i < count; ++i) QCOMPARE(qcow2::load_refcount(block, i, order), (i * 7 + 1) & most);
      qcow2::store_refcount(block, 1, order, most);
      QCOMPARE(qcow2::load_refcount(block, 0, order), 1 & most);
      QCOMPARE(qcow2::load_refcount(block, 1, order), most);
      QCOMPARE(qcow2::load_refcount(block, 2, order), 15 & most);
    }
  }
};

QTEST_GUILESS_MAIN(OptionsTest)
#include "options_test.moc"
