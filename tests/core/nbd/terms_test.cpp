// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/terms.h"

#include <QTest>

using namespace disklathe;
using namespace disklathe::nbd;

class TermsTest : public QObject {
  Q_OBJECT

  static constexpr uint64_t size = 100 << 20;

  static Code judge(Command command, uint64_t offset, uint64_t length, unsigned flags = 0, bool writable = true,
                    Dialect dialect = Dialect::structured) {
    const ExportInfo info{.size = size, .writable = writable};
    const Agreement agreement{.dialect = dialect, .contexts = {0}};
    const Request request{.flags = static_cast<uint16_t>(flags),
                          .type = static_cast<uint16_t>(command),
                          .offset = offset,
                          .length = length};
    return check(request, {info, agreement});
  }

 private slots:
  void nothingReachesPastTheEnd() {
    for (const Command command :
         {Command::read, Command::write, Command::trim, Command::write_zeroes, Command::cache, Command::block_status}) {
      const bool takes_space = command == Command::write || command == Command::write_zeroes;
      const Code past = takes_space ? Code::no_space : Code::invalid;
      QCOMPARE(judge(command, size - 1, 1), Code::ok);
      QCOMPARE(judge(command, size - 1, 2), past);
      QCOMPARE(judge(command, size, 1), past);
      QCOMPARE(judge(command, UINT64_MAX, 1), past);
      QCOMPARE(judge(command, UINT64_MAX - 10, UINT32_MAX), past);
      QCOMPARE(judge(command, 0, UINT64_MAX), past);
      QCOMPARE(judge(command, 5, 0), Code::invalid);
    }
  }

  void payloadsAreBoundedAndNothingElse() {
    QCOMPARE(judge(Command::read, 0, max_payload), Code::ok);
    QCOMPARE(judge(Command::read, 0, max_payload + 1), Code::overflow);
    QCOMPARE(judge(Command::read, 0, max_payload + 1, 0, true, Dialect::simple), Code::invalid);
    QCOMPARE(judge(Command::write, 0, max_payload), Code::ok);
    QCOMPARE(judge(Command::write, 0, max_payload + 1), Code::invalid);
    QCOMPARE(judge(Command::write_zeroes, 0, size), Code::ok);
    QCOMPARE(judge(Command::trim, 0, size), Code::ok);
  }

  // QEMU 10 leaves the flag out that extended headers ask for, and sends the payload.
  void aWriteHasItsPayloadWithAndWithoutTheFlag() {
    const ExportInfo info{.size = size, .writable = true};
    const Agreement agreement{.dialect = Dialect::extended};
    for (const uint16_t flags : {uint16_t{0}, uint16_t{payload_length}}) {
      const Request request{.flags = flags, .type = static_cast<uint16_t>(Command::write), .length = 512};
      QCOMPARE(check(request, {info, agreement}), Code::ok);
      QCOMPARE(payload_of(request, {info, agreement}), uint64_t{512});
    }
    const Request read{.type = static_cast<uint16_t>(Command::read), .length = 512};
    QCOMPARE(payload_of(read, {info, agreement}), uint64_t{0});
  }

  void readOnlyExportsAreNotWritten() {
    for (const Command command : {Command::write, Command::write_zeroes, Command::trim})
      QCOMPARE(judge(command, 0, 512, 0, false), Code::not_permitted);
    QCOMPARE(judge(Command::flush, 0, 0, 0, false), Code::ok);
  }

  void flagsBelongToTheirCommands() {
    QCOMPARE(judge(Command::write, 0, 512, fua), Code::ok);
    QCOMPARE(judge(Command::write, 0, 512, no_hole), Code::invalid);
    QCOMPARE(judge(Command::write_zeroes, 0, 512, fua | no_hole | fast_zero), Code::ok);
    QCOMPARE(judge(Command::read, 0, 512, df), Code::ok);
    QCOMPARE(judge(Command::read, 0, 512, df, true, Dialect::simple), Code::invalid);
    QCOMPARE(judge(Command::read, 0, 512, payload_length, true, Dialect::extended), Code::invalid);
    QCOMPARE(judge(Command::write, 0, 512, payload_length, true, Dialect::extended), Code::ok);
    QCOMPARE(judge(static_cast<Command>(8), 0, 512), Code::invalid);
    QCOMPARE(judge(static_cast<Command>(0xffff), 0, 512), Code::invalid);
  }
};

QTEST_GUILESS_MAIN(TermsTest)
#include "terms_test.moc"
