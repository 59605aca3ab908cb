// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/aligned_buffer.h"

#include <QTest>
#include <utility>

using namespace disklathe;

class AlignedBufferTest : public QObject {
  Q_OBJECT

 private slots:
  void startsOnItsAlignment() {
    for (const size_t alignment : {size_t{1}, size_t{512}, size_t{4096}, size_t{65536}, size_t{2} << 20}) {
      AlignedBuffer buffer(10000, alignment);
      QCOMPARE(reinterpret_cast<uintptr_t>(buffer.data()) % std::max<size_t>(alignment, 4096), 0U);
      QCOMPARE(buffer.size(), 10000U);
      for (std::byte& byte : buffer.bytes()) byte = std::byte{1};
    }
  }

  void movesItsMemory() {
    AlignedBuffer first(4096, 4096);
    std::byte* data = first.data();
    AlignedBuffer second(std::move(first));
    QCOMPARE(second.data(), data);
    AlignedBuffer third;
    third = std::move(second);
    QCOMPARE(third.data(), data);
    QCOMPARE(third.size(), 4096U);
  }

  void mayBeEmpty() { QCOMPARE(AlignedBuffer(0, 4096).size(), 0U); }
};

QTEST_GUILESS_MAIN(AlignedBufferTest)
#include "aligned_buffer_test.moc"
