// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/piece_digests.h"

#include <QTest>

#include "tests/support/write_guest.h"

using namespace disklathe;

namespace {
constexpr size_t mebi = 1 << 20;
}

class PieceDigestsTest : public QObject {
  Q_OBJECT

 private slots:
  void knowsEachPieceWhateverItCameIn() {
    const auto guest = test::mixed_guest(3 * mebi + 5);
    for (const size_t step : {size_t{4096}, mebi - 1, 3 * mebi}) {
      PieceDigests digests;
      for (size_t at = 0; at < guest.size(); at += step)
        digests.add(Bytes(guest).subspan(at, std::min(step, guest.size() - at)));
      digests.finish();
      QCOMPARE(digests.size(), guest.size());
      for (size_t index = 0; index < 4; ++index)
        QVERIFY(digests.matches(index, Bytes(guest).subspan(index * mebi, index < 3 ? mebi : 5)));
      QVERIFY(!digests.matches(3, Bytes(guest).subspan(3 * mebi, 4)));
      QVERIFY(!digests.matches(4, {}));
      QVERIFY(!digests.matches(0, Bytes(guest).subspan(mebi, mebi)));
    }
  }

  void noticesABit() {
    auto guest = test::mixed_guest(mebi);
    PieceDigests digests;
    digests.add(guest);
    digests.finish();
    guest[777777] ^= std::byte{4};
    QVERIFY(!digests.matches(0, guest));
  }

  void knowsPiecesOfZeroes() {
    std::vector<std::byte> guest(2 * mebi + 100);
    guest[mebi + 5] = std::byte{1};
    PieceDigests digests;
    digests.add(guest);
    digests.finish();
    QVERIFY(digests.is_zero(0));
    QVERIFY(!digests.is_zero(1));
    QVERIFY(digests.is_zero(2));
    QVERIFY(!digests.is_zero(3));
  }

  void nothingHasNoPieces() {
    PieceDigests digests;
    digests.finish();
    QCOMPARE(digests.size(), 0U);
    QVERIFY(!digests.is_zero(0));
  }
};

QTEST_GUILESS_MAIN(PieceDigestsTest)
#include "piece_digests_test.moc"
