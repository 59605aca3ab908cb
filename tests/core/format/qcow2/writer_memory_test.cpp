// SPDX-License-Identifier: GPL-3.0-or-later
// LABELS: slow
// TIMEOUT: 300
#include <QFile>
#include <QtTest>
#include <numeric>
#include <random>

#include "tests/support/made_image.h"
#include "tests/support/memory_device.h"
#include "tests/support/qemu_img.h"
#include "tests/support/wrapped_device.h"

using namespace disklathe;

namespace {

constexpr uint64_t mib = 1 << 20, tib = 1ull << 40;

// As large as it has to be; forgets what is written and reads as zeroes.
class BottomlessDevice final : public test::WrappedDevice {
 public:
  BottomlessDevice() : WrappedDevice(nothing_) {}
  uint64_t size() const override { return size_; }
  Result<void> read_now(uint64_t, MutableBytes into) override {
    std::ranges::fill(into, std::byte{0});
    return {};
  }
  Result<void> write_now(uint64_t, Bytes from) override {
    written_ += from.size();
    return {};
  }
  Result<void> resize(uint64_t size) override {
    size_ = size;
    return {};
  }
  uint64_t written() const { return written_; }

 private:
  test::MemoryDevice nothing_;
  uint64_t size_ = 0, written_ = 0;
};

// Of this process, in bytes: "VmRSS" or, since the last reset_peak(), "VmHWM".
uint64_t memory(const QByteArray& field) {
  QFile status("/proc/self/status");
  if (!status.open(QIODevice::ReadOnly)) return 0;
  const QByteArray text = status.readAll();
  const auto line = text.mid(text.indexOf(field + ':')).split('\n').first();
  return line.mid(field.size() + 1).trimmed().split(' ').first().toULongLong() * 1024;
}

void reset_peak() {
  QFile clear("/proc/self/clear_refs");
  if (clear.open(QIODevice::WriteOnly)) clear.write("5");
}

}  // namespace

class WriterMemoryTest : public QObject {
  Q_OBJECT

 private slots:
  void staysFlatHoweverLargeTheDisk_data() {
    QTest::addColumn<QString>("options");
    QTest::addColumn<quint64>("size");
    QTest::addColumn<quint64>("run");     // bytes placed at the start of
    QTest::addColumn<quint64>("stride");  // every so many bytes; 0: nothing is placed
    QTest::addRow("16 TiB full") << "" << quint64{16 * tib} << quint64{64 * mib} << quint64{64 * mib};
    QTest::addRow("16 TiB in fragments") << "" << quint64{16 * tib} << quint64{65536} << quint64{100 * mib};
    QTest::addRow("16 TiB preallocated") << "preallocation=metadata" << quint64{16 * tib} << quint64{0} << quint64{0};
    QTest::addRow("16 TiB full, large clusters")
        << "cluster_size=2M" << quint64{16 * tib} << quint64{64 * mib} << quint64{64 * mib};
    QTest::addRow("16 TiB full, extended L2")
        << "extended_l2=on" << quint64{16 * tib} << quint64{64 * mib} << quint64{64 * mib};
    QTest::addRow("the largest L1 table") << "cluster_size=512" << quint64{tib / 8} << quint64{512} << quint64{mib};
    QTest::addRow("a wide refcount") << "cluster_size=512,refcount_bits=64" << quint64{tib / 64} << quint64{mib}
                                     << quint64{mib};
  }
  void staysFlatHoweverLargeTheDisk() {
    QFETCH(QString, options);
    QFETCH(quint64, size);
    QFETCH(quint64, run);
    QFETCH(quint64, stride);
    BottomlessDevice file;
    reset_peak();
    const uint64_t before = memory("VmRSS");
    auto writer = find_format("qcow2")->create(
        {.file = &file, .size = size, .options = test::options_of(options), .target_is_zero = true});
    QVERIFY2(writer, writer ? "" : test::describe(writer.error()).c_str());
    for (uint64_t at = 0; stride > 0 && at < size; at += stride) {
      Placement placement{.guest = {at, run}, .stored = run};
      const auto placed = (*writer)->place({&placement, 1});
      QVERIFY2(placed, placed ? "" : test::describe(placed.error()).c_str());
    }
    QVERIFY((*writer)->finish(true));
    const uint64_t peak = memory("VmHWM");
    qInfo("%llu KiB more than before, %llu MiB written", (unsigned long long)(peak - before) / 1024,
          (unsigned long long)file.written() / mib);
    // L1 and refcount table at their largest are 40 MiB.
    QVERIFY(peak - before < 52 * mib);
    if (size == 16 * tib) QVERIFY(peak - before < 16 * mib);
  }

  void writesNextToNothingForAnEmptyDisk() {
    for (const uint64_t size : {tib / 10 / 512 * 512, 1 * tib, 16 * tib}) {
      BottomlessDevice file;
      auto writer = find_format("qcow2")->create({.file = &file, .size = size, .target_is_zero = true});
      QVERIFY(writer && (*writer)->finish(true));
      QVERIFY(file.written() < 200 << 10);
    }
  }

  void readsTablesBackThatItHadToForget() {
    // Each cluster has its own L2 table of 512 bytes; there are twice as many as are kept.
    constexpr uint64_t cluster = 512, tables = 40000, span = cluster * 64;
    std::vector<uint64_t> order(2 * tables);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, std::mt19937(5));
    test::MemoryDevice file;
    auto writer = find_format("qcow2")->create(
        {.file = &file, .size = tables * span, .options = {{"cluster_size", "512"}}, .target_is_zero = true});
    QVERIFY(writer);
    test::MadeImage image("qcow2");
    QFile raw(QString::fromStdString(image.file("guest.raw")));
    QVERIFY(raw.open(QIODevice::ReadWrite) && raw.resize(tables * span));
    for (const uint64_t i : order) {
      const uint64_t at = i / 2 * span + i % 2 * 7 * cluster;
      Placement placement{.guest = {at, cluster}, .stored = cluster};
      QVERIFY((*writer)->place({&placement, 1}));
      const QByteArray bytes(cluster, static_cast<char>('A' + i % 50));
      QVERIFY(file.write_now(placement.host, std::as_bytes(std::span(bytes.data(), cluster))));
      QVERIFY(raw.seek(static_cast<qint64>(at)) && raw.write(bytes) == qint64{cluster});
    }
    raw.close();
    QVERIFY((*writer)->finish(true));
    test::write_file(image.path(), test::as_text(file.content()));
    FINE(image.check());
    const auto compared =
        test::run_program({"qemu-img", "compare", "-f", "qcow2", "-F", "raw", image.path(), image.file("guest.raw")});
    QVERIFY2(compared.status == 0, (compared.output + compared.errors).c_str());
  }
};

QTEST_GUILESS_MAIN(WriterMemoryTest)
#include "writer_memory_test.moc"
