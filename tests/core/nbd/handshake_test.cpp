// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/handshake.h"

#include <QTest>

#include "core/base/endian.h"

using namespace disklathe;
using namespace disklathe::nbd;

namespace {

using Message = std::vector<std::byte>;

void add(Message& to, auto value) {
  to.resize(to.size() + sizeof value);
  store_be(MutableBytes(to), to.size() - sizeof value, value);
}
void add_text(Message& to, std::string_view text) {
  for (const char c : text) to.push_back(static_cast<std::byte>(c));
}
Message flags(uint32_t value = 3) {
  Message message;
  add(message, value);
  return message;
}
Message option(Option kind, const Message& data = {}) {
  Message message;
  add(message, option_magic);
  add(message, static_cast<uint32_t>(kind));
  add(message, static_cast<uint32_t>(data.size()));
  message.insert(message.end(), data.begin(), data.end());
  return message;
}
Message go_data(std::string_view name) {
  Message data;
  add(data, static_cast<uint32_t>(name.size()));
  add_text(data, name);
  add(data, uint16_t{0});
  return data;
}
Message meta_data(std::string_view name, std::initializer_list<std::string_view> queries) {
  Message data;
  add(data, static_cast<uint32_t>(name.size()));
  add_text(data, name);
  add(data, static_cast<uint32_t>(queries.size()));
  for (const std::string_view query : queries) {
    add(data, static_cast<uint32_t>(query.size()));
    add_text(data, query);
  }
  return data;
}

// Types of the replies in it.
std::vector<OptionReply> replies(Bytes output) {
  std::vector<OptionReply> found;
  while (output.size() >= 20) {
    found.push_back(static_cast<OptionReply>(load_be<uint32_t>(output, 12)));
    output = output.subspan(20 + load_be<uint32_t>(output, 16));
  }
  return found;
}

}  // namespace

class HandshakeTest : public QObject {
  Q_OBJECT

  ExportInfo first_{.name = "", .size = 1000, .contexts = {"base:allocation", "qemu:allocation-depth"}};
  ExportInfo second_{.name = "two", .size = 2000, .writable = true, .contexts = {"base:allocation"}};

  Handshake fresh(TlsMode tls = TlsMode::none) { return Handshake({&first_, &second_}, tls); }

  static std::vector<OptionReply> say(Handshake& handshake, const Message& message) {
    Message output;
    handshake.advance(message, output);
    return replies(output);
  }

 private slots:
  void takesNothingUntilAMessageIsWhole() {
    Handshake handshake = fresh();
    Message all = flags();
    const Message go = option(Option::go, go_data("two"));
    all.insert(all.end(), go.begin(), go.end());
    Message pending, output;
    for (size_t i = 0; i < all.size(); ++i) {
      QCOMPARE(handshake.state(), Handshake::State::negotiating);
      pending.push_back(all[i]);
      const size_t taken = handshake.advance(pending, output);
      QVERIFY(taken == 0 || taken == pending.size());
      if (taken > 0) pending.clear();
    }
    QCOMPARE(handshake.state(), Handshake::State::transmitting);
    QCOMPARE(handshake.agreement().export_index, size_t{1});
  }

  void leavesWhatFollowsToTransmission() {
    Handshake handshake = fresh();
    Message all = flags();
    const Message go = option(Option::go, go_data(""));
    all.insert(all.end(), go.begin(), go.end());
    const size_t handshake_size = all.size();
    all.resize(all.size() + 28);
    Message output;
    QCOMPARE(handshake.advance(all, output), handshake_size);
  }

  void unknownClientFlagsEndIt() {
    Handshake handshake = fresh();
    say(handshake, flags(7));
    QCOMPARE(handshake.state(), Handshake::State::closing);
  }

  void contextsStayWithTheirExport() {
    Handshake handshake = fresh();
    say(handshake, flags());
    say(handshake, option(Option::structured_reply));
    say(handshake, option(Option::set_meta_context, meta_data("", {"qemu:allocation-depth", "no:such"})));
    say(handshake, option(Option::go, go_data("")));
    QCOMPARE(handshake.agreement().contexts, std::vector<uint32_t>{1});

    Handshake other = fresh();
    say(other, flags());
    say(other, option(Option::structured_reply));
    say(other, option(Option::set_meta_context, meta_data("", {"base:allocation"})));
    say(other, option(Option::go, go_data("two")));
    QVERIFY(other.agreement().contexts.empty());
  }

  void aLaterSelectionReplacesTheEarlierOneEvenWhenItFails() {
    Handshake handshake = fresh();
    say(handshake, flags());
    say(handshake, option(Option::structured_reply));
    say(handshake, option(Option::set_meta_context, meta_data("", {"base:allocation"})));
    QCOMPARE(say(handshake, option(Option::set_meta_context, Message(3))), std::vector{OptionReply::invalid});
    say(handshake, option(Option::go, go_data("")));
    QVERIFY(handshake.agreement().contexts.empty());
  }

  void extendedHeadersAreNotTakenBack() {
    Handshake handshake = fresh();
    say(handshake, flags());
    QCOMPARE(say(handshake, option(Option::extended_headers)), std::vector{OptionReply::ack});
    QCOMPARE(say(handshake, option(Option::structured_reply)), std::vector{OptionReply::extended_required});
    say(handshake, option(Option::export_name));
    QCOMPARE(handshake.state(), Handshake::State::closing);
  }

  void beforeRequiredTlsNothingElseIsAnswered() {
    Handshake handshake = fresh(TlsMode::required);
    say(handshake, flags());
    for (const Option kind : {Option::list, Option::info, Option::go, Option::structured_reply, Option(99)})
      QCOMPARE(say(handshake, option(kind, go_data(""))), std::vector{OptionReply::tls_required});
    QCOMPARE(say(handshake, option(Option::start_tls)), std::vector{OptionReply::ack});
    QCOMPARE(handshake.state(), Handshake::State::start_tls);
  }

  void tlsForgetsWhatWasSaidBefore() {
    // As if a selective server had let the client negotiate first.
    Handshake handshake = fresh(TlsMode::none);
    say(handshake, flags());
    say(handshake, option(Option::extended_headers));
    say(handshake, option(Option::set_meta_context, meta_data("", {"base:allocation"})));
    handshake.tls_started();
    say(handshake, option(Option::go, go_data("")));
    QCOMPARE(handshake.agreement().dialect, Dialect::simple);
    QVERIFY(handshake.agreement().contexts.empty());
  }

  void readOnlyExportsDoNotOfferWriting() {
    const unsigned reading = transmission_flags(first_, Dialect::structured);
    const unsigned writing = transmission_flags(second_, Dialect::structured);
    QVERIFY((reading & read_only) != 0 && (reading & (send_trim | send_write_zeroes | send_fast_zero)) == 0);
    QVERIFY((writing & read_only) == 0 && (writing & send_write_zeroes) != 0 && (writing & send_fast_zero) != 0);
    QVERIFY((transmission_flags(first_, Dialect::simple) & send_df) == 0);
  }
};

QTEST_GUILESS_MAIN(HandshakeTest)
#include "handshake_test.moc"
