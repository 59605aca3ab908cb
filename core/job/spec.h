// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/range.h"
#include "core/device/block_device.h"
#include "core/device/file_device.h"
#include "core/format/registry.h"
#include "core/stream/decoder.h"

namespace disklathe::job {

// What a worker is to do, and with which files. A spec names no file that is to be opened: each file comes as
// descriptors, and what an image names besides is asked for while the job runs (Question).

enum class Role : uint8_t {
  source,    // what is read
  other,     // what it is compared with
  target,    // what is written
  data,      // the external data file of a target that has one
  listener,  // no file: a socket that listens, where clients of an export come. There may be several
  control,   // the same, where others of this user ask who these clients are (nbd/control)
};

constexpr bool is_socket(Role role) { return role == Role::listener || role == Role::control; }

// A file, device or pipe that is handed over open: one descriptor that is not O_DIRECT, and with `direct` a second one,
// the same file O_DIRECT. A worker can open neither later.
struct GivenFile {
  Role role = Role::source;
  // For error subjects, and where names that the image gives are relative to. Never opened by a worker.
  std::string name;
  bool writable = false;  // then the descriptors are O_RDWR
  CacheMode cache = CacheMode::automatic;
  bool direct = false;
  // Of a target that has no name yet: the inode of the file that it will replace, for whoever gives it its name.
  std::optional<uint64_t> replaces;
  // Of a target that is a block device: which one (core/device/identity_words.h), for whoever looks at it afterwards.
  std::vector<std::string> device;
  // The descriptors are not in this message: who started the worker has given it them (worker's --grant).
  bool granted = false;

  friend bool operator==(const GivenFile&, const GivenFile&) = default;
};

// Looks at an image, device or stream (role source): Inspection. Nothing is asked for without `chain`.
struct Inspect {
  std::string format, snapshot;  // empty: the content tells; the current state
  bool chain = false;            // its backing files too, and with them what only the whole disk tells: partitions
  bool identify = false;         // also what a device says of itself (core/device/identify.h)
  uint64_t most_window = stream::DecoderLimits{}.most_window;

  friend bool operator==(const Inspect&, const Inspect&) = default;
};

// Where the guest's bytes are (role source): MapPiece messages in guest order, then MapDone.
struct Map {
  std::string format, snapshot;
  Range range{0, UINT64_MAX};  // what of it lies inside the disk
  bool file_holes = false;     // see ImageRequest

  friend bool operator==(const Map&, const Map&) = default;
};

// An image or stream (role source) into a file or device (role target, and data where the options name one): Converted.
struct Convert {
  std::string source_format, snapshot;
  std::string format = "raw";  // of the target
  FormatOptions options;
  bool compress = false;
  int level = 0;  // 0: the format's own choice
  std::string backing_file, backing_format;
  bool existing = false;        // the target keeps its size: a device, or a file that was there
  bool target_is_zero = false;  // it reads as zeroes wherever it is not written. A fresh file does
  uint32_t sparse_size = 4096;  // see CopyJob
  bool verify = false;          // read the target back
  bool durable = true;
  std::optional<uint64_t> size;  // of the target's disk, where a stream does not say its own
  uint64_t most_window = stream::DecoderLimits{}.most_window;

  friend bool operator==(const Convert&, const Convert&) = default;
};

// Makes ranges of the target read as zeroes and looks whether they do: Zeroed.
struct Zero {
  std::vector<Range> ranges;  // in order, apart
  std::optional<ZeroMethod> method;
  bool discard = false;  // instead: gives the space back, and promises nothing
  bool verify = false;   // reads all of it back, not only samples
  uint32_t seed = 0;     // of the samples' places

  friend bool operator==(const Zero&, const Zero&) = default;
};

// Whether two images (roles source and other) hold the same: Compared.
struct Compare {
  std::string source_format, source_snapshot, other_format;
  bool strict = false;  // sizes must be equal, too
  uint64_t limit = UINT64_MAX;

  friend bool operator==(const Compare&, const Compare&) = default;
};

// Requests of each size on the target, or read only on the source: Swept. See SweepRequest.
struct Sweep {
  std::vector<uint64_t> sizes;
  bool write = false;
  bool lay_out = false;  // write the area once before
  uint32_t depth = 1;
  uint64_t area = 0;
  uint64_t nanoseconds_per_size = 1'000'000'000;
  uint64_t bytes_per_size = UINT64_MAX;
  uint32_t rounds = 5;

  friend bool operator==(const Sweep&, const Sweep&) = default;
};

// Digests of what the disk of an image or stream (role source) holds: Checksums.
struct Checksum {
  std::string format, snapshot;
  bool sha256 = true, xxh128 = true;
  uint64_t most_window = stream::DecoderLimits{}.most_window;

  friend bool operator==(const Checksum&, const Checksum&) = default;
};

// Serves an image (role source, or target where clients may write: what has an editor, and raw disks) to NBD clients
// that come to the listeners, until it is stopped: Exported. A note says when it has begun. A
// listener's name is the URI of the export there.
struct Export {
  std::string format, snapshot;   // of what is written the format has to be said
  std::string name, description;  // of the export, see ExportRequest
  bool writable = false;
  bool changes = false;
  Range part;
  uint32_t partition = 0;  // instead of the part: the partition of this number
  // See ServerLimits; no idle time: for ever.
  uint32_t connections = 64;
  uint64_t idle_seconds = 0;
  bool once = false;

  friend bool operator==(const Export&, const Export&) = default;
};

// One row here, one in spec.cpp, one in perform.cpp: a new kind of job.
using Work = std::variant<Inspect, Map, Convert, Zero, Compare, Sweep, Checksum, Export>;
enum class Kind : uint8_t { inspect, map, convert, zero, compare, sweep, checksum, export_ };

inline constexpr uint32_t most_export_clients = 256;

struct Spec {
  std::vector<GivenFile> files;  // each role at most once, but listeners
  Work work;

  Kind kind() const { return static_cast<Kind>(work.index()); }
  const GivenFile* file(Role role) const;  // null: none

  friend bool operator==(const Spec&, const Spec&) = default;
};

std::string_view name_of(Kind kind);
std::optional<Kind> kind_of(std::string_view name);
std::string_view name_of(Role role);
std::optional<Role> role_of(std::string_view name);

// How many descriptors go with the spec.
size_t descriptors_of(const Spec& spec);

// Whether the work has the files it needs, and no others, opened for what it does to them: `invalid`, with the role.
Result<void> check_files(const Spec& spec);

}  // namespace disklathe::job
