// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/crc32c.h"

#include <QtTest>

using namespace disklathe;

class Crc32cTest : public QObject {
  Q_OBJECT

  static uint32_t of(std::string_view text) { return crc32c(std::as_bytes(std::span(text))); }

 private slots:
  // RFC 3720, B.4, and what everybody checks with.
  void knownValues() {
    QCOMPARE(of(""), 0u);
    QCOMPARE(of("123456789"), 0xe3069283u);
    QCOMPARE(of(std::string(32, '\0')), 0x8a9136aau);
    QCOMPARE(of(std::string(32, '\xff')), 0x62a8ab43u);
  }

  void goesOnWhereItEnded() {
    const std::string text(1000, 'x');
    for (const size_t at : {0u, 1u, 7u, 8u, 500u, 1000u}) {
      const Bytes bytes = std::as_bytes(std::span(text));
      QCOMPARE(crc32c(bytes.subspan(at), crc32c(bytes.first(at))), of(text));
    }
  }
};

QTEST_GUILESS_MAIN(Crc32cTest)
#include "crc32c_test.moc"
