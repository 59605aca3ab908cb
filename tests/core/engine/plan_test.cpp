// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/plan.h"

#include <QtTest>

using namespace disklathe;

class PlanTest : public QObject {
  Q_OBJECT

 private slots:
  void memoryStaysBoundedOnAnyMachine() {
    for (const bool queued : {false, true})
      for (const bool computes : {false, true})
        for (const unsigned cores : {1U, 2U, 4U, 16U, 256U})
          for (const unsigned buffers : {1U, 2U, 4U, 6U})
            for (const uint64_t worker_memory : {0ULL, 1ULL << 20, 9ULL << 20, 33ULL << 20})
              for (const uint64_t unit : {1ULL, 512ULL, 65536ULL, 2ULL << 20}) {
                const Plan plan = make_plan({.queued = queued,
                                             .computes = computes,
                                             .ordered = true,
                                             .unit = unit,
                                             .buffers = buffers,
                                             .worker_memory = worker_memory,
                                             .cores = cores});
                const uint64_t pieces = uint64_t{plan.slots_per_worker} * buffers * plan.piece_size;
                QVERIFY(plan.workers >= 1 && plan.slots_per_worker >= 1);
                // One worker with one slot is the least there is.
                if (plan.workers > 1 || plan.slots_per_worker > 1)
                  QVERIFY(plan.workers * (pieces + worker_memory) <= most_job_memory);
                QVERIFY(plan.budget <= most_job_memory);
                QVERIFY(plan.budget >= plan.most_piece_size);
              }
  }

  void whatIsCheapUsesAllCores() {
    const Plan plan = make_plan(
        {.computes = true, .ordered = true, .unit = 65536, .buffers = 2, .worker_memory = 1 << 20, .cores = 16});
    QCOMPARE(plan.workers, 16U);
  }

  void theSizeIsSearchedForOnlyWhereTheDeviceIsTheLimit() {
    QVERIFY(make_plan({.queued = true, .unit = 65536}).tuned);
    QVERIFY(!make_plan({.queued = true, .computes = true, .unit = 65536}).tuned);
    QVERIFY(!make_plan({.unit = 65536}).tuned);
  }
};

QTEST_GUILESS_MAIN(PlanTest)
#include "plan_test.moc"
