// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/block_status.h"

#include <QTest>

#include "core/base/endian.h"

using namespace disklathe;
using namespace disklathe::nbd;

namespace {

// Runs of one length, data and hole in turns; so many of them a call at most.
class StripedAccess final : public Access {
 public:
  StripedAccess(uint64_t stripe, size_t per_call) : stripe_(stripe), per_call_(per_call) {}
  size_t calls = 0, told = 0;

  Result<void> map(Range want, Look, size_t most, std::vector<Run>& out) override {
    ++calls;
    for (size_t i = 0; i < std::min(most, per_call_) && !want.empty(); ++i, ++told) {
      const uint64_t index = want.at / stripe_;
      const Range range = intersection({index * stripe_, stripe_}, want);
      out.push_back(
          {.range = range, .zero = index % 2 == 1, .allocated = index % 2 == 0, .depth = index % 2 ? 0U : 2U});
      want = Range::between(range.end(), want.end());
    }
    return {};
  }
  Result<void> map_bitmap(size_t number, Range want, std::vector<Mark>& out) override {
    for (size_t i = 0; i < per_call_ && !want.empty(); ++i) {
      const uint64_t index = want.at / stripe_;
      const Range range = intersection({index * stripe_, stripe_}, want);
      out.push_back({range, (index / 2 + number) % 2 == 1});
      want = Range::between(range.end(), want.end());
    }
    return {};
  }
  Task<Result<void>> read(Ring&, uint64_t, MutableBytes) override { co_return Result<void>{}; }
  void expect(Range) override {}
  Task<Result<void>> write(Ring&, uint64_t, Bytes) override { co_return Result<void>{}; }
  Task<Result<void>> zero(Ring&, Range, bool, bool) override { co_return Result<void>{}; }
  Task<Result<void>> trim(Ring&, Range) override { co_return Result<void>{}; }
  Task<Result<void>> flush(Ring&) override { co_return Result<void>{}; }

 private:
  uint64_t stripe_;
  size_t per_call_;
};

}  // namespace

class BlockStatusTest : public QObject {
  Q_OBJECT

  const ExportInfo info_{.size = uint64_t{1} << 50};
  std::vector<std::byte> output_;

  // Of the structured dialect: (length, value) of the one chunk.
  std::vector<std::pair<uint32_t, uint32_t>> ask(StripedAccess& access, uint64_t offset, uint64_t length,
                                                 bool one = false) {
    const Agreement agreement{.dialect = Dialect::structured, .contexts = {0}};
    const Request request{.flags = static_cast<uint16_t>(one ? req_one : 0),
                          .type = static_cast<uint16_t>(Command::block_status),
                          .offset = offset,
                          .length = length};
    output_.clear();
    if (!append_block_status(access, {info_, agreement}, request, output_)) return {};
    std::vector<std::pair<uint32_t, uint32_t>> found;
    for (size_t at = 24; at < output_.size(); at += 8)
      found.emplace_back(load_be<uint32_t>(output_, at), load_be<uint32_t>(output_, at + 4));
    return found;
  }

 private slots:
  void coversWhatWasAskedAbout() {
    StripedAccess access(1000, 2);
    const auto found = ask(access, 500, 2000);
    QCOMPARE(found, (std::vector<std::pair<uint32_t, uint32_t>>{{500, 0}, {1000, 3}, {500, 0}}));
  }

  void oneExtentIsOneHoweverItIsMapped() {
    StripedAccess access(1000, 5);
    QCOMPARE(ask(access, 500, 5000, true), (std::vector<std::pair<uint32_t, uint32_t>>{{500, 0}}));
    QCOMPARE(ask(access, 0, 700, true), (std::vector<std::pair<uint32_t, uint32_t>>{{700, 0}}));
  }

  // Whoever asks for one asks again for the next: looking up thousands each time took a client minutes.
  void forOneExtentLittleMoreThanItIsLookedUp() {
    StripedAccess access(1000, 5000);
    QCOMPARE(ask(access, 500, 4'000'000, true), (std::vector<std::pair<uint32_t, uint32_t>>{{500, 0}}));
    QCOMPARE(access.told, size_t{2});
  }

  void manyExtentsAreBounded() {
    StripedAccess access(512, 5000);
    QCOMPARE(ask(access, 0, 4'000'000'000).size(), size_t{4096});
    StripedAccess slow(512, 1);
    ask(slow, 0, 4'000'000'000);
    QVERIFY(slow.calls <= 256);
  }

  void lengthsFitTheirField() {
    StripedAccess access(uint64_t{1} << 45, 1);
    const auto found = ask(access, 0, UINT32_MAX);
    QCOMPARE(found.size(), size_t{1});
    QVERIFY(found[0].first >= 0xf0000000 && found[0].first % 65536 == 0);
  }

  void eachContextHasItsChunkAndTheLastSaysSo() {
    StripedAccess access(1000, 5);
    const Agreement agreement{.dialect = Dialect::extended, .contexts = {0, 1}};
    const Request request{.type = static_cast<uint16_t>(Command::block_status), .offset = 0, .length = 1500};
    output_.clear();
    QVERIFY(append_block_status(access, {info_, agreement}, request, output_).has_value());
    const size_t chunk = 32 + 8 + 2 * 16;
    QCOMPARE(output_.size(), 2 * chunk);
    QCOMPARE(load_be<uint16_t>(output_, 4), uint16_t{more});
    QCOMPARE(load_be<uint16_t>(output_, chunk + 4), uint16_t{done});
    QCOMPARE(load_be<uint32_t>(output_, 32), uint32_t{1});
    QCOMPARE(load_be<uint32_t>(output_, chunk + 32), uint32_t{2});
    QCOMPARE(load_be<uint64_t>(output_, chunk + 48), uint64_t{2});  // the depth of the first run
  }

  void bitmapsAreToldEachByItsContext() {
    StripedAccess access(1000, 2);
    const Agreement agreement{.dialect = Dialect::structured, .contexts = {3}};
    const Request request{.type = static_cast<uint16_t>(Command::block_status), .offset = 500, .length = 3000};
    output_.clear();
    QVERIFY(append_block_status(access, {info_, agreement}, request, output_).has_value());
    QCOMPARE(access.calls, size_t{0});  // nobody asked what is allocated
    QCOMPARE(output_.size(), size_t{20 + 4 + 2 * 8});
    QCOMPARE(load_be<uint32_t>(output_, 20), uint32_t{4});
    QCOMPARE(load_be<uint32_t>(output_, 24), uint32_t{1500});
    QCOMPARE(load_be<uint32_t>(output_, 28), uint32_t{1});
    QCOMPARE(load_be<uint32_t>(output_, 32), uint32_t{1500});
    QCOMPARE(load_be<uint32_t>(output_, 36), uint32_t{0});
  }
};

QTEST_GUILESS_MAIN(BlockStatusTest)
#include "block_status_test.moc"
