// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/digest_line.h"

#include <QTest>

using namespace disklathe;

namespace {

std::shared_ptr<const DiskPart> part(std::string_view text) {
  auto made = std::make_shared<DiskPart>();
  made->length = text.size();
  made->bytes = std::as_bytes(std::span(text));
  return made;
}

std::string digest_of(std::string_view text) {
  auto digest = make_xxh128();
  digest->add(std::as_bytes(std::span(text)));
  return digest->finish();
}

}  // namespace

class DigestLineTest : public QObject {
  Q_OBJECT

  Stop stop_;
  JobState state_{stop_};

  static void both() {
    QTest::addColumn<DigestLine::By>("by");
    QTest::newRow("a thread of its own") << DigestLine::By::own_thread;
    QTest::newRow("whoever brings the next part") << DigestLine::By::bringer;
  }

 private slots:
  void partsMayComeInAnyOrder_data() { both(); }
  void partsMayComeInAnyOrder() {
    QFETCH(DigestLine::By, by);
    std::atomic<uint64_t> gone_through{0};
    DigestLine line(make_xxh128(), by, state_, &gone_through);
    line.put(2, part("!"));
    line.put(1, part("world"));
    line.put(0, part("hello "));
    QCOMPARE(line.finish(), digest_of("hello world!"));
    QCOMPARE(gone_through.load(), 12U);
  }

  void aPartWithoutBytesIsZeroes_data() { both(); }
  void aPartWithoutBytesIsZeroes() {
    QFETCH(DigestLine::By, by);
    DigestLine line(make_xxh128(), by, state_, nullptr);
    auto zeroes = std::make_shared<DiskPart>();
    zeroes->length = 1000000;
    line.put(0, std::move(zeroes));
    line.put(1, part("end"));
    QCOMPARE(line.finish(), digest_of(std::string(1000000, '\0') + "end"));
  }

  void partsAreLetGoWhenTheyAreThrough_data() { both(); }
  void partsAreLetGoWhenTheyAreThrough() {
    QFETCH(DigestLine::By, by);
    DigestLine line(make_xxh128(), by, state_, nullptr);
    auto first = part("first");
    const std::weak_ptr<const DiskPart> watched = first;
    line.put(0, std::move(first));
    for (int patience = 0; !watched.expired() && patience < 500; ++patience) QTest::qWait(10);
    QVERIFY(watched.expired());
    auto third = part("third");
    const std::weak_ptr<const DiskPart> kept = third;
    line.put(2, std::move(third));
    QTest::qWait(20);
    QVERIFY(!kept.expired());
    line.abandon();
    QVERIFY(kept.expired());
    line.put(3, part("after it"));
    line.finish();
  }

  void manyBringersGiveOneDigest_data() { both(); }
  void manyBringersGiveOneDigest() {
    QFETCH(DigestLine::By, by);
    std::string whole;
    for (int i = 0; i < 4000; ++i) whole += std::to_string(i) + ',';
    std::vector<std::string_view> parts;
    for (size_t at = 0; at < whole.size(); at += 7) parts.push_back(std::string_view(whole).substr(at, 7));
    DigestLine line(make_xxh128(), by, state_, nullptr);
    std::atomic<size_t> next{0};
    {
      std::vector<std::jthread> bringers;
      for (int i = 0; i < 4; ++i)
        bringers.emplace_back([&] {
          for (size_t mine = next++; mine < parts.size(); mine = next++) line.put(mine, part(parts[mine]));
        });
    }
    QCOMPARE(line.finish(), digest_of(whole));
  }

  void aLineThatNobodyFinishesEnds() {
    const DigestLine line(make_xxh128(), DigestLine::By::own_thread, state_, nullptr);
  }
};

QTEST_GUILESS_MAIN(DigestLineTest)
#include "digest_line_test.moc"
