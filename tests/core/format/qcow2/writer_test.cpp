// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/writer.h"

#include <QtTest>

#include "tests/support/memory_device.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/write_guest.h"

using namespace disklathe;

namespace {

std::string_view text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// An image that lies in a file for qemu-img to look at.
struct Made {
  test::TempDir dir{test::TempDir::Where::memory};
  std::string path = dir.file("image.qcow2");

  void make(const std::vector<std::byte>& guest, CreateRequest request) {
    test::MemoryDevice file;
    request.file = &file;
    request.size = guest.size();
    request.target_is_zero = true;
    auto writer = qcow2::create(request);
    QVERIFY2(writer, writer ? "" : writer.error().cause.c_str());
    const auto written = test::write_guest(**writer, file, nullptr, guest);
    QVERIFY2(written, written ? "" : written.error().cause.c_str());
    const auto finished = (*writer)->finish(true);
    QVERIFY2(finished, finished ? "" : finished.error().cause.c_str());
    test::write_file(path, text(file.content()));
  }

  // What qemu-img check says: errors and leaks both count.
  void check() {
    const auto result = test::run_program({"qemu-img", "check", "-f", "qcow2", path});
    QVERIFY2(result.status == 0 && result.output.contains("No errors were found"), result.output.c_str());
  }

  std::string content() {
    const auto result = test::run_program({"qemu-img", "convert", "-O", "raw", "-f", "qcow2", path, dir.file("raw")});
    return result.status == 0 ? test::read_file(dir.file("raw")) : result.output;
  }
};

}  // namespace

class WriterTest : public QObject {
  Q_OBJECT

 private slots:
  void writesWhatQemuImgReads() {
    const auto guest = test::mixed_guest(20 << 20);
    Made image;
    image.make(guest, {});
    image.check();
    QVERIFY(image.content() == text(guest));
  }

  void writesCompressedClustersThatQemuImgReads() {
    for (const char* type : {"zlib", "zstd"}) {
      const auto guest = test::mixed_guest(20 << 20);
      Made image;
      image.make(guest, {.options = {{"compression_type", type}}, .compress = true});
      image.check();
      QVERIFY(image.content() == text(guest));
    }
  }
};

QTEST_GUILESS_MAIN(WriterTest)
#include "writer_test.moc"
