// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileInfo>
#include <QtTest>

#include "tests/support/made_image.h"
#include "tests/support/program.h"
#include "tests/support/qemu_img.h"

using namespace disklathe;
using test::MadeImage;

// An empty image is the one that qemu-img create makes.
class WriterInfoTest : public QObject {
  Q_OBJECT

 private slots:
  void saysOfItselfWhatQemuImgsOwnImageSays_data() {
    QTest::addColumn<QString>("options");
    QTest::addColumn<QString>("size");
    for (const char* options :
         {"", "compat=0.10", "cluster_size=512", "cluster_size=2M", "refcount_bits=1", "refcount_bits=64",
          "lazy_refcounts=on", "extended_l2=on", "compression_type=zstd", "preallocation=metadata",
          "preallocation=full,cluster_size=4K", "extended_l2=on,preallocation=metadata"})
      QTest::addRow("%s", options) << options << "3000320";
    for (const char* size : {"0", "512", "100G", "1T"}) QTest::addRow("%s", size) << "" << size;
    QTest::addRow("16T") << "cluster_size=2M" << "16T";
  }
  void saysOfItselfWhatQemuImgsOwnImageSays() {
    QFETCH(QString, options);
    QFETCH(QString, size);
    MadeImage image("qcow2");
    const std::string theirs = image.file("theirs");
    std::vector<std::string> create{"qemu-img", "create", "-q", "-f", "qcow2", theirs, size.toStdString()};
    if (!options.isEmpty()) create.insert(create.end(), {"-o", options.toStdString()});
    const auto created = test::run_program(create);
    QVERIFY2(created.status == 0, created.output.c_str());
    const QJsonObject wanted = test::qemu_img_info(theirs);
    FINE(image.make_empty(static_cast<uint64_t>(wanted["virtual-size"].toDouble()),
                          {.options = test::options_of(options)}));
    QCOMPARE(test::qemu_img_info(image.path()), wanted);
    FINE(image.check());
    // Ours ends with a whole sector.
    QVERIFY(QFileInfo(QString::fromStdString(image.path())).size() <=
            (QFileInfo(QString::fromStdString(theirs)).size() + 511) / 512 * 512);
  }
};

QTEST_GUILESS_MAIN(WriterInfoTest)
#include "writer_info_test.moc"
