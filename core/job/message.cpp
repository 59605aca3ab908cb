// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/message.h"

#include <array>

#include "core/job/cbor.h"
#include "core/job/describe.h"

namespace disklathe::job {
namespace {

constexpr std::array<std::pair<std::string_view, ErrorKind>, 14> error_kinds{{{"io", ErrorKind::io},
                                                                              {"not-found", ErrorKind::not_found},
                                                                              {"permission", ErrorKind::permission},
                                                                              {"busy", ErrorKind::busy},
                                                                              {"no-space", ErrorKind::no_space},
                                                                              {"vanished", ErrorKind::vanished},
                                                                              {"changed", ErrorKind::changed},
                                                                              {"corrupt", ErrorKind::corrupt},
                                                                              {"unsupported", ErrorKind::unsupported},
                                                                              {"invalid", ErrorKind::invalid},
                                                                              {"refused", ErrorKind::refused},
                                                                              {"differs", ErrorKind::differs},
                                                                              {"stopped", ErrorKind::stopped},
                                                                              {"crashed", ErrorKind::crashed}}};
constexpr std::array<std::pair<std::string_view, Phase>, 6> phases{{{"prepare", Phase::prepare},
                                                                    {"measure", Phase::measure},
                                                                    {"write", Phase::write},
                                                                    {"flush", Phase::flush},
                                                                    {"verify", Phase::verify},
                                                                    {"done", Phase::done}}};
constexpr std::array<std::pair<std::string_view, Tuner::Reason>, 5> reasons{
    {{"start", Tuner::Reason::start},
     {"trying", Tuner::Reason::trying},
     {"faster", Tuner::Reason::faster},
     {"settled", Tuner::Reason::settled},
     {"slow-request", Tuner::Reason::slow_request}}};

constexpr size_t most_layers = 32, most_word = 256;
constexpr size_t most_phases = 16;
constexpr uint64_t most_time = uint64_t{1} << 62;  // nanoseconds: fits a clock's reading

// In the order of the variants.
constexpr std::array<std::string_view, 8> worker_names{"hello", "progress", "note",   "question",
                                                       "piece", "done",     "failed", "attached"};
constexpr std::array<std::string_view, 8> client_names{"start", "go",    "stop",  "answer",
                                                       "keep",  "taken", "pause", "resume"};
static_assert(worker_names.size() == std::variant_size_v<FromWorker>);
static_assert(client_names.size() == std::variant_size_v<FromClient>);

// {"done": {...}}: one member, which says what it is.
template <class Message, size_t N>
std::vector<std::byte> encode_as(const std::array<std::string_view, N>& names, const Message& message) {
  nlohmann::json outer = nlohmann::json::object();
  outer[std::string(names[message.index()])] = std::visit([](const auto& m) { return written_object(m); }, message);
  return cbor_of(outer);
}

template <class Message, size_t I = 0, size_t N>
Result<Message> decode_member(const std::array<std::string_view, N>& names, const std::string& name,
                              nlohmann::json& member) {
  if constexpr (I == N) {
    return failure(ErrorKind::invalid, "receive", "a message of a kind that is not known");
  } else {
    if (name != names[I]) return decode_member<Message, I + 1>(names, name, member);
    auto read = read_object<std::variant_alternative_t<I, Message>>(std::move(member));
    if (!read) return failure(read);
    return Message(std::in_place_index<I>, std::move(*read));
  }
}

template <class Message, size_t N>
Result<Message> decode_as(const std::array<std::string_view, N>& names, Bytes bytes) {
  auto parsed = parse_cbor(bytes);
  if (!parsed) return failure(parsed);
  if (!parsed->is_object() || parsed->size() != 1)
    return failure(ErrorKind::invalid, "receive", "a message that does not say what it is");
  return decode_member<Message>(names, parsed->begin().key(), parsed->begin().value());
}

}  // namespace

// Static, not in the nameless namespace: Archive has to find them.
static void describe(Archive& archive, SandboxLayer& layer) {
  archive.text("name", layer.name, most_word);
  archive.flag("on", layer.on);
  archive.text("detail", layer.detail, most_word);
}

static void describe(Archive& archive, Hello& message) {
  archive.number("version", message.version, 0, UINT32_MAX);
  archive.text("program", message.program, most_word);
  archive.choice("kind", message.kind, kind_names());
  archive.list("layers", message.layers, most_layers);
}

static void describe(Archive& archive, Reading& message) {
  archive.choice("phase", message.phase, phases);
  archive.flag("paused", message.paused);
  archive.number("total", message.total, 0, UINT64_MAX);
  archive.flag("total_known", message.total_known);
  archive.number("input", message.input, 0, UINT64_MAX);
  archive.number("input_total", message.input_total, 0, UINT64_MAX);
  archive.flag("waits_for_input", message.waits_for_input);
  archive.number("submitted", message.submitted, 0, UINT64_MAX);
  archive.number("completed", message.completed, 0, UINT64_MAX);
  archive.number("zeroed", message.zeroed, 0, UINT64_MAX);
  archive.number("skipped", message.skipped, 0, UINT64_MAX);
  archive.number("flushed", message.flushed, 0, UINT64_MAX);
  archive.number("verified", message.verified, 0, UINT64_MAX);
  archive.number("request_size", message.request_size, 0, UINT64_MAX);
  archive.choice("request_reason", message.request_reason, reasons);
}

static void describe(Archive& archive, Question& message) {
  archive.number("id", message.id, 0, UINT32_MAX);
  archive.text("image", message.image, most_text);
  archive.object("reference", message.reference);
  archive.text("path", message.path, 2 * most_text);
}

static void describe(Archive& archive, Piece& message) { archive.list("entries", message.entries, most_piece_entries); }
static void describe(Archive& archive, Done& message) { archive.object("outcome", message.outcome); }
static void describe(Archive& archive, Failed& message) { archive.object("error", message.error); }

static void describe(Archive& archive, Attached::PhaseBegan& began) {
  archive.choice("phase", began.phase, phases);
  archive.number("at", began.at, 0, most_time);
}

static void describe(Archive& archive, Attached& message) {
  archive.object("spec", message.spec);
  archive.number("ran", message.ran, 0, most_time);
  archive.list("phases", message.phases, most_phases);
}

static void describe(Archive& archive, Start& message) {
  archive.number("version", message.version, 0, UINT32_MAX);
  // Of another version nothing else is known.
  if (archive.reading() && message.version != protocol_version)
    return archive.refuse("version", "is that of another release");
  archive.object("spec", message.spec);
}

static void describe(Archive&, Go&) {}
static void describe(Archive&, StopJob&) {}
static void describe(Archive&, Keep&) {}
static void describe(Archive&, Taken&) {}
static void describe(Archive&, Pause&) {}
static void describe(Archive&, Resume&) {}

static void describe(Archive& archive, Answer& message) {
  archive.number("id", message.id, 0, UINT32_MAX);
  archive.flag("direct", message.direct);
  archive.choice("cache", message.cache, cache_names());
  archive.object("refusal", message.refusal);
}

void describe(Archive& archive, Error& error) {
  archive.choice("kind", error.kind, error_kinds);
  archive.text("operation", error.operation, most_word);
  archive.text("subject", error.subject, most_text);
  archive.number("offset", error.offset, 0, UINT64_MAX);
  archive.number("os_error", error.os_error, 0, 4095);
  archive.text("cause", error.cause, most_text);
}

Reading look_at(const Progress& progress) {
  return {.phase = progress.phase,
          .total = progress.total,
          .total_known = progress.total_known,
          .input = progress.input,
          .input_total = progress.input_total,
          .waits_for_input = progress.waits_for_input,
          .submitted = progress.submitted,
          .completed = progress.completed,
          .zeroed = progress.zeroed,
          .skipped = progress.skipped,
          .flushed = progress.flushed,
          .verified = progress.verified,
          .request_size = progress.request_size,
          .request_reason = progress.request_reason};
}

void apply(const Reading& reading, Progress& progress) {
  progress.total = reading.total;
  progress.total_known = reading.total_known;
  progress.input = reading.input;
  progress.input_total = reading.input_total;
  progress.waits_for_input = reading.waits_for_input;
  progress.submitted = reading.submitted;
  progress.completed = reading.completed;
  progress.zeroed = reading.zeroed;
  progress.skipped = reading.skipped;
  progress.flushed = reading.flushed;
  progress.verified = reading.verified;
  progress.request_size = reading.request_size;
  progress.request_reason = reading.request_reason;
  progress.phase = reading.phase;
}

std::vector<std::byte> encode(const FromWorker& message) { return encode_as(worker_names, message); }
std::vector<std::byte> encode(const FromClient& message) { return encode_as(client_names, message); }
Result<FromWorker> decode_from_worker(Bytes message) { return decode_as<FromWorker>(worker_names, message); }
Result<FromClient> decode_from_client(Bytes message) { return decode_as<FromClient>(client_names, message); }

size_t descriptors_of(const FromWorker& message) {
  const auto* attached = std::get_if<Attached>(&message);
  if (!attached) return 0;
  size_t count = 0;
  for (const GivenFile& file : attached->spec.files)
    if (file.writable && !file.granted) ++count;
  return count;
}

size_t descriptors_of(const FromClient& message) {
  if (const auto* start = std::get_if<Start>(&message)) return descriptors_of(start->spec);
  if (const auto* answer = std::get_if<Answer>(&message)) return answer->refusal ? 0 : answer->direct ? 2 : 1;
  return std::holds_alternative<Keep>(message) ? 1 : 0;
}

}  // namespace disklathe::job
