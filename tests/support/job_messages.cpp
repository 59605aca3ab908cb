// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/job_messages.h"

#include "core/job/cbor.h"
#include "core/job/frame.h"

namespace disklathe::test {
namespace {

using namespace job;

const Error error{.kind = ErrorKind::io,
                  .operation = "read",
                  .subject = "/a/b",
                  .offset = 4096,
                  .os_error = 5,
                  .cause = "what the kernel says"};
const Reference reference{
    .kind = Reference::Kind::backing, .name = "b", .format = "raw", .by_guess = true, .identities = {"an id"}};

Inspection inspection() {
  const ImageFacts facts{
      .identity = "an id",
      .cluster_size = 65536,
      .encrypted = false,
      .dirty = true,
      .corrupt = false,
      .compressed = true,
      .bitmaps = {"bitmap"},
      .snapshots = {{.id = "1", .name = "s", .disk_size = 9, .vm_state_size = 1, .date_seconds = 2, .icount = 4}},
      .specific = {{.key = "list", .value = std::vector<Property>{{"flag", true}, {"number", 5UL}}},
                   {.key = "text", .value = "x"}},
      .warnings = {"the dirty bit is set"}};
  return {.layers = {{.name = "/a/b",
                      .format = "qcow2",
                      .probed = true,
                      .virtual_size = 10,
                      .file_size = 9,
                      .allocated = 5,
                      .facts = facts,
                      .references = {reference}}},
          .partitions = PartitionTable{.kind = PartitionTable::Kind::gpt, .sector_size = 512, .backup_at = 8192},
          .parts = {{.entry = {.number = 2, .range = {512, 1024}, .type = "0x83", .name = "root"},
                     .content = {.type = "ext4", .label = "r"}}},
          .identified = Identified{.protocol = Identified::Protocol::nvme,
                                   .vendor = "v",
                                   .model = "m",
                                   .firmware = "f",
                                   .serial = "s",
                                   .wwn = "eui.0025388b710116a1",
                                   .logical_block = 512,
                                   .max_transfer = 1,
                                   .optimal_transfer = 2,
                                   .transfer_granularity = 3,
                                   .boundary = 4,
                                   .max_write_zeroes = 5,
                                   .unmaps = true,
                                   .max_unmap = 6,
                                   .max_unmap_ranges = 7,
                                   .unmap_granularity = 8,
                                   .unmap_offset = 9,
                                   .unmapped_reads_zero = false,
                                   .thin = true,
                                   .rotation_rate = 10}};
}

std::vector<GivenFile> files_for(const Work& work) {
  const GivenFile source{.role = Role::source, .name = "a.qcow2", .direct = true};
  const GivenFile target{.role = Role::target,
                         .name = "/dev/b",
                         .writable = true,
                         .cache = CacheMode::none,
                         .replaces = 7,
                         .device = {"7:0", "5", "4096", "0", "serial", "wwn"},
                         .granted = true};
  if (std::holds_alternative<Export>(work)) return {target, {.role = Role::listener, .name = "socket"}};
  return {source, target};
}

std::string name_of(const nlohmann::json& message) {
  const std::string kind = message.begin().key();
  const nlohmann::json& content = message.begin().value();
  if (kind == "start") return kind + "-" + content["spec"]["kind"].get<std::string>();
  if (kind == "done") return kind + "-" + content["outcome"]["kind"].get<std::string>();
  return kind;
}

}  // namespace

std::vector<Work> each_work() {
  return {Inspect{.format = "qcow2", .snapshot = "s", .chain = true, .identify = true},
          Map{.range = {4096, 8192}, .file_holes = true},
          Convert{.source_format = "qcow2",
                  .snapshot = "s",
                  .format = "qcow2",
                  .options = {{"cluster_size", "64k"}},
                  .compress = true,
                  .level = 3,
                  .backing_file = "c",
                  .backing_format = "raw",
                  .verify = true,
                  .size = 1 << 20},
          Zero{.ranges = {{0, 4096}, {8192, 1}}, .method = ZeroMethod::write_zeroes, .verify = true, .seed = 7},
          Compare{.source_format = "raw", .other_format = "qcow2", .strict = true, .limit = 5},
          Sweep{.sizes = {4096, 65536}, .write = true, .lay_out = true, .depth = 4, .area = 1 << 20},
          Checksum{.format = "qcow2", .snapshot = "s", .xxh128 = false},
          Export{.format = "raw",
                 .name = "disk",
                 .description = "a disk",
                 .writable = true,
                 .part = {4096, 8192},
                 .partition = 2,
                 .connections = 7,
                 .idle_seconds = 5,
                 .once = true}};
}

std::vector<Outcome> each_outcome() {
  return {inspection(),
          Inspection{.stream = StreamFacts{.format = "gz",
                                           .description = "gzip",
                                           .virtual_size = 9,
                                           .file_size = 5,
                                           .allocated = 8,
                                           .content = "a tar archive"}},
          MapDone{.virtual_size = 3},
          Converted{.disk_size = 5, .verified = true, .garbage_at = 4},
          Zeroed{.done = {.commanded = 1, .written = 2, .found = 3, .command = ZeroMethod::punch},
                 .discarded = 4,
                 .all_read = true,
                 .nonzero_at = 9},
          Compared{.source_size = 1, .other_size = 2, .differs_at = 0},
          Swept{.points = {{.size = 4096,
                            .requests = 2,
                            .seconds = 0.1,
                            .rate = 5e9,
                            .least_rate = 4e9,
                            .most_rate = 6e9,
                            .p50 = std::chrono::nanoseconds(7)}}},
          Checksums{.size = 9, .sha256 = std::string(64, '0'), .xxh128 = std::string(32, 'a')},
          Exported{}};
}

std::vector<FromClient> each_message_of_the_client() {
  std::vector<FromClient> messages{
      Go{},
      StopJob{},
      Answer{.id = 2, .direct = true, .cache = CacheMode::none},
      Answer{.id = 3, .refusal = Error{.kind = ErrorKind::refused, .operation = "open", .cause = "no"}},
      Keep{},
      Taken{},
      Pause{},
      Resume{}};
  for (const Work& work : each_work()) messages.emplace_back(Start{.spec = {.files = files_for(work), .work = work}});
  return messages;
}

std::vector<FromWorker> each_message_of_the_worker() {
  const Work conversion = Convert{};
  std::vector<FromWorker> messages{
      Hello{.program = "0.1", .kind = Kind::sweep, .layers = {{"seccomp", true, "filter"}}},
      Reading{.phase = Phase::verify, .paused = true, .total = 9, .completed = 4},
      Note{.kind = Note::Kind::trailing_garbage, .subject = "x", .text = "gz", .offset = 3},
      Question{.id = 1, .image = "a", .reference = reference, .path = "/b"},
      Piece{.entries = {{.extent = {.kind = Extent::Kind::data, .guest = {0, 1}, .file = 1, .host = {5, 1}},
                         .layer = 2}}},
      Failed{.error = error},
      Attached{.spec = {.files = files_for(conversion), .work = conversion},
               .ran = 7,
               .phases = {{Phase::prepare, 0}, {Phase::write, 5}}}};
  for (const Outcome& outcome : each_outcome()) messages.emplace_back(Done{.outcome = outcome});
  return messages;
}

std::map<std::string, std::vector<std::byte>> encoded_messages() {
  std::map<std::string, std::vector<std::byte>> all;
  std::vector<std::byte> frames;
  const auto add = [&](const auto& message) {
    const std::vector<std::byte> bytes = encode(message);
    const std::string name = name_of(*parse_cbor(bytes));
    std::string free = name;
    for (int i = 2; all.contains(free); ++i) free = name + "-" + std::to_string(i);
    all[free] = bytes;
    if (descriptors_of(message) > 0 || all.size() % 4 != 0) return;  // a few; descriptors cannot be written down
    const auto frame = framed(bytes, 0);
    frames.insert(frames.end(), frame.begin(), frame.end());
  };
  for (const FromClient& message : each_message_of_the_client()) add(message);
  for (const FromWorker& message : each_message_of_the_worker()) add(message);
  all["frames"] = frames;
  return all;
}

}  // namespace disklathe::test
