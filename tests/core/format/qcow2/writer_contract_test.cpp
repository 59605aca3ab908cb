// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <thread>

#include "core/base/arithmetic.h"
#include "core/device/file_device.h"
#include "tests/support/faulty_device.h"
#include "tests/support/made_image.h"
#include "tests/support/memory_device.h"
#include "tests/support/qemu_img.h"
#include "tests/support/write_guest.h"

using namespace disklathe;

namespace {

std::unique_ptr<ImageWriter> create(CreateRequest request) {
  auto writer = find_format("qcow2")->create(request);
  return writer ? std::move(*writer) : nullptr;
}

Placement whole(uint64_t at, uint64_t length) { return {.guest = {at, length}, .stored = length}; }

}  // namespace

// What the engine may rely on.
class WriterContractTest : public QObject {
  Q_OBJECT

 private slots:
  void keepsGuestSequentialDataHostSequential() {
    test::MemoryDevice file;
    const auto writer = create({.file = &file, .size = 64 << 20, .target_is_zero = true});
    QVERIFY(writer);
    std::vector<Placement> first{whole(0, 1 << 20), whole(2 << 20, 65536)}, second{whole(3 << 20, 1 << 20)};
    QVERIFY(writer->place(first));
    QVERIFY(writer->place(second));
    QCOMPARE(first[1].host, first[0].host + (1 << 20));
    QCOMPARE(second[0].host, first[1].host + 65536);
  }

  void keepsEachCallsDataInOneRunAcrossTables() {
    // 512-byte clusters: an L2 table every 32 KiB, a refcount block every 128 KiB.
    test::MemoryDevice file;
    const auto writer =
        create({.file = &file, .size = 8 << 20, .options = {{"cluster_size", "512"}}, .target_is_zero = true});
    QVERIFY(writer);
    std::vector<Placement> placements{whole(0, 1 << 20), whole(2 << 20, 1 << 20)};
    QVERIFY(writer->place(placements));
    QCOMPARE(placements[1].host, placements[0].host + (1 << 20));
  }

  void packsCompressedClustersByteAfterByte() {
    test::MemoryDevice file;
    const auto writer = create({.file = &file, .size = 64 << 20, .compress = true, .target_is_zero = true});
    QVERIFY(writer);
    std::vector<Placement> placements;
    for (uint64_t i = 0; i < 40; ++i)
      placements.push_back({.guest = {i * 65536, 65536}, .stored = 30001 + i, .encoded = true});
    QVERIFY(writer->place(placements));
    for (size_t i = 1; i < placements.size(); ++i)
      QCOMPARE(placements[i].host, placements[i - 1].host + placements[i - 1].stored);
  }

  void fillsWhatCompressedClustersLeftFreeBeforePlainOnes() {
    test::MemoryDevice file;
    const auto writer = create({.file = &file, .size = 64 << 20, .compress = true, .target_is_zero = true});
    QVERIFY(writer);
    std::vector<Placement> first{{.guest = {0, 65536}, .stored = 40000, .encoded = true}, whole(65536, 65536)};
    std::vector<Placement> second{{.guest = {131072, 65536}, .stored = 50000, .encoded = true}, whole(196608, 65536)};
    std::vector<Placement> third{{.guest = {262144, 65536}, .stored = 20000, .encoded = true}};
    QVERIFY(writer->place(first));
    QVERIFY(writer->place(second));
    QVERIFY(writer->place(third));
    QCOMPARE(third[0].host, first[0].host + 40000);
  }

  void wantsNoCommandForZeroesOfAFreshDisk() {
    test::MemoryDevice file;
    for (const bool target_is_zero : {false, true}) {
      const auto writer = create({.file = &file, .size = 64 << 20, .target_is_zero = target_is_zero});
      QVERIFY(writer);
      QCOMPARE(*writer->place_zero({0, 64 << 20}), std::nullopt);
    }
  }

  void wantsPreallocatedZeroesClearedOnAUsedTarget() {
    test::MemoryDevice file(std::vector<std::byte>(1 << 20, std::byte{0xff}));
    const auto writer = create({.file = &file, .size = 1 << 20, .options = {{"preallocation", "metadata"}}});
    QVERIFY(writer);
    const auto range = writer->place_zero({0, 1 << 20});
    QVERIFY(range && *range);
    QCOMPARE((*range)->length, 1u << 20);
  }

  void leavesNothingOfAUsedTargetInTheDisk_data() {
    QTest::addColumn<QString>("options");
    QTest::addColumn<bool>("compress");
    for (const char* options : {"", "preallocation=metadata", "preallocation=full", "extended_l2=on",
                                "cluster_size=512", "cluster_size=2M"}) {
      QTest::addRow("%s", options) << options << false;
      if (!QString(options).contains("preallocation")) QTest::addRow("-c %s", options) << options << true;
    }
  }
  void leavesNothingOfAUsedTargetInTheDisk() {
    QFETCH(QString, options);
    QFETCH(bool, compress);
    const auto guest = test::mixed_guest((3 << 20) + 1000);
    test::MemoryDevice file(std::vector<std::byte>(24 << 20, std::byte{0xff}));
    file.fix_size();  // a device
    const auto writer =
        create({.file = &file, .size = guest.size(), .options = test::options_of(options), .compress = compress});
    QVERIFY(writer);
    QVERIFY(test::write_guest(*writer, file, nullptr, guest));
    QVERIFY(writer->finish(true));
    test::MadeImage image("qcow2");
    test::write_file(image.path(), test::as_text(file.content()));
    FINE(image.check());
    auto padded = guest;
    padded.resize(round_up(padded.size(), 512));
    FINE(image.compare(padded));
  }

  void placesFromManyThreads() {
    constexpr uint64_t piece = 256 << 10, pieces = 256;
    test::MemoryDevice file;
    const auto writer =
        create({.file = &file, .size = piece * pieces, .options = {{"cluster_size", "4K"}}, .target_is_zero = true});
    QVERIFY(writer);
    std::vector<uint64_t> hosts(pieces);
    std::atomic<uint64_t> next = 0;
    std::atomic<bool> wrong = false;
    const auto work = [&] {
      for (uint64_t i = next++; i < pieces; i = next++) {
        Placement placement = whole(i * piece, piece);
        if (!writer->place({&placement, 1}) || !writer->place_zero({i * piece, piece})) wrong = true;
        hosts[i] = placement.host;
      }
    };
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(work);
    threads.clear();
    QVERIFY(!wrong);
    QVERIFY(writer->finish(true));
    std::ranges::sort(hosts);
    for (size_t i = 1; i < hosts.size(); ++i) QVERIFY(hosts[i] >= hosts[i - 1] + piece);
    test::MadeImage image("qcow2");
    test::write_file(image.path(), test::as_text(file.content()));
    FINE(image.check());
  }

  void encodesFromManyThreads() {
    for (const char* type : {"zlib", "zstd"}) {
      test::MemoryDevice file;
      const auto writer = create({.file = &file,
                                  .size = 64 << 20,
                                  .options = {{"compression_type", type}},
                                  .compress = true,
                                  .target_is_zero = true});
      QVERIFY(writer);
      std::vector<std::byte> in(writer->unit(), std::byte{'x'});
      std::vector<std::jthread> threads;
      std::atomic<int> good = 0;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
          std::vector<std::byte> out(writer->unit());
          const auto size = writer->encode(0, in, out);
          if (size && *size > 0 && *size < 1000) ++good;
        });
      }
      threads.clear();
      QCOMPARE(good.load(), 4);
    }
  }

  void storesNoiseAsItIs() {
    for (const char* type : {"zlib", "zstd"}) {
      test::MemoryDevice file;
      const auto writer = create({.file = &file,
                                  .size = 1 << 20,
                                  .options = {{"compression_type", type}},
                                  .compress = true,
                                  .target_is_zero = true});
      QVERIFY(writer);
      std::vector<std::byte> in(writer->unit()), out(writer->unit());
      uint32_t state = 1;
      for (std::byte& byte : in) byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
      QCOMPARE(*writer->encode(0, in, out), 0u);
    }
  }

  void refusesWhatItWasNotPromised() {
    test::MemoryDevice file;
    const auto writer = create({.file = &file, .size = 1 << 20, .target_is_zero = true});
    QVERIFY(writer);
    const std::vector<std::vector<Placement>> wrong{
        {whole(512, 65536)},                                      // not on a cluster
        {whole(0, 512)},                                          // not whole clusters
        {whole(1 << 20, 65536)},                                  // behind the disk
        {whole(65536, 65536), whole(0, 65536)},                   // not in order
        {whole(0, 131072), whole(65536, 65536)},                  // twice
        {{.guest = {0, 65536}, .stored = 100}},                   // not all of it
        {{.guest = {0, 65536}, .stored = 100, .encoded = true}},  // compression was not asked for
    };
    for (auto placements : wrong) QCOMPARE(writer->place(placements).error().kind, ErrorKind::invalid);
    std::vector<Placement> right{whole(0, 65536)};
    QVERIFY(writer->place(right));
    QCOMPARE(writer->place(right).error().kind, ErrorKind::invalid);  // again
  }

  void flushesOnlyWhenAsked() {
    test::MemoryDevice memory;
    test::FaultyDevice file(memory);
    const auto fast = create({.file = &file, .size = 1 << 20, .target_is_zero = true});
    QVERIFY(fast && fast->finish(false));
    QCOMPARE(file.flushes(), 0u);
    const auto safe = create({.file = &file, .size = 1 << 20, .target_is_zero = true});
    QVERIFY(safe && safe->finish(true));
    QCOMPARE(file.flushes(), 2u);  // before the header, after it
  }

  void reservesTheSpaceItIsAskedFor() {
    for (const char* format : {"raw", "qcow2"}) {
      test::MadeImage image(format);
      test::write_file(image.path(), "");
      const auto file = FileDevice::open({.path = image.path(), .writable = true, .cache = CacheMode::writeback});
      QVERIFY(file);
      const auto writer = find_format(format)->create(
          {.file = file->get(), .size = 3 << 20, .options = {{"preallocation", "falloc"}}, .target_is_zero = true});
      QVERIFY2(writer, writer ? "" : test::describe(writer.error()).c_str());
      QVERIFY((*writer)->finish(true));
      QVERIFY((*file)->allocated_bytes() >= 3u << 20);
      QVERIFY(format == std::string("raw") || image.check().empty());
      FINE(image.compare(std::vector<std::byte>(3 << 20)));
    }
  }

  void saysWhenADeviceIsTooSmall() {
    test::MemoryDevice file(300 << 10);
    file.fix_size();
    const auto writer = create({.file = &file, .size = 64 << 20});
    QVERIFY(writer);
    Placement placement = whole(0, 1 << 20);
    QCOMPARE(writer->place({&placement, 1}).error().kind, ErrorKind::no_space);
  }
};

QTEST_GUILESS_MAIN(WriterContractTest)
#include "writer_contract_test.moc"
