// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/checksum.h"

#include <xxhash.h>

#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QTest>
#include <thread>

#include "core/stream/source.h"
#include "tests/support/counting_device.h"
#include "tests/support/faulty_device.h"
#include "tests/support/memory_device.h"
#include "tests/support/memory_image.h"
#include "tests/support/write_guest.h"

using namespace disklathe;
using test::MemoryDevice;

namespace {

using Data = std::vector<std::byte>;
constexpr size_t mebi = 1 << 20;

// What programs of others say of the bytes, in one go.
Checksums expected(const Data& bytes) {
  const QByteArrayView view(reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size()));
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  const QByteArray xxh128(reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest);
  return {.size = bytes.size(),
          .sha256 = QCryptographicHash::hash(view, QCryptographicHash::Sha256).toHex().toStdString(),
          .xxh128 = xxh128.toHex().toStdString()};
}

Result<Checksums> of_image(BlockDevice& device, const char* format, const Stop& stop = Stop()) {
  auto image = test::open_image(device, format);
  if (!image) return failure(image);
  Progress progress;
  return checksum({.source = image->get()}, progress, stop);
}

Result<Checksums> of_stream(const Data& content, Progress& progress) {
  MemoryDevice file(content);
  auto source = stream::Source::open(stream::make_file_input(file), {.format = "raw"});
  if (!source) return failure(source);
  return checksum({.stream = source->get()}, progress, Stop());
}

// An image of so many zeroes, of which nothing is stored.
std::unique_ptr<MemoryDevice> empty_qcow2(uint64_t size) {
  auto device = std::make_unique<MemoryDevice>();
  auto writer = find_format("qcow2")->create({.file = device.get(), .size = size});
  if (!writer || !(*writer)->finish(false)) return nullptr;
  return device;
}

}  // namespace

class ChecksumTest : public QObject {
  Q_OBJECT

 private slots:
  void publishedDigestsComeOut() {
    MemoryDevice nothing;
    const auto empty = of_image(nothing, "raw");
    QVERIFY(empty);
    QCOMPARE(empty->sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    QCOMPARE(empty->xxh128, "99aa06d3014798d86001c324468d497f");
    QCOMPARE(empty->size, 0U);
    MemoryDevice abc(Data{std::byte{'a'}, std::byte{'b'}, std::byte{'c'}});
    QCOMPARE(of_image(abc, "raw")->sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }

  void sizesOfAllKindsGiveWhatOthersSay() {
    for (const size_t size : {1uz, 511uz, 512uz, 513uz, 65536uz, mebi - 1, mebi + 1, 3 * mebi + 777, 9 * mebi}) {
      const Data guest = test::mixed_guest(size, static_cast<uint32_t>(size));
      for (const IoMode mode : {IoMode::immediate, IoMode::queued}) {
        MemoryDevice device(guest, mode);
        const auto sums = of_image(device, "raw");
        QVERIFY(sums);
        QCOMPARE(*sums, expected(guest));
      }
      Progress progress;
      const auto streamed = of_stream(guest, progress);
      QVERIFY(streamed);
      QCOMPARE(*streamed, expected(guest));
    }
  }

  void theSameContentInAnyFormatIsTheSame_data() {
    QTest::addColumn<FormatOptions>("options");
    QTest::newRow("qcow2") << FormatOptions();
    QTest::newRow("qcow2 512") << FormatOptions{{"cluster_size", "512"}};
    QTest::newRow("vmdk") << FormatOptions();
    QTest::newRow("vmdk streamOptimized") << FormatOptions{{"subformat", "streamOptimized"}};
    QTest::newRow("vdi") << FormatOptions();
    QTest::newRow("vdi static") << FormatOptions{{"static", "on"}};
    QTest::newRow("vpc") << FormatOptions{{"force_size", "on"}};
    QTest::newRow("vpc fixed") << FormatOptions{{"force_size", "on"}, {"subformat", "fixed"}};
    QTest::newRow("vhdx") << FormatOptions();
    QTest::newRow("vhdx fixed") << FormatOptions{{"subformat", "fixed"}};
  }
  void theSameContentInAnyFormatIsTheSame() {
    QFETCH(FormatOptions, options);
    const std::string format = QByteArray(QTest::currentDataTag()).split(' ').front().toStdString();
    const Data guest = test::mixed_guest(7 * mebi, 3);
    MemoryDevice device;
    QVERIFY(test::make_image(format, device, guest, options, true));
    const auto sums = of_image(device, format.c_str());
    QVERIFY(sums);
    QCOMPARE(*sums, expected(guest));
  }

  void holesAreZeroesAndNotRead() {
    Data bytes(64 * mebi);
    for (size_t at = 20 * mebi; at < 21 * mebi; ++at) bytes[at] = std::byte{7};
    MemoryDevice device(bytes.size());
    QVERIFY(device.write_now(20 * mebi, Bytes(bytes).subspan(20 * mebi, mebi)));
    test::CountingDevice counted(device);
    auto image = test::open_image(counted, "raw", true);
    QVERIFY(image);
    Progress progress;
    const auto sums = checksum({.source = image->get()}, progress, Stop());
    QVERIFY(sums);
    QCOMPARE(*sums, expected(bytes));
    QVERIFY2(counted.bytes_read() <= mebi + 8192, std::to_string(counted.bytes_read()).c_str());
    QCOMPARE(progress.verified.load(), bytes.size());
  }

  void oneDigestIsTakenAlone() {
    const Data guest = test::mixed_guest(3 * mebi, 5);
    MemoryDevice device(guest);
    auto image = test::open_image(device, "raw");
    for (const bool sha256 : {false, true}) {
      Progress progress;
      const auto sums = checksum({.source = image->get(), .sha256 = sha256, .xxh128 = !sha256}, progress, Stop());
      QVERIFY(sums);
      QCOMPARE(sums->sha256, sha256 ? expected(guest).sha256 : "");
      QCOMPARE(sums->xxh128, sha256 ? "" : expected(guest).xxh128);
      QCOMPARE(progress.verified.load(), guest.size());
    }
  }

  void aReadErrorEndsIt() {
    const Data guest = test::mixed_guest(40 * mebi, 6);
    for (const IoMode mode : {IoMode::immediate, IoMode::queued}) {
      for (const uint64_t bad : {uint64_t{0}, guest.size() / 2 + 12345}) {
        MemoryDevice device(guest, mode);
        test::FaultyDevice faulty(device);
        faulty.fail_at(bad, EIO);
        const auto sums = of_image(faulty, "raw");
        QVERIFY(!sums);
        QCOMPARE(sums.error().kind, ErrorKind::io);
      }
    }
  }

  void aStopIsHeardInTheMiddleOfALongRunOfZeroes() {
    const auto device = empty_qcow2(uint64_t{8} << 40);
    QVERIFY(device);
    Stop stop;
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      stop.request();
    });
    QElapsedTimer timer;
    timer.start();
    const auto sums = of_image(*device, "qcow2", stop);
    QVERIFY(!sums);
    QCOMPARE(sums.error().kind, ErrorKind::stopped);
    QVERIFY2(timer.elapsed() < 1000, std::to_string(timer.elapsed()).c_str());
  }

  void aStreamTellsItsSizeInTheEnd() {
    Progress progress;
    const Data guest = test::mixed_guest(5 * mebi + 3, 8);
    QVERIFY(of_stream(guest, progress));
    QVERIFY(progress.total_known);
    QCOMPARE(progress.total.load(), guest.size());
    QCOMPARE(progress.verified.load(), guest.size());
    const auto empty = of_stream({}, progress);
    QVERIFY(empty);
    QCOMPARE(*empty, expected({}));
  }
};

QTEST_GUILESS_MAIN(ChecksumTest)
#include "checksum_test.moc"
