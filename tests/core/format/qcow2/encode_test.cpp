// SPDX-License-Identifier: GPL-3.0-or-later
// LABELS: slow
// TIMEOUT: 300
#include "core/format/qcow2/encode.h"

#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QtTest>

#include "tests/support/made_image.h"
#include "tests/support/qemu_img.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;

namespace {

// Real programs and texts, as far as `size`: what this system is made of.
std::vector<std::byte> real_data(size_t size) {
  std::vector<std::byte> data;
  for (const char* folder : {"/usr/bin", "/usr/include", "/usr/share/perl", "/usr/share/doc"}) {
    QDirIterator files(folder, QDir::Files | QDir::NoSymLinks, QDirIterator::Subdirectories);
    for (const size_t end = data.size() + size / 4; data.size() < end && files.hasNext();) {
      QFile file(files.next());
      if (!file.open(QIODevice::ReadOnly)) continue;
      const QByteArray content = file.read(static_cast<qint64>(std::min<size_t>(end - data.size(), 1 << 20)));
      const auto bytes = std::as_bytes(std::span(content.data(), static_cast<size_t>(content.size())));
      data.insert(data.end(), bytes.begin(), bytes.end());
    }
  }
  data.resize(size);
  return data;
}

}  // namespace

class EncodeTest : public QObject {
  Q_OBJECT

 private slots:
  void isNoLargerThanQemuImgs_data() {
    QTest::addColumn<QString>("options");
    for (const char* type : {"zlib", "zstd"}) {
      for (const char* cluster : {"4K", "16K", "64K", "2M"}) {
        const QString options = QString("compression_type=%1,cluster_size=%2").arg(type, cluster);
        QTest::addRow("%s", qPrintable(options)) << options;
      }
    }
  }
  void isNoLargerThanQemuImgs() {
    QFETCH(QString, options);
    static const auto guest = real_data(32 << 20);
    test::MadeImage image("qcow2");
    FINE(image.make(guest, {.options = test::options_of(options), .compress = true}));
    FINE(image.check());
    FINE(image.compare(guest));  // leaves guest.raw
    const std::string theirs = image.file("theirs");
    const auto converted = test::run_program({"qemu-img", "convert", "-c", "-O", "qcow2", "-o", options.toStdString(),
                                              "-f", "raw", image.file("guest.raw"), theirs});
    QVERIFY2(converted.status == 0, (converted.output + converted.errors).c_str());
    const auto size_of = [](const std::string& path) { return QFileInfo(QString::fromStdString(path)).size(); };
    qInfo("%.4f of its size", double(size_of(image.path())) / double(size_of(theirs)));
    QVERIFY(size_of(image.path()) <= size_of(theirs));
  }

  void isReadBy7Zip() {
    if (test::run_program({"7z"}).status == -1) QSKIP("no 7z on PATH");
    const auto guest = real_data(4 << 20);
    test::MadeImage image("qcow2");
    FINE(image.make(guest, {.compress = true}));
    const auto unpacked = test::run_program({"7z", "x", "-y", "-tqcow", "-o" + image.file("out"), image.path()});
    QVERIFY2(unpacked.status == 0, (unpacked.output + unpacked.errors).c_str());
    const QDir out(QString::fromStdString(image.file("out")));
    const QStringList names = out.entryList(QDir::Files);
    QCOMPARE(names.size(), 1);
    QVERIFY(test::read_file(out.filePath(names[0]).toStdString()) == test::as_text(guest));
  }

  void everyLevelGivesWhatQemuImgReads() {
    const auto guest = real_data(1 << 20);
    for (const auto type : {qcow2::CompressionType::zlib, qcow2::CompressionType::zstd}) {
      for (int level = 1; level <= qcow2::max_level(type); ++level) {
        test::MadeImage image("qcow2");
        const char* name = type == qcow2::CompressionType::zlib ? "zlib" : "zstd";
        FINE(image.make(guest, {.options = {{"compression_type", name}}, .compress = true, .level = level}));
        FINE(image.compare(guest));
      }
    }
  }
};

QTEST_GUILESS_MAIN(EncodeTest)
#include "encode_test.moc"
