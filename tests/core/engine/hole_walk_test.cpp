// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/hole_walk.h"

#include <QTest>

#include "core/engine/piece_cutter.h"
#include "tests/support/fake_reader.h"

using namespace disklathe;
using test::data;
using test::zero;

namespace {

Extent hole(uint64_t at, uint64_t length) { return {.kind = Extent::Kind::hole, .guest = {at, length}}; }

struct Part {
  bool hole;
  Range range;
  bool operator==(const Part&) const = default;
};

std::vector<Part> walk(ImageReader& image, uint64_t unit, uint64_t limit = 1 << 30) {
  HoleWalk holes(image, unit);
  std::vector<Part> parts;
  for (uint64_t at = 0; at < image.size();) {
    const auto run = holes.run_at(at, limit);
    if (!run || run->end <= at) return {};
    parts.push_back({run->hole, Range::between(at, run->end)});
    at = run->end;
  }
  return parts;
}

}  // namespace

class HoleWalkTest : public QObject {
  Q_OBJECT
 private slots:
  void zeroesAreHeldAndHolesAreNot() {
    test::FakeReader image({hole(0, 4), zero(4, 4), data(8, 4, 0), hole(12, 4)}, 1);
    QCOMPARE(walk(image, 4), (std::vector<Part>{{true, {0, 4}}, {false, {4, 8}}, {true, {12, 4}}}));
  }
  void aUnitThatIsAHoleInPartIsHeld() {
    test::FakeReader image({hole(0, 10), data(10, 1, 0), hole(11, 10), data(21, 1, 0), hole(22, 10)}, 2);
    QCOMPARE(walk(image, 8), (std::vector<Part>{{true, {0, 8}}, {false, {8, 16}}, {true, {24, 8}}}));
  }
  void aHoleSmallerThanAUnitEndsNothing() {
    test::FakeReader image({data(0, 3, 0), hole(3, 4), data(7, 9, 0)});
    QCOMPARE(walk(image, 8), (std::vector<Part>{{false, {0, 16}}}));
  }
  void theLastUnitMayBeShort() {
    test::FakeReader image({data(0, 8, 0), hole(8, 3)});
    QCOMPARE(walk(image, 8), (std::vector<Part>{{false, {0, 8}}, {true, {8, 3}}}));
  }
  void heldRunsStopAtTheLimitAndHolesDoNot() {
    test::FakeReader image({data(0, 64, 0), hole(64, 640), zero(704, 64)});
    QCOMPARE(walk(image, 8, 32),
             (std::vector<Part>{
                 {false, {0, 32}}, {false, {32, 32}}, {true, {64, 640}}, {false, {704, 32}}, {false, {736, 32}}}));
  }
  void piecesLeaveTheHolesOfTheTopImageOut() {
    test::FakeReader top({hole(0, 3000), data(3000, 500, 0), hole(3500, 2500), zero(6000, 1000), hole(7000, 500)});
    test::FakeReader chain({data(0, 3000, 9000), data(3000, 500, 0), data(3500, 2500, 9000), zero(6000, 1500)});
    std::atomic<uint64_t> left_out = 0;
    PieceCutter cutter(chain);
    cutter.leave_out_holes(top, 1000, left_out);
    std::vector<Range> held;
    for (Piece piece; *cutter.next(piece, 2000);) {
      held.push_back(piece.guest);
      QCOMPARE(piece.zero, piece.guest.at == 6000);
      // The unit that is a hole in part comes with what the chain has there.
      if (!piece.zero) QCOMPARE(piece.extents.back().guest, (Range{3500, 500}));
    }
    QCOMPARE(held, (std::vector<Range>{{3000, 1000}, {6000, 1000}}));
    QCOMPARE(left_out.load(), 5500u);
  }
};

QTEST_GUILESS_MAIN(HoleWalkTest)
#include "hole_walk_test.moc"
