// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/message.h"

#include <QTest>

#include "core/job/cbor.h"
#include "tests/support/job_messages.h"

using namespace disklathe;
using namespace disklathe::job;
using nlohmann::json;

namespace {

Spec conversion() {
  return {
      .files = {{.role = Role::source, .name = "a.qcow2", .direct = true},
                {.role = Role::target, .name = "b.raw", .writable = true, .cache = CacheMode::none}},
      .work = Convert{
          .source_format = "qcow2", .options = {{"cluster_size", "64k"}}, .level = 3, .verify = true, .size = 1 << 20}};
}

json as_json(const Spec& spec) { return *parse_cbor(encode(FromClient(Start{.spec = spec}))); }

QString refusal(const json& message) {
  const auto decoded = decode_from_client(cbor_of(message));
  if (decoded) return "(accepted)";
  return decoded.error().kind == ErrorKind::invalid ? QString::fromStdString(decoded.error().cause) : "(other kind)";
}

}  // namespace

class MessageTest : public QObject {
  Q_OBJECT

 private slots:
  void everySpecComesBackAsItWas() {
    for (const Work& work : test::each_work()) {
      const Spec spec{.files = conversion().files, .work = work};
      const auto decoded = decode_from_client(encode(FromClient(Start{.spec = spec})));
      QVERIFY(decoded);
      QVERIFY(std::get<Start>(*decoded).spec == spec);
    }
  }

  void everyMessageOfTheClientComesBackAsItsKind() {
    for (const FromClient& message : test::each_message_of_the_client()) {
      const auto decoded = decode_from_client(encode(message));
      QVERIFY(decoded);
      QCOMPARE(decoded->index(), message.index());
    }
    const Answer no{.id = 3, .refusal = Error{.kind = ErrorKind::refused, .cause = "no"}};
    const auto answer = decode_from_client(encode(FromClient(no)));
    QCOMPARE(std::get<Answer>(*answer).refusal->cause, "no");
  }

  void everyMessageOfTheWorkerComesBackAsItsKind() {
    for (const FromWorker& message : test::each_message_of_the_worker()) {
      const auto decoded = decode_from_worker(encode(message));
      QVERIFY2(decoded, decoded ? "" : decoded.error().cause.c_str());
      QCOMPARE(decoded->index(), message.index());
    }
  }

  void whatAnInspectionFoundComesBack() {
    const Outcome outcome = test::each_outcome().front();
    const auto& sent = std::get<Inspection>(outcome);
    const auto message = decode_from_worker(encode(FromWorker(Done{.outcome = outcome})));
    QVERIFY(message);
    const auto& received = std::get<Inspection>(std::get<Done>(*message).outcome);
    const LayerFacts& layer = received.layers.at(0);
    QCOMPARE(layer.facts.snapshots[0].name, "s");
    QCOMPARE(std::get<uint64_t>(std::get<3>(layer.facts.specific[0].value)[1].value), 5U);
    QCOMPARE(layer.references[0].name, "b");
    QCOMPARE(received.parts.at(0).entry, sent.parts[0].entry);
    QCOMPARE(received.parts.at(0).content, sent.parts[0].content);
    QVERIFY(received.identified == sent.identified);
  }

  void everyOutcomeComesBack() {
    for (const Outcome& outcome : test::each_outcome()) {
      const auto decoded = decode_from_worker(encode(FromWorker(Done{.outcome = outcome})));
      QVERIFY2(decoded, decoded ? "" : decoded.error().cause.c_str());
      QCOMPARE(std::get<Done>(*decoded).outcome.index(), outcome.index());
      QCOMPARE(encode(*decoded), encode(FromWorker(Done{.outcome = outcome})));
    }
  }

  void whatIsNotKnownIsRefusedByItsName() {
    json message = as_json(conversion());
    message["start"]["spec"]["work"]["shell"] = "rm";
    QCOMPARE(refusal(message), "\"shell\" is not known");
    message = as_json(conversion());
    message["start"]["spec"]["files"][0]["path"] = "/etc/shadow";
    QCOMPARE(refusal(message), "\"path\" is not known");
    QCOMPARE(refusal({{"format-disk", json::object()}}), "a message of a kind that is not known");
    message = as_json(conversion());
    message["go"] = json::object();
    QCOMPARE(refusal(message), "a message that does not say what it is");
  }

  void whatIsMissingOrOfAnotherTypeIsRefusedByItsName() {
    json message = as_json(conversion());
    message["start"]["spec"]["work"].erase("verify");
    QCOMPARE(refusal(message), "\"verify\" is missing");
    message = as_json(conversion());
    message["start"]["spec"]["work"]["verify"] = 1;
    QCOMPARE(refusal(message), "\"verify\" is neither true nor false");
    message = as_json(conversion());
    message["start"]["spec"]["work"]["size"] = "1M";
    QCOMPARE(refusal(message), "\"size\" is no whole number");
    message = as_json(conversion());
    message["start"]["spec"]["files"][0]["role"] = "helper";
    QCOMPARE(refusal(message), "\"role\" is none of those there are");
    message = as_json(conversion());
    message["start"]["spec"] = 5;
    QVERIFY(refusal(message) != "(accepted)");
  }

  void numbersOutOfBoundsAreRefusedByName() {
    json message = as_json(conversion());
    message["start"]["spec"]["work"]["size"] = UINT64_MAX;
    QCOMPARE(refusal(message), "\"size\" is out of bounds");
    message = as_json(conversion());
    message["start"]["spec"]["work"]["level"] = -1;
    QCOMPARE(refusal(message), "\"level\" is no whole number within bounds");
    message = as_json({.files = {}, .work = Zero{.ranges = {{5, UINT64_MAX}}}});
    QCOMPARE(refusal(message), "\"length\" is out of bounds");
    message = as_json({.files = {}, .work = Zero{.ranges = {{5, 10}, {14, 1}}}});
    QCOMPARE(refusal(message), "\"ranges\" are not in order, or overlap");
    message = as_json(conversion());
    message["start"]["spec"]["files"][0]["name"] = std::string(5000, 'a');
    QCOMPARE(refusal(message), "\"name\" is no text, or a longer one than is taken");
  }

  void whatIsNoDigestIsRefused() {
    for (const char* text : {"abc", "0123456789ABCDEF0123456789ABCDEF", "\x1b[2J56789abcdef0123456789abcdef"}) {
      json message = *parse_cbor(encode(FromWorker(Done{.outcome = Checksums{.size = 9}})));
      message["done"]["outcome"]["result"]["xxh128"] = text;
      const auto decoded = decode_from_worker(cbor_of(message));
      QVERIFY(!decoded);
      QCOMPARE(decoded.error().cause, "\"xxh128\" is no digest");
    }
  }

  void anotherReleaseIsTold() {
    json message = as_json(conversion());
    message["start"]["version"] = protocol_version + 1;
    message["start"]["what_is_new"] = true;
    QCOMPARE(refusal(message), "\"version\" is that of another release");
  }

  void whatAnImageSaysIsCutToWhatIsTaken() {
    const auto decoded = decode_from_worker(encode(FromWorker(Failed{.error = {.cause = std::string(1 << 20, 'x')}})));
    QVERIFY(decoded);
    QCOMPARE(std::get<Failed>(*decoded).error.cause.size(), 4096U);
  }

  void deepNestingIsRefusedBeforeItIsParsed() {
    const std::vector<std::byte> nested(200000, std::byte{0x81});
    QVERIFY(!decode_from_client(nested));
  }

  void lengthsThatAreNotThereAreRefused() {
    for (const std::vector<uint8_t>& bytes : std::vector<std::vector<uint8_t>>{
             {},
             {0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},        // an array of 2^64 - 1
             {0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},        // a map
             {0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x61},  // a text
             {0x9f, 0xff},                                                  // of indefinite length
             {0xa1, 0x01, 0x01},                                            // a key that is no text
             {0xa2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x01},                    // the same key twice
             {0xa0, 0x00},                                                  // something after the end
             {0xc0, 0x61, 0x61},                                            // a tag
         }) {
      const auto parsed = parse_cbor(std::as_bytes(std::span(bytes)));
      QVERIFY(!parsed);
      QCOMPARE(parsed.error().kind, ErrorKind::invalid);
    }
  }

  void aJobHasTheFilesThatItNeedsAndNoOthers() {
    QVERIFY(check_files(conversion()));
    Spec spec = conversion();
    spec.files.pop_back();
    QCOMPARE(check_files(spec).error().cause, "the file \"target\" is missing");
    spec = conversion();
    spec.files[0].writable = true;
    QCOMPARE(check_files(spec).error().cause, "the file \"source\" is to be read only");
    spec = conversion();
    spec.files.push_back({.role = Role::other});
    QCOMPARE(check_files(spec).error().cause, "the file \"other\" has no use here");
    spec = conversion();
    spec.files.push_back(spec.files[0]);
    QCOMPARE(check_files(spec).error().cause, "the file \"source\" comes twice");
  }

  void progressIsTheSameOnBothSides() {
    Progress here, there;
    here.phase = Phase::write;
    here.total = 100;
    here.completed = 40;
    here.skipped = 2;
    here.request_size = 4096;
    apply(look_at(here), there);
    QCOMPARE(there.position(), here.position());
    QCOMPARE(there.total.load(), 100U);
    QCOMPARE(there.request_size.load(), 4096U);
  }
};

QTEST_GUILESS_MAIN(MessageTest)
#include "message_test.moc"
