// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/writer.h"

#include <QtTest>

#include "tests/support/made_image.h"
#include "tests/support/qemu_img.h"
#include "tests/support/write_guest.h"

using namespace disklathe;
using test::MadeImage;

class WriterTest : public QObject {
  Q_OBJECT

 private slots:
  void writesWhatQemuImgReads_data() {
    QTest::addColumn<QString>("options");
    QTest::addColumn<bool>("compress");
    for (const char* options : {"",
                                "compat=0.10",
                                "compat=v2",
                                "compat=1.1",
                                "cluster_size=512",
                                "cluster_size=4K",
                                "cluster_size=0.5M",
                                "cluster_size=2M",
                                "refcount_bits=1",
                                "refcount_bits=2",
                                "refcount_bits=4",
                                "refcount_bits=8",
                                "refcount_bits=32",
                                "refcount_bits=64",
                                "cluster_size=512,refcount_bits=64",
                                "cluster_size=512,refcount_bits=1",
                                "cluster_size=2M,refcount_bits=1",
                                "lazy_refcounts=on",
                                "extended_l2=on",
                                "extended_l2=on,cluster_size=16K",
                                "extended_l2=on,cluster_size=2M",
                                "compression_type=zlib",
                                "compression_type=zstd",
                                "data_file=data"}) {
      QTest::addRow("%s", options) << options << false;
      if (QString(options).contains("data_file")) continue;
      QTest::addRow("-c %s", options) << options << true;
    }
    for (const char* options :
         {"preallocation=off", "preallocation=metadata", "preallocation=full", "preallocation=metadata,compat=0.10",
          "preallocation=metadata,extended_l2=on", "preallocation=full,extended_l2=on",
          "preallocation=metadata,cluster_size=512", "preallocation=metadata,cluster_size=2M,refcount_bits=1",
          "preallocation=metadata,data_file=data", "data_file_raw=on,data_file=data"})
      QTest::addRow("%s", options) << options << false;
  }
  void writesWhatQemuImgReads() {
    QFETCH(QString, options);
    QFETCH(bool, compress);
    const auto guest = test::mixed_guest((5 << 19) + 1536);
    MadeImage image("qcow2");
    FINE(image.make(guest, {.options = test::options_of(options), .compress = compress}));
    FINE(image.check());
    FINE(image.compare(guest));
  }

  void keepsABackingImageOutOfWhatIsZero_data() {
    QTest::addColumn<QString>("options");
    for (const char* options : {"", "compat=0.10", "extended_l2=on", "extended_l2=on,preallocation=metadata",
                                "cluster_size=512", "cluster_size=2M", "data_file=data"})
      QTest::addRow("%s", options) << options;
  }
  void keepsABackingImageOutOfWhatIsZero() {
    QFETCH(QString, options);
    const auto guest = test::mixed_guest(5 << 19);
    MadeImage image("qcow2");
    test::write_file(image.file("base"), std::string(guest.size(), 'b'));
    FINE(image.make(guest, {.options = test::options_of(options), .backing_file = "base", .backing_format = "raw"}));
    FINE(image.check());
    FINE(image.compare(guest));
    const QJsonObject said = test::qemu_img_info(image.path());
    QCOMPARE(said["backing-filename"].toString(), "base");
    QCOMPARE(said["backing-filename-format"].toString(), "raw");
  }

  void showsTheBackingImageWhereNothingWasPlaced() {
    for (const char* options : {"", "extended_l2=on,preallocation=metadata"}) {
      MadeImage image("qcow2");
      const auto base = test::mixed_guest(3 << 19);
      test::write_file(image.file("base"), test::as_text(base));
      FINE(image.make_empty(base.size(),
                            {.options = test::options_of(options), .backing_file = "base", .backing_format = "raw"}));
      FINE(image.check());
      FINE(image.compare(base));
    }
  }
};

QTEST_GUILESS_MAIN(WriterTest)
#include "writer_test.moc"
