// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/engine/progress.h"
#include "core/job/outcome.h"
#include "core/job/spec.h"

// GCC 14 takes the inactive alternatives of a variant that is moved for uninitialized; so it does in whoever moves
// these.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace disklathe::job {

// The protocol between a worker and its client (docs/adr/0014). Both ends refuse what they do not know, by name.
//
//   client                             worker
//   start (spec, descriptors) ------->  checks it, drops every right, locks itself in
//                             <-------  hello (which layers are on)
//   go                        ------->  only now an image is read or a byte written
//                             <-------  progress, note, question, piece ...
//   answer (descriptors)      ------->
//                             <-------  done or failed; the worker ends
//
// stop may come at any time, and the end of the connection means the same, unless keep was sent before. Then the worker
// lives until somebody says that the result is taken: done or failed is told to one client after the other until then.
// Whoever was told last may still say keep: it may have been said before it was heard. pause and resume come when one
// likes.
inline constexpr uint32_t protocol_version = 4;

// ---- from the worker

// One of the things that hold a worker in, and whether the kernel has it.
struct SandboxLayer {
  std::string name;    // "seccomp", "landlock", ...
  bool on = false;     // false: this kernel does not offer it
  std::string detail;  // "ABI 7"

  friend bool operator==(const SandboxLayer&, const SandboxLayer&) = default;
};

struct Hello {
  uint32_t version = protocol_version;
  std::string program;  // its version
  Kind kind = Kind::inspect;
  std::vector<SandboxLayer> layers;
};

// A look at the job's Progress; sent five times a second, and more often in the first moments.
struct Reading {
  Phase phase = Phase::prepare;
  bool paused = false;  // nothing new is begun
  uint64_t total = 0;
  bool total_known = true;
  uint64_t input = 0, input_total = 0;
  bool waits_for_input = false;
  uint64_t submitted = 0, completed = 0, zeroed = 0, skipped = 0, flushed = 0, verified = 0;
  uint64_t request_size = 0;
  Tuner::Reason request_reason = Tuner::Reason::start;
};
Reading look_at(const Progress& progress);
void apply(const Reading& reading, Progress& progress);

// May this be opened? An image names it; the answer has its descriptors, for reading.
struct Question {
  uint32_t id = 0;
  std::string image;    // whose name it is found in, as GivenFile or an answer named that
  Reference reference;  // what for, how it is written there, in which format
  std::string path;     // where it leads from that image
};

// Entries of a Map, in order.
struct Piece {
  std::vector<MapEntry> entries;
};

struct Done {
  Outcome outcome;
};

struct Failed {
  Error error;
};

// To a client that attached to a kept job: what it is. With it come back the descriptors of its target and data file,
// in the order of the spec, to be given their names when it is done.
struct Attached {
  Spec spec;
  // How long it has run, or ran, and when each phase began; nanoseconds since go, without pauses.
  uint64_t ran = 0;
  struct PhaseBegan {
    Phase phase = Phase::prepare;
    uint64_t at = 0;
  };
  std::vector<PhaseBegan> phases;
};

// ---- from the client

// With the spec's descriptors.
struct Start {
  uint32_t version = protocol_version;
  Spec spec;
};

struct Go {};
struct StopJob {};

// yes: with one descriptor, and a second one O_DIRECT where `direct`. no: the error of the image then.
struct Answer {
  uint32_t id = 0;
  bool direct = false;
  CacheMode cache = CacheMode::automatic;
  std::optional<Error> refusal;
};

// From now on the end of the connection is not the end of the job. With it comes a listening socket where the next
// client may ask.
struct Keep {};

// Of a kept job: its result was heard, and what it made has its name. It may be forgotten.
struct Taken {};

// What is under way is finished, nothing new is begun, until resume. Said in each reading.
struct Pause {};
struct Resume {};

using FromWorker = std::variant<Hello, Reading, Note, Question, Piece, Done, Failed, Attached>;
using FromClient = std::variant<Start, Go, StopJob, Answer, Keep, Taken, Pause, Resume>;

// At most this many entries in one piece.
inline constexpr size_t most_piece_entries = 512;

std::vector<std::byte> encode(const FromWorker& message);
std::vector<std::byte> encode(const FromClient& message);
// `invalid` with what is wrong, by name.
Result<FromWorker> decode_from_worker(Bytes message);
Result<FromClient> decode_from_client(Bytes message);

// How many descriptors belong to a message: it is refused with any other number.
size_t descriptors_of(const FromWorker& message);
size_t descriptors_of(const FromClient& message);

}  // namespace disklathe::job
