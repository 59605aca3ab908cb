// SPDX-License-Identifier: GPL-3.0-or-later
//
// What fuzzing of the job protocol starts from is the protocol of today, and all of it.
#include "tests/support/seeds.h"

#include <QTest>
#include <set>

#include "tests/support/job_messages.h"

using namespace disklathe;

namespace {

template <class Variant>
size_t kinds_of(const std::vector<Variant>& examples) {
  std::set<size_t> kinds;
  for (const Variant& example : examples) kinds.insert(example.index());
  return kinds.size();
}

}  // namespace

class SeedsTest : public QObject {
  Q_OBJECT

 private slots:
  void eachKindHasAnExample() {
    QCOMPARE(kinds_of(test::each_work()), std::variant_size_v<job::Work>);
    QCOMPARE(kinds_of(test::each_outcome()), std::variant_size_v<job::Outcome>);
    QCOMPARE(kinds_of(test::each_message_of_the_client()), std::variant_size_v<job::FromClient>);
    QCOMPARE(kinds_of(test::each_message_of_the_worker()), std::variant_size_v<job::FromWorker>);
  }

  void theSeedsAreTheExamples() { QCOMPARE(test::wrong_with_seeds("job_message", test::encoded_messages()), ""); }
};

QTEST_GUILESS_MAIN(SeedsTest)
#include "seeds_test.moc"
