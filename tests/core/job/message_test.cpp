// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/message.h"

#include <QTest>

#include "core/job/cbor.h"

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
    const std::vector<Work> works = {
        Inspect{.format = "qcow2", .snapshot = "s", .chain = true},
        Map{.range = {4096, 8192}, .file_holes = true},
        std::get<Convert>(conversion().work),
        Zero{.ranges = {{0, 4096}, {8192, 1}}, .method = ZeroMethod::write_zeroes, .verify = true, .seed = 7},
        Compare{.source_format = "raw", .other_format = "qcow2", .strict = true, .limit = 5},
        Sweep{.sizes = {4096, 65536}, .write = true, .lay_out = true, .depth = 4, .area = 1 << 20},
        Checksum{.format = "qcow2", .snapshot = "s", .xxh128 = false},
        Export{.format = "raw",
               .name = "disk",
               .writable = true,
               .part = {4096, 8192},
               .partition = 2,
               .connections = 7,
               .idle_seconds = 5,
               .once = true},
    };
    QCOMPARE(works.size(), std::variant_size_v<Work>);
    for (const Work& work : works) {
      const Spec spec{.files = conversion().files, .work = work};
      const auto decoded = decode_from_client(encode(FromClient(Start{.spec = spec})));
      QVERIFY(decoded);
      QVERIFY(std::get<Start>(*decoded).spec == spec);
    }
  }

  void everyMessageOfTheClientComesBackAsItsKind() {
    const std::vector<FromClient> messages = {
        Start{.spec = conversion()},
        Go{},
        StopJob{},
        Answer{.id = 3, .refusal = Error{.kind = ErrorKind::refused, .cause = "no"}},
        Keep{},
        Taken{},
        Pause{},
        Resume{}};
    QCOMPARE(messages.size(), std::variant_size_v<FromClient>);
    for (const FromClient& message : messages) {
      const auto decoded = decode_from_client(encode(message));
      QVERIFY(decoded);
      QCOMPARE(decoded->index(), message.index());
    }
    const auto answer = decode_from_client(encode(messages[3]));
    QCOMPARE(std::get<Answer>(*answer).refusal->cause, "no");
  }

  void everyMessageOfTheWorkerComesBackAsItsKind() {
    Inspection inspection;
    inspection.layers.push_back({.name = "a", .format = "qcow2", .virtual_size = 10, .allocated = 5});
    inspection.layers[0].facts.snapshots.push_back({.id = "1", .name = "s", .icount = 4});
    inspection.layers[0].facts.specific.push_back(
        {.key = "list", .value = std::vector<Property>{{"", true}, {"", 5UL}}});
    inspection.layers[0].references.push_back({.name = "b", .format = "raw"});
    inspection.partitions = PartitionTable{.kind = PartitionTable::Kind::gpt, .sector_size = 512};
    inspection.parts.push_back({.entry = {.number = 2, .range = {512, 1024}, .type = "0x83", .name = "root"},
                                .content = {.type = "ext4", .label = "r"}});
    const std::vector<FromWorker> messages = {
        Hello{.program = "0.1", .kind = Kind::sweep, .layers = {{"seccomp", true, ""}}},
        Reading{.phase = Phase::verify, .paused = true, .total = 9},
        Note{.kind = Note::Kind::trailing_garbage, .subject = "x", .text = "gz", .offset = 3},
        Question{.id = 1, .image = "a", .reference = {.name = "b"}, .path = "/b"},
        Piece{.entries = {{.extent = {.kind = Extent::Kind::data, .guest = {0, 1}, .host = {5, 1}}, .layer = 2}}},
        Done{.outcome = inspection},
        Failed{.error = os_failure(ENOSPC, "write", "x", 5)},
        Attached{.spec = conversion()}};
    QCOMPARE(messages.size(), std::variant_size_v<FromWorker>);
    for (const FromWorker& message : messages) {
      const auto decoded = decode_from_worker(encode(message));
      QVERIFY2(decoded, decoded ? "" : decoded.error().cause.c_str());
      QCOMPARE(decoded->index(), message.index());
    }
    const auto done = decode_from_worker(encode(messages[5]));
    const auto& layer = std::get<Inspection>(std::get<Done>(*done).outcome).layers[0];
    QCOMPARE(layer.facts.snapshots[0].name, "s");
    QCOMPARE(std::get<uint64_t>(std::get<3>(layer.facts.specific[0].value)[1].value), 5U);
    QCOMPARE(layer.references[0].name, "b");
    const auto& part = std::get<Inspection>(std::get<Done>(*done).outcome).parts.at(0);
    QCOMPARE(part.entry, inspection.parts[0].entry);
    QCOMPARE(part.content, inspection.parts[0].content);
  }

  void everyOutcomeComesBack() {
    const std::vector<Outcome> outcomes = {
        Inspection{.stream = StreamFacts{.format = "gz"}},
        MapDone{.virtual_size = 3},
        Converted{.disk_size = 5, .verified = true, .garbage_at = 4},
        Zeroed{.done = {.commanded = 1, .command = ZeroMethod::punch}, .all_read = true, .nonzero_at = 9},
        Compared{.source_size = 1, .differs_at = 0},
        Swept{.points = {{.size = 4096,
                          .requests = 2,
                          .seconds = 0.1,
                          .rate = 5e9,
                          .least_rate = 4e9,
                          .most_rate = 6e9,
                          .p50 = std::chrono::nanoseconds(7)}}},
        Checksums{.size = 9, .xxh128 = std::string(32, 'a')},
        Exported{}};
    QCOMPARE(outcomes.size(), std::variant_size_v<Outcome>);
    for (const Outcome& outcome : outcomes) {
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
