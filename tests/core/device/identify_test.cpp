// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/identify.h"

#include <fcntl.h>
#include <QTest>
#include <cerrno>

#include "tests/support/device_answers.h"
#include "tests/support/loop_device.h"
#include "tests/support/seeds.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;
using test::Fields;
using Page = DeviceAnswer::Page;

namespace {

std::vector<std::byte>& bytes_of(std::vector<DeviceAnswer>& answers, Page page) {
  return std::ranges::find(answers, page, &DeviceAnswer::page)->bytes;
}

// A disk that has these answers, and keeps what it was asked.
class AnsweringDisk final : public ScsiTransport {
 public:
  explicit AnsweringDisk(std::vector<DeviceAnswer> answers) : answers_(std::move(answers)) {}

  std::vector<std::vector<uint8_t>> asked;
  int unit_attentions = 0;      // so many commands are told of a reset instead
  std::vector<uint8_t> listed;  // pages that it claims to have; empty: those that it has
  bool gone = false;

  Result<ScsiOutcome> execute(const ScsiCommand& command) override {
    asked.emplace_back(command.cdb.bytes.begin(), command.cdb.bytes.begin() + command.cdb.length);
    if (gone) return failure(os_failure(ENODEV, "send a command to", {}));
    if (unit_attentions-- > 0) return ScsiOutcome{.status = scsi::status_check_condition};
    const auto found = answer_to(command.cdb.bytes);
    if (!found) return ScsiOutcome{.status = scsi::status_check_condition};
    const size_t moved = std::min(found->size(), command.data.size());
    std::copy_n(found->begin(), moved, command.data.begin());
    return ScsiOutcome{.residual = static_cast<uint32_t>(command.data.size() - moved)};
  }

 private:
  std::optional<std::vector<std::byte>> answer_to(const std::array<uint8_t, 16>& cdb) const {
    if (cdb[0] == 0x9e) return having(Page::capacity);
    if (cdb[0] != 0x12) return std::nullopt;
    if ((cdb[1] & 1) == 0) return having(Page::inquiry);
    if (cdb[2] == 0x00) return list();
    for (const auto& [page, bytes] : answers_)
      if (page != Page::inquiry && page != Page::capacity && bytes[1] == std::byte{cdb[2]}) return bytes;
    return std::nullopt;
  }
  std::optional<std::vector<std::byte>> having(Page page) const {
    const auto found = std::ranges::find(answers_, page, &DeviceAnswer::page);
    return found == answers_.end() ? std::nullopt : std::optional(found->bytes);
  }
  std::vector<std::byte> list() const {
    std::vector<uint8_t> codes = listed;
    if (codes.empty())
      for (const auto& [page, bytes] : answers_)
        if (page != Page::inquiry && page != Page::capacity) codes.push_back(std::to_integer<uint8_t>(bytes[1]));
    Fields page = test::vital_page(0x00, 4 + codes.size());
    for (size_t i = 0; i < codes.size(); ++i) page.big<uint8_t>(4 + i, codes[i]);
    return page;
  }

  const std::vector<DeviceAnswer> answers_;
};

}  // namespace

class IdentifyTest : public QObject {
  Q_OBJECT

 private slots:
  void aScsiDiskIsReadAsTheStandardHasIt() {
    const Identified expected{.protocol = Identified::Protocol::scsi,
                              .vendor = "ACME",
                              .model = "Turntable 9000",
                              .firmware = "1.0",
                              .serial = "SN12345",
                              .wwn = "naa.5000c500a1b2c3d4",
                              .logical_block = 512,
                              .max_transfer = 4 << 20,
                              .optimal_transfer = 1 << 20,
                              .transfer_granularity = 4096,
                              .boundary = {},
                              .max_write_zeroes = 512ULL << 32,
                              .unmaps = true,
                              .max_unmap = 32 << 20,
                              .max_unmap_ranges = 256,
                              .unmap_granularity = 32768,
                              .unmap_offset = 3584,
                              .unmapped_reads_zero = true,
                              .thin = true,
                              .rotation_rate = 7200};
    QVERIFY(read_answers(test::answers_of_a_scsi_disk()) == expected);
  }

  void anAtaDiskIsReadThroughItsPageOfScsi() {
    const Identified expected{.protocol = Identified::Protocol::ata,
                              .vendor = {},
                              .model = "Example SSD 870 1TB",
                              .firmware = "RVT02B6Q",
                              .serial = "S3Z8NB0K",
                              .wwn = {},
                              .logical_block = 512,
                              .max_transfer = {},
                              .optimal_transfer = {},
                              .transfer_granularity = {},
                              .boundary = {},
                              .max_write_zeroes = {},
                              .unmaps = true,
                              .max_unmap = {},
                              .max_unmap_ranges = 512,
                              .unmap_granularity = {},
                              .unmap_offset = {},
                              .unmapped_reads_zero = true,
                              .thin = false,
                              .rotation_rate = 0};
    QVERIFY(read_answers(test::answers_of_an_ata_disk()) == expected);
  }

  void anNvmeDiskIsReadAsTheSpecificationHasIt() {
    const Identified expected{.protocol = Identified::Protocol::nvme,
                              .vendor = {},
                              .model = "Example NVMe 980",
                              .firmware = "2B4QFXO7",
                              .serial = "S64ENF0R",
                              .wwn = "eui.0025388b710116a1",
                              .logical_block = 4096,
                              .max_transfer = 2 << 20,
                              .optimal_transfer = 32 * 4096,
                              .transfer_granularity = 4 * 4096,
                              .boundary = 1 << 20,
                              .max_write_zeroes = 8 << 20,
                              .unmaps = true,
                              .max_unmap = 4096ULL << 32,
                              .max_unmap_ranges = 255,
                              .unmap_granularity = 8 * 4096,
                              .unmap_offset = {},
                              .unmapped_reads_zero = true,
                              .thin = true,
                              .rotation_rate = {}};
    QVERIFY(read_answers(test::answers_of_an_nvme_disk()) == expected);
  }

  void whatIsNotSaidIsNotZero() {
    auto answers = test::answers_of_a_scsi_disk();
    bytes_of(answers, Page::limits) =
        test::vital_page(0xb0, 64).big<uint32_t>(20, UINT32_MAX).big<uint32_t>(24, UINT32_MAX);
    bytes_of(answers, Page::characteristics) = test::vital_page(0xb1, 64);
    const auto disk = read_answers(answers);
    QVERIFY(disk);
    for (const auto& value : {disk->max_transfer, disk->optimal_transfer, disk->max_unmap, disk->max_unmap_ranges,
                              disk->unmap_granularity, disk->unmap_offset, disk->max_write_zeroes, disk->rotation_rate})
      QCOMPARE(value, std::nullopt);
    answers = test::answers_of_an_nvme_disk();
    bytes_of(answers, Page::nvme_namespace) = Fields(4096).little<uint32_t>(128, 9U << 16);
    bytes_of(answers, Page::nvme_controller)[77] = std::byte{0};
    const auto plain = read_answers(answers);
    QVERIFY(plain);
    QCOMPARE(plain->logical_block, 512U);
    for (const auto& value :
         {plain->max_transfer, plain->boundary, plain->transfer_granularity, plain->optimal_transfer})
      QCOMPARE(value, std::nullopt);
    QCOMPARE(plain->unmapped_reads_zero, std::nullopt);
    QVERIFY(plain->wwn.empty());
  }

  void whatBlocksReadAsIsToldApart() {
    auto answers = test::answers_of_an_nvme_disk();
    bytes_of(answers, Page::nvme_namespace)[33] = std::byte{2};  // ones
    QCOMPARE(read_answers(answers)->unmapped_reads_zero, false);
    answers = test::answers_of_a_scsi_disk();
    bytes_of(answers, Page::provisioning)[5] = std::byte{0x80 | 0x08};  // LBPRZ 010b: a pattern
    QCOMPARE(read_answers(answers)->unmapped_reads_zero, false);
    std::erase_if(answers, [](const DeviceAnswer& answer) { return answer.page == Page::provisioning; });
    QCOMPARE(read_answers(answers)->unmapped_reads_zero, true);  // as READ CAPACITY (16) says
    bytes_of(answers, Page::capacity)[14] = std::byte{0};
    QCOMPARE(read_answers(answers)->unmaps, false);
    answers = test::answers_of_an_ata_disk();
    bytes_of(answers, Page::ata)[60 + 2 * 69] = std::byte{0};  // RZAT is in the lower half
    QCOMPARE(read_answers(answers)->unmapped_reads_zero, false);
  }

  void withoutABlockSizeNothingIsCountedInBlocks() {
    auto answers = test::answers_of_a_scsi_disk();
    bytes_of(answers, Page::capacity) = Fields(32);
    const auto disk = read_answers(answers);
    QCOMPARE(disk->logical_block, std::nullopt);
    QCOMPARE(disk->max_transfer, std::nullopt);
    QCOMPARE(disk->max_unmap_ranges, 256U);
    answers = test::answers_of_an_nvme_disk();
    bytes_of(answers, Page::nvme_namespace)[128 + 4 * 17 + 2] = std::byte{63};  // blocks of 2^63
    QCOMPARE(read_answers(answers)->boundary, std::nullopt);
  }

  void aPageThatIsAnotherOrEndsBeforeIsNotReadPastItsEnd() {
    auto answers = test::answers_of_a_scsi_disk();
    bytes_of(answers, Page::limits)[1] = std::byte{0xb1};
    bytes_of(answers, Page::provisioning)[3] = std::byte{1};  // ends inside byte 5
    bytes_of(answers, Page::identification).resize(50);       // and the last name is cut off
    const auto disk = read_answers(answers);
    QCOMPARE(disk->max_transfer, std::nullopt);
    QCOMPARE(disk->thin, std::nullopt);
    QCOMPARE(disk->wwn, "eui.0025388b710116a1");
    for (const auto& whole :
         {test::answers_of_a_scsi_disk(), test::answers_of_an_ata_disk(), test::answers_of_an_nvme_disk()}) {
      for (size_t size = 0; size < 600; ++size) {
        auto cut = whole;
        for (DeviceAnswer& answer : cut) answer.bytes.resize(std::min(size, answer.bytes.size()));
        (void)read_answers(cut);
      }
    }
    QCOMPARE(read_answers({}), std::nullopt);
    QCOMPARE(read_answers({{Page::limits, test::vital_page(0xb0, 64)}}), std::nullopt);
  }

  void textsAreHarmless() {
    auto answers = test::answers_of_a_scsi_disk();
    bytes_of(answers, Page::inquiry) = Fields(36).text(8, "\x1b[2J\xff\n", 8).text(16, "  a b  ", 16);
    const auto disk = read_answers(answers);
    QCOMPARE(disk->vendor, "?[2J??");
    QCOMPARE(disk->model, "a b");
  }

  void aScsiDiskIsAskedForWhatItHasAndNothingElse() {
    AnsweringDisk disk(test::answers_of_a_scsi_disk());
    QCOMPARE(ask_scsi(disk), test::answers_of_a_scsi_disk());
    // INQUIRY and READ CAPACITY (16): nothing that reads or changes what is stored.
    for (const auto& command : disk.asked) QVERIFY(command[0] == 0x12 || (command[0] == 0x9e && command[1] == 0x10));
    AnsweringDisk small({{Page::inquiry, Fields(36)}});
    small.listed = {0x00, 0x80};  // it says so, and then refuses
    QCOMPARE(ask_scsi(small).size(), 1U);
    QCOMPARE(small.asked.size(), 6U);  // INQUIRY, its list; serial number and capacity twice
  }

  void aDiskThatWasResetIsAskedAgain() {
    AnsweringDisk disk(test::answers_of_a_scsi_disk());
    disk.unit_attentions = 1;
    QCOMPARE(ask_scsi(disk), test::answers_of_a_scsi_disk());
  }

  void aDiskThatIsGoneIsAskedOnce() {
    AnsweringDisk disk(test::answers_of_a_scsi_disk());
    disk.gone = true;
    QVERIFY(ask_scsi(disk).empty());
    QCOMPARE(disk.asked.size(), 1U);
  }

  void whatIsNoSuchDiskSaysNothing() {
    const test::TempDir dir(test::TempDir::Where::memory);
    test::write_file(dir.file("disk"), std::string(1 << 20, '\0'));
    const Descriptor file(open(dir.file("disk").c_str(), O_RDONLY | O_CLOEXEC));
    QVERIFY(ask_device(file.get()).empty());
    const auto loop = test::LoopDevice::attach(dir.file("disk"), 512);
    if (!loop) QSKIP(test::LoopDevice::why_not());
    const Descriptor device(open(loop->path().c_str(), O_RDONLY | O_CLOEXEC));
    QVERIFY(ask_device(device.get()).empty());
  }

  void fuzzingStartsFromThem() {
    const std::map<std::string, std::vector<std::byte>> seeds{
        {"scsi", test::in_one_piece(test::answers_of_a_scsi_disk())},
        {"ata", test::in_one_piece(test::answers_of_an_ata_disk())},
        {"nvme", test::in_one_piece(test::answers_of_an_nvme_disk())}};
    QCOMPARE(test::in_pieces(seeds.at("scsi")), test::answers_of_a_scsi_disk());
    QCOMPARE(test::wrong_with_seeds("device_answers", seeds), "");
  }
};

QTEST_GUILESS_MAIN(IdentifyTest)
#include "identify_test.moc"
