// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "core/format/registry.h"
#include "tests/support/fake_reader.h"
#include "tests/support/made_image.h"
#include "tests/support/qemu_img.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;

namespace {

QJsonObject qemu_img_measure(const std::string& format, const QString& options, const std::vector<std::string>& of) {
  std::vector<std::string> command{"qemu-img", "measure", "--output=json", "-O", format};
  if (!options.isEmpty()) command.insert(command.end(), {"-o", options.toStdString()});
  command.insert(command.end(), of.begin(), of.end());
  return QJsonDocument::fromJson(QByteArray::fromStdString(test::run_program(command).output)).object();
}

void compare(const std::string& format, const QString& options, uint64_t size, ImageReader* source,
             const QJsonObject& wanted) {
  QVERIFY(!wanted.isEmpty());
  const auto measured =
      find_format(format)->measure({.size = size, .options = test::options_of(options), .source = source});
  QVERIFY2(measured, measured ? "" : measured.error().cause.c_str());
  QCOMPARE(measured->required, static_cast<uint64_t>(wanted["required"].toInteger()));
  QCOMPARE(measured->fully_allocated, static_cast<uint64_t>(wanted["fully-allocated"].toInteger()));
}

}  // namespace

class MeasureTest : public QObject {
  Q_OBJECT

  void eachOption() {
    QTest::addColumn<QString>("format");
    QTest::addColumn<QString>("options");
    QTest::addRow("raw") << "raw" << "";
    for (const char* options : {"", "compat=0.10", "cluster_size=512", "cluster_size=2M", "refcount_bits=1",
                                "refcount_bits=64", "extended_l2=on", "preallocation=metadata", "preallocation=falloc",
                                "preallocation=full", "cluster_size=4096,extended_l2=off,refcount_bits=64"})
      QTest::addRow("qcow2 %s", options) << "qcow2" << options;
  }

 private slots:
  void countsAsQemuImgForASize_data() { eachOption(); }
  void countsAsQemuImgForASize() {
    QFETCH(QString, format);
    QFETCH(QString, options);
    for (const uint64_t size : {0ull, 1ull, 65536ull, 3000320ull, 100ull << 30, (100ull << 30) + 513}) {
      const auto wanted = qemu_img_measure(format.toStdString(), options, {"--size", std::to_string(size)});
      compare(format.toStdString(), options, size, nullptr, wanted);
      if (QTest::currentTestFailed()) return;
    }
  }

  void countsAsQemuImgForAnImage_data() { eachOption(); }
  void countsAsQemuImgForAnImage() {
    QFETCH(QString, format);
    QFETCH(QString, options);
    const test::TempDir dir(test::TempDir::Where::memory);
    const std::string path = dir.file("image.raw");
    const uint64_t size = 20 << 20;
    // Runs that share a cluster, that end inside one, that touch the end.
    const std::vector<Range> runs{
        {0, 4096}, {8192, 4096}, {1 << 20, 3 << 20}, {(5 << 20) + 4096, 65536}, {size - 4096, 4096}};
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::ReadWrite) && file.resize(static_cast<qint64>(size)));
    std::vector<Extent> extents;
    for (const Range& run : runs) {
      const uint64_t behind = extents.empty() ? 0 : extents.back().guest.end();
      if (behind < run.at) extents.push_back(test::zero(behind, run.at - behind));
      extents.push_back(test::data(run.at, run.length, run.at));
      QVERIFY(file.seek(static_cast<qint64>(run.at)));
      QVERIFY(file.write(QByteArray(static_cast<qsizetype>(run.length), 'x')) > 0);
    }
    file.close();
    test::FakeReader source(extents);
    compare(format.toStdString(), options, size, &source,
            qemu_img_measure(format.toStdString(), options, {"-f", "raw", path}));
  }

  void countsEverythingWhereABackingImageMayShareNothing() {
    test::FakeReader source({test::data(0, 4096, 0), test::zero(4096, (1 << 20) - 4096)});
    const auto measured =
        find_format("qcow2")->measure({.size = 1 << 20, .options = {{"backing_file", "base"}}, .source = &source});
    QVERIFY(measured);
    QCOMPARE(measured->required, measured->fully_allocated);
  }
};

QTEST_GUILESS_MAIN(MeasureTest)
#include "measure_test.moc"
