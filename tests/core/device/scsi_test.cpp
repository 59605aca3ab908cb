// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/scsi.h"

#include <QTest>
#include <cerrno>
#include <initializer_list>

using namespace disklathe;
using namespace disklathe::scsi;

namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values, size_t size = 0) {
  std::vector<std::byte> result;
  for (const int value : values) result.push_back(static_cast<std::byte>(value));
  result.resize(std::max(size, result.size()));
  return result;
}

std::vector<std::byte> bytes(const Cdb& cdb) {
  const auto all = std::as_bytes(std::span(cdb.bytes));
  return {all.begin(), all.begin() + cdb.length};
}

// Fixed format; information is valid when it is not 0.
std::vector<std::byte> fixed(int key, int code, int qualifier, int information = 0) {
  return bytes(
      {information ? 0xf0 : 0x70, 0, key, 0, 0, information >> 8, information & 0xff, 10, 0, 0, 0, 0, code, qualifier},
      18);
}

}  // namespace

class ScsiTest : public QObject {
  Q_OBJECT

 private slots:
  void commandsAreAsTheStandardHasThem() {
    QCOMPARE(bytes(read_16(0x0102030405060708, 0x0a0b0c0d)),
             bytes({0x88, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x0a, 0x0b, 0x0c, 0x0d, 0, 0}));
    QCOMPARE(bytes(write_16(0x1ffffffff, 0x100)),
             bytes({0x8a, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0, 0, 1, 0, 0, 0}));
    QCOMPARE(bytes(read_capacity_16(32)), bytes({0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0}));
    QCOMPARE(bytes(synchronize_cache()), bytes({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    QCOMPARE(bytes(mode_sense_6(192)), bytes({0x1a, 0, 0x3f, 0, 192, 0}));
    QCOMPARE(bytes(inquiry(96)), bytes({0x12, 0, 0, 0, 96, 0}));
    QCOMPARE(bytes(inquiry_page(0xb0, 0x140)), bytes({0x12, 1, 0xb0, 1, 0x40, 0}));
  }

  void writeProtectionIsOneBitOfTheHeader() {
    QVERIFY(parse_write_protection(bytes({3, 0, 0x80, 0})));
    QVERIFY(parse_write_protection(bytes({11, 0, 0x90, 8}, 12)));
    QVERIFY(!parse_write_protection(bytes({3, 0, 0x10, 0})));
    QVERIFY(!parse_write_protection(bytes({3, 0, 0x80})));
  }

  void capacityIsOneMoreThanTheLastBlock() {
    const auto capacity = parse_capacity(bytes({0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 3}, 32));
    QVERIFY(capacity);
    QCOMPARE(capacity->blocks, 0x100000001U);
    QCOMPARE(capacity->block_size, 512U);
    QCOMPARE(capacity->physical_block, 4096U);
  }

  void anImpossibleCapacityIsRefused() {
    for (const auto& answer : {bytes({0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 2}),            // too short
                               bytes({0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0}, 32),     // blocks of 0 bytes
                               bytes({0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 2, 8}, 32),     // 520
                               bytes({0, 0, 0, 0, 0, 0, 0, 9, 0x80, 0, 0, 0}, 32),  // 2 GiB
                               bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 2, 0}, 32),
                               bytes({0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0}, 32)})
      QVERIFY(!parse_capacity(answer));
  }

  void theLargestTransferIsReadFromItsPage() {
    QCOMPARE(parse_max_transfer(bytes({0, 0xb0, 0, 0x3c, 0, 0, 0, 0, 0, 0, 4, 0}, 64)), 1024U);
    QCOMPARE(parse_max_transfer(bytes({0, 0xb0, 0, 0x3c}, 64)), std::nullopt);                          // names none
    QCOMPARE(parse_max_transfer(bytes({0, 0x80, 0, 0x3c, 0, 0, 0, 0, 0, 0, 4, 0}, 64)), std::nullopt);  // another page
    QCOMPARE(parse_max_transfer(bytes({0, 0xb0, 0, 4, 0, 0, 0, 0, 0, 0, 4, 0}, 64)), std::nullopt);     // ends before
    QCOMPARE(parse_max_transfer(bytes({0, 0xb0, 0, 8, 0, 0, 0, 0})), std::nullopt);
  }

  void senseIsReadInBothFormats() {
    const auto old_form = parse_sense(fixed(3, 0x11, 0x04, 0x1234));
    QVERIFY(old_form);
    QCOMPARE(old_form->key, SenseKey::medium_error);
    QCOMPARE(old_form->code, 0x11);
    QCOMPARE(old_form->qualifier, 0x04);
    QCOMPARE(old_form->information, 0x1234U);
    QVERIFY(!old_form->deferred);
    const auto new_form = parse_sense(bytes({0x72, 0x03, 0x11, 0x04, 0, 0, 0, 16,                 // header
                                             0x02, 2,    0,    0,                                 // a field pointer
                                             0x00, 0x0a, 0x80, 0,    0, 0, 0, 1,  2, 3, 4, 5}));  // information
    QVERIFY(new_form);
    QCOMPARE(new_form->key, SenseKey::medium_error);
    QCOMPARE(new_form->information, 0x0102030405U);
    QVERIFY(parse_sense(bytes({0x71, 0, 3, 0}, 18))->deferred);
    QVERIFY(parse_sense(bytes({0x73, 3, 0, 0}, 8))->deferred);
  }

  void senseThatMakesNoSenseIsNone() {
    QVERIFY(!parse_sense({}));
    QVERIFY(!parse_sense(bytes({0x70, 0, 3})));
    QVERIFY(!parse_sense(bytes({0x7f, 0, 3, 0})));
    QVERIFY(!parse_sense(fixed(3, 0x11, 0))->information);
    // A descriptor that claims to go on past the end.
    const auto cut = parse_sense(bytes({0x72, 3, 0x11, 0, 0, 0, 0, 0xff, 0x00, 0xff, 0x80, 0}));
    QVERIFY(cut && !cut->information);
  }

  void whatItMeansIsAnErrorOfItsKind() {
    const auto kind = [](int key, int code, int qualifier) {
      return error_of(*parse_sense(fixed(key, code, qualifier)), "read").kind;
    };
    QCOMPARE(kind(3, 0x11, 0x00), ErrorKind::io);
    QCOMPARE(kind(4, 0x44, 0x00), ErrorKind::io);
    QCOMPARE(kind(2, 0x04, 0x01), ErrorKind::busy);
    QCOMPARE(kind(2, 0x3a, 0x00), ErrorKind::vanished);
    QCOMPARE(kind(5, 0x20, 0x00), ErrorKind::unsupported);
    QCOMPARE(kind(5, 0x21, 0x00), ErrorKind::invalid);
    QCOMPARE(kind(5, 0x25, 0x00), ErrorKind::vanished);
    QCOMPARE(kind(6, 0x28, 0x00), ErrorKind::changed);
    QCOMPARE(kind(7, 0x27, 0x00), ErrorKind::permission);
    QCOMPARE(kind(7, 0x27, 0x07), ErrorKind::no_space);
    const Error medium = error_of(*parse_sense(fixed(3, 0x11, 0x00)), "read");
    QCOMPARE(medium.os_error, EIO);
    QCOMPARE(medium.cause, "medium error: unrecovered read error (sense 3/11/00)");
  }
};

QTEST_GUILESS_MAIN(ScsiTest)
#include "scsi_test.moc"
