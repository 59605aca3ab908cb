// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/zero/target_gate.h"

#include <QTest>
#include <map>
#include <memory>

using namespace disklathe;
using namespace std::chrono_literals;
using Use = TargetGate::Use;

class TargetGateTest : public QObject {
  Q_OBJECT

  struct Holding {
    bool inside = false, leave = false;
  };

  struct Round {
    Ring& ring;
    static bool await_ready() noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) const { ring.post(handle); }
    static void await_resume() noexcept {}
  };

  std::unique_ptr<Ring> ring_;
  std::unique_ptr<TargetGate> gate_;
  std::map<QString, Holding> all_;

  static Task<void> hold(Ring& ring, TargetGate& gate, Use use, Clock::Time expected, Holding& holding) {
    const auto pass = co_await gate.enter(ring, use, expected);
    holding.inside = true;
    while (!holding.leave) co_await Round{ring};
    holding.inside = false;
  }
  static Task<void> look(Ring& ring, std::vector<std::function<void()>>& steps) {
    for (const auto& step : steps) {
      step();
      for (int i = 0; i < 10; ++i) co_await Round{ring};
    }
  }

  void enter(const QString& name, Use use, Clock::Time expected = {}) {
    ring_->spawn(hold(*ring_, *gate_, use, expected, all_[name]));
  }
  // The names of those inside, after each step; then all leave.
  QStringList run(std::vector<std::function<void()>> steps) {
    QStringList seen;
    std::vector<std::function<void()>> all;
    for (auto& step : steps) {
      all.push_back(step);
      all.push_back([&] { seen << inside(); });
    }
    all.push_back([&] {
      for (auto& [name, holding] : all_) holding.leave = true;
    });
    ring_->spawn(look(*ring_, all));
    ring_->run();
    return seen;
  }
  QString inside() const {
    QString names;
    for (const auto& [name, holding] : all_) names += holding.inside ? name : QString();
    return names;
  }

 private slots:
  void init() {
    all_.clear();
    ring_ = std::move(*Ring::create(RingKind::immediate));
    gate_ = std::make_unique<TargetGate>(2);
  }

  void twoCommandsAtATime() {
    const QStringList seen = run({[&] {
                                    enter("a", Use::command, 1ms);
                                    enter("b", Use::command, 1ms);
                                    enter("c", Use::command, 1ms);
                                  },
                                  [&] { all_["a"].leave = true; }});
    QCOMPARE(seen, (QStringList{"ab", "bc"}));
  }

  void longCommandsOneAtATime() {
    QCOMPARE(run({[&] {
               enter("a", Use::command, 80ms);
               enter("b", Use::command, 80ms);
             }}),
             QStringList{"a"});
  }

  void writesGoOnBesideCommandsThatWait() {
    QCOMPARE(run({[&] {
               for (const char* name : {"a", "b", "c"}) enter(name, Use::command);
               enter("w", Use::data);
             }}),
             QStringList{"abw"});
  }

  void oneAloneWaitsForAllAndHoldsUpAll() {
    const QStringList seen = run({[&] {
                                    enter("w", Use::data);
                                    enter("A", Use::alone);
                                    enter("x", Use::data);
                                    enter("z", Use::zeroes);
                                  },
                                  [&] { all_["w"].leave = true; }, [&] { all_["A"].leave = true; }});
    QCOMPARE(seen, (QStringList{"w", "A", "xz"}));
  }

  void writesOfZeroesAreCounted() {
    QCOMPARE(run({[&] {
               for (const char* name : {"a", "b", "c"}) enter(name, Use::zeroes);
             }}),
             QStringList{"ab"});
  }
};

QTEST_GUILESS_MAIN(TargetGateTest)
#include "target_gate_test.moc"
