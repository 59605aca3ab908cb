// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/zero/zero_scan.h"

#include <QTest>
#include <vector>

using namespace disklathe;

class ZeroScanTest : public QObject {
  Q_OBJECT

 private slots:
  void aSingleByteIsFoundWhereverItIs() {
    for (size_t size : {0u, 1u, 255u, 256u, 257u, 4096u, 5000u}) {
      std::vector<std::byte> bytes(size + 3);
      for (size_t shift = 0; shift < 3; ++shift) {  // also on odd addresses
        const std::span<std::byte> view(bytes.data() + shift, size);
        QVERIFY(all_zero(view));
        for (size_t at = 0; at < size; ++at) {
          view[at] = std::byte{0x80};
          QCOMPARE(first_nonzero(view), at);
          view[at] = std::byte{0};
        }
      }
    }
  }

  void bytesBehindTheEndAreNotLookedAt() {
    std::vector<std::byte> bytes(1024, std::byte{1});
    std::fill_n(bytes.begin(), 700, std::byte{0});
    QVERIFY(all_zero(std::span(bytes).first(700)));
    QCOMPARE(first_nonzero(bytes), 700u);
  }
};

QTEST_GUILESS_MAIN(ZeroScanTest)
#include "zero_scan_test.moc"
