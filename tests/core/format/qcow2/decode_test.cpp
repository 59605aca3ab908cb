// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: z zstd
#include "core/format/qcow2/decode.h"

#include <zlib.h>
#include <zstd.h>

#include <QTest>
#include <thread>
#include <vector>

using namespace disklathe;
using namespace disklathe::qcow2;

namespace {

std::vector<std::byte> sample(size_t size) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i / 7 ^ i % 13);
  return bytes;
}

std::vector<std::byte> deflated(Bytes bytes, int window_bits) {
  std::vector<std::byte> out(bytes.size() + 1000);
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -window_bits, 9, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::vector<std::byte> zstd(Bytes bytes) {
  std::vector<std::byte> out(ZSTD_compressBound(bytes.size()));
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

std::vector<std::byte> encoded(CompressionType type, Bytes bytes) {
  return type == CompressionType::zstd ? zstd(bytes) : deflated(bytes, 12);
}

}  // namespace

class DecodeTest : public QObject {
  Q_OBJECT
 private slots:
  void decodes_every_window_size() {
    const auto bytes = sample(65536);
    for (int window_bits = 9; window_bits <= 15; ++window_bits) {
      std::vector<std::byte> out(bytes.size());
      QVERIFY(decode_cluster(CompressionType::zlib, deflated(bytes, window_bits), out));
      QVERIFY(out == bytes);
    }
  }

  void works_data() {
    QTest::addColumn<int>("type");
    QTest::newRow("zlib") << 0;
    QTest::newRow("zstd") << 1;
  }
  void works() {
    QFETCH(int, type);
    const auto kind = static_cast<CompressionType>(type);
    const auto bytes = sample(65536);
    const auto in = encoded(kind, bytes);
    std::vector<std::byte> out(bytes.size());
    QVERIFY(decode_cluster(kind, in, out));
    QVERIFY(out == bytes);

    auto with_neighbour = in;  // the next cluster shares the last sector
    with_neighbour.insert(with_neighbour.end(), 300, std::byte{0x5a});
    std::ranges::fill(out, std::byte{});
    QVERIFY(decode_cluster(kind, with_neighbour, out));
    QVERIFY(out == bytes);

    std::vector<std::byte> larger(bytes.size() + 1), smaller(bytes.size() - 1);
    QCOMPARE(decode_cluster(kind, in, larger).error().kind, ErrorKind::corrupt);
    QCOMPARE(decode_cluster(kind, in, smaller).error().kind, ErrorKind::corrupt);
    QCOMPARE(decode_cluster(kind, Bytes(in).first(in.size() - 1), out).error().kind, ErrorKind::corrupt);
    QCOMPARE(decode_cluster(kind, Bytes(in).first(1), out).error().kind, ErrorKind::corrupt);
    QCOMPARE(decode_cluster(kind, {}, out).error().kind, ErrorKind::corrupt);
    QCOMPARE(decode_cluster(kind, bytes, out).error().operation, "decode");
  }

  void decodes_several_zstd_frames() {
    const auto bytes = sample(65536);
    auto in = zstd(Bytes(bytes).first(1000));
    const auto second = zstd(Bytes(bytes).subspan(1000));
    in.insert(in.end(), second.begin(), second.end());
    std::vector<std::byte> out(bytes.size());
    QVERIFY(decode_cluster(CompressionType::zstd, in, out));
    QVERIFY(out == bytes);
  }

  void decodes_on_many_threads() {
    const auto bytes = sample(1 << 20);
    const auto in = deflated(bytes, 12), in_zstd = zstd(bytes);
    std::atomic<int> right = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        std::vector<std::byte> out(bytes.size());
        const auto type = i % 2 ? CompressionType::zstd : CompressionType::zlib;
        if (decode_cluster(type, i % 2 ? in_zstd : in, out) && out == bytes) ++right;
      });
    }
    threads.clear();
    QCOMPARE(right.load(), 8);
  }
};

QTEST_GUILESS_MAIN(DecodeTest)
#include "decode_test.moc"
