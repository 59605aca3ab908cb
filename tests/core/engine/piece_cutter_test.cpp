// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/piece_cutter.h"

#include <QTest>

#include "tests/support/fake_reader.h"

using namespace disklathe;
using test::data;
using test::zero;

class PieceCutterTest : public QObject {
  Q_OBJECT

  static std::vector<Piece> cut(ImageReader& image, uint64_t piece_size) {
    PieceCutter cutter(image);
    std::vector<Piece> pieces;
    for (Piece piece;;) {
      auto more = cutter.next(piece, piece_size);
      if (!more || !*more) return pieces;
      pieces.push_back(piece);
    }
  }

 private slots:
  void piecesEndOnMultiplesOfTheirSize() {
    test::FakeReader image({data(0, 2500, 0)});
    const auto pieces = cut(image, 1000);
    QCOMPARE(pieces.size(), 3u);
    QCOMPARE(pieces[1].guest, (Range{1000, 1000}));
    QCOMPARE(pieces[2].guest, (Range{2000, 500}));
    QCOMPARE(pieces[2].extents.front().host, (Range{2000, 500}));
    QCOMPARE(pieces[2].index, 2u);
  }

  void aRunOfZeroesIsOnePieceHoweverLong() {
    const uint64_t tebi = 1ull << 40;
    test::FakeReader image({data(0, 1 << 20, 0), zero(1 << 20, tebi), zero((1 << 20) + tebi, tebi)});
    const auto pieces = cut(image, 1 << 20);
    QCOMPARE(pieces.size(), 2u);
    QVERIFY(!pieces[0].zero);
    QVERIFY(pieces[1].zero);
    QCOMPARE(pieces[1].guest, (Range{1 << 20, 2 * tebi}));
  }

  void theZeroesThatEndInAPieceOfDataBelongToIt() {
    test::FakeReader image({zero(0, 4500), data(4500, 700, 0)}, 1);
    const auto pieces = cut(image, 1000);
    QCOMPARE(pieces.size(), 3u);
    QCOMPARE(pieces[0].guest, (Range{0, 4000}));
    QVERIFY(pieces[0].zero);
    QCOMPARE(pieces[1].guest, (Range{4000, 1000}));
    QCOMPARE(pieces[1].extents.size(), 2u);
    QCOMPARE(pieces[1].extents[0].guest, (Range{4000, 500}));
    QVERIFY(reads_zero(pieces[1].extents[0]));
    QCOMPARE(pieces[1].extents[1].guest, (Range{4500, 500}));
    QCOMPARE(pieces[2].extents[0].host, (Range{500, 200}));
  }

  void zeroesBeyondTheEdgesAreSeen() {
    test::FakeReader image({data(0, 900, 0), zero(900, 600), data(1500, 100, 0), zero(1600, 3900), data(5500, 500, 0)},
                           1);
    PieceCutter cutter(image);
    cutter.look_past_edges(2000);
    std::vector<std::pair<uint64_t, uint64_t>> beyond;
    for (Piece piece; *cutter.next(piece, 1000);) beyond.emplace_back(piece.zero_before, piece.zero_after);
    // 0-1000, 1000-2000, zeroes 2000-5000, 5000-6000
    const std::vector<std::pair<uint64_t, uint64_t>> expected{{0, 500}, {100, 2000}, {400, 500}, {3400, 0}};
    QCOMPARE(beyond, expected);
  }

  void everyByteIsInExactlyOnePiece() {
    std::vector<Extent> extents;
    uint64_t at = 0;
    for (int i = 0; i < 500; ++i) {
      const uint64_t length = 1 + static_cast<uint64_t>(i * 7919) % 3000;
      extents.push_back(i % 3 == 0 ? zero(at, length) : data(at, length, at + 77));
      at += length;
    }
    test::FakeReader image(extents, 3);
    uint64_t next = 0;
    for (const Piece& piece : cut(image, 1024)) {
      QCOMPARE(piece.guest.at, next);
      uint64_t inside = next;
      for (const Extent& extent : piece.extents) {
        QCOMPARE(extent.guest.at, inside);
        if (!reads_zero(extent)) QCOMPARE(extent.host.at, inside + 77);
        inside = extent.guest.end();
      }
      if (!piece.zero) QCOMPARE(inside, piece.guest.end());
      next = piece.guest.end();
    }
    QCOMPARE(next, at);
  }

  void theSizeMayChangeFromPieceToPiece() {
    test::FakeReader image({data(0, 8000, 0)});
    PieceCutter cutter(image);
    Piece piece;
    QVERIFY(*cutter.next(piece, 1000));
    QVERIFY(*cutter.next(piece, 4000));
    QCOMPARE(piece.guest, (Range{1000, 3000}));
    QVERIFY(*cutter.next(piece, 2000));
    QCOMPARE(piece.guest, (Range{4000, 2000}));
  }

  void zeroesAreDataWhenTheyAreWantedAsSuch() {
    test::FakeReader image({zero(0, 3000)});
    PieceCutter cutter(image, true);
    Piece piece;
    QVERIFY(*cutter.next(piece, 1000));
    QVERIFY(!piece.zero);
    QCOMPARE(piece.guest, (Range{0, 1000}));
  }

  void anEmptyImageHasNoPieces() {
    test::FakeReader image({});
    QVERIFY(cut(image, 1000).empty());
  }

  void aCompressedExtentCutInTwoSaysWhichPartOfItsBytes() {
    Extent whole{.kind = Extent::Kind::compressed, .guest = {0, 2000}, .host = {512, 300}, .decoded_length = 2000};
    test::FakeReader image({whole});
    const auto pieces = cut(image, 1000);
    QCOMPARE(pieces[1].extents[0].host, (Range{512, 300}));
    QCOMPARE(pieces[1].extents[0].decoded_skip, 1000u);
    QCOMPARE(pieces[1].extents[0].decoded_length, 2000u);
  }
};

QTEST_GUILESS_MAIN(PieceCutterTest)
#include "piece_cutter_test.moc"
