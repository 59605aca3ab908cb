// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/block_status.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"

namespace disklathe::nbd {
namespace {

constexpr size_t max_extents = 4096;  // of one chunk
constexpr unsigned max_looks = 256;   // at the map
// Of a bitmap, for who wants one extent: what is looked up beyond it is lost, and asked for again.
constexpr uint64_t first_part_of_bitmap = 64 << 20;
// Where lengths have 32 bits: the last multiple of the largest block.
constexpr uint64_t longest_extent = 0xffff0000;

struct Status {
  uint64_t length;
  uint32_t value;
};

uint32_t value_of(const Run& run, uint32_t context) {
  if (context == 1) return run.depth;
  return (run.zero ? uint32_t{status_zero} : 0) | (run.allocated ? 0 : uint32_t{status_hole});
}

Result<std::vector<Run>> look_up(Access& access, const Request& request, Dialect dialect) {
  std::vector<Run> runs;
  // One extent of a compact reply is all that can be told at once, and a map may be costly.
  const uint64_t most = dialect == Dialect::extended ? request.length : std::min(request.length, longest_extent);
  const uint64_t end = request.offset + most;
  // The run at the start, and the one that ends it: what lies behind would be looked up anew for each of the client's
  // requests. More at a time where like follows like.
  size_t at_once = request.has(req_one) ? 2 : max_runs;
  uint64_t at = request.offset;
  for (unsigned look = 0; at < end && runs.size() < max_extents && look < max_looks; ++look) {
    if (auto mapped = access.map(Range::between(at, end), Look::at_files, at_once, runs); !mapped)
      return failure(mapped);
    at = runs.back().range.end();
    // What is wanted is the run at the start, and it has ended.
    if (request.has(req_one) && value_of(runs.front(), 0) != value_of(runs.back(), 0)) break;
    at_once = std::min(2 * at_once, max_runs);
  }
  return runs;
}

std::vector<Status> statuses_of(const std::vector<Run>& runs, uint32_t context, bool only_one) {
  std::vector<Status> statuses;
  for (const Run& run : runs) {
    const uint32_t value = value_of(run, context);
    if (!statuses.empty() && statuses.back().value == value) {
      statuses.back().length += run.range.length;
      continue;
    }
    if (statuses.size() == (only_one ? 1 : max_extents)) break;
    statuses.push_back({run.range.length, value});
  }
  return statuses;
}

// As look_up() and statuses_of().
Result<std::vector<Status>> marks_of(Access& access, size_t bitmap, const Request& request, Dialect dialect) {
  std::vector<Mark> marks;
  const uint64_t most = dialect == Dialect::extended ? request.length : std::min(request.length, longest_extent);
  const uint64_t end = request.offset + most;
  uint64_t part = request.has(req_one) ? first_part_of_bitmap : most;
  uint64_t at = request.offset;
  for (unsigned look = 0; at < end && marks.size() < max_extents && look < max_looks; ++look) {
    const Range want{at, std::min(part, end - at)};
    if (auto mapped = access.map_bitmap(bitmap, want, marks); !mapped) return failure(mapped);
    part = part > most / 2 ? most : 2 * part;
    at = marks.back().range.end();
    if (request.has(req_one) && marks.front().set != marks.back().set) break;
  }
  std::vector<Status> statuses;
  for (const Mark& mark : marks) {
    const uint32_t value = mark.set ? status_dirty : 0;
    if (!statuses.empty() && statuses.back().value == value) {
      statuses.back().length += mark.range.length;
      continue;
    }
    if (statuses.size() == (request.has(req_one) ? 1 : max_extents)) break;
    statuses.push_back({mark.range.length, value});
  }
  return statuses;
}

void append_chunk(const std::vector<Status>& statuses, uint32_t id, const Request& request, Dialect dialect,
                  ChunkFlag flag, std::vector<std::byte>& output) {
  const bool extended = dialect == Dialect::extended;
  const size_t entry = extended ? 16 : 8;
  const size_t fixed = extended ? 8 : 4;
  const size_t payload = fixed + statuses.size() * entry;
  const size_t start = output.size();
  output.resize(start + max_reply_header + payload);
  MutableBytes to = MutableBytes(output).subspan(start);
  size_t at =
      put_chunk(to, dialect, request, flag, extended ? Chunk::block_status_extended : Chunk::block_status, payload);
  output.resize(start + at + payload);
  store_be(to, at, id);
  if (extended) store_be(to, at + 4, static_cast<uint32_t>(statuses.size()));
  at += fixed;
  for (const Status& status : statuses) {
    if (extended) {
      store_be(to, at, status.length);
      store_be(to, at + 8, uint64_t{status.value});
    } else {
      store_be(to, at, static_cast<uint32_t>(status.length));
      store_be(to, at + 4, status.value);
    }
    at += entry;
  }
}

}  // namespace

Result<void> append_block_status(Access& access, const Terms& terms, const Request& request,
                                 std::vector<std::byte>& output) {
  const std::vector<uint32_t>& contexts = terms.agreement.contexts;
  Result<std::vector<Run>> runs;
  if (std::ranges::any_of(contexts, [](uint32_t context) { return context < bitmap_contexts; })) {
    runs = look_up(access, request, terms.dialect());
    if (!runs) return std::unexpected(runs.error());
  }
  for (const uint32_t context : contexts) {
    Result<std::vector<Status>> statuses;
    if (context < bitmap_contexts)
      statuses = statuses_of(*runs, context, request.has(req_one));
    else
      statuses = marks_of(access, context - bitmap_contexts, request, terms.dialect());
    if (!statuses) return std::unexpected(statuses.error());
    const ChunkFlag flag = context == contexts.back() ? done : more;
    append_chunk(*statuses, context + 1, request, terms.dialect(), flag, output);
  }
  return {};
}

}  // namespace disklathe::nbd
