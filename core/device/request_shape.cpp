// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/request_shape.h"

#include <algorithm>

#include "core/base/arithmetic.h"

namespace disklathe {
namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t bio_vectors = 256;  // BIO_MAX_VECS

// The limits of one queue as the splitting uses them; "no limit" is the largest number.
struct Cutter {
  uint64_t logical, physical, transfer, segments, segment_size, chunk;
  bool splits;

  explicit Cutter(const Limits& limits)
      : logical(limits.logical_block.value.value_or(512)),
        physical(limits.physical_block),
        transfer(std::max(limits.max_transfer.value.value_or(UINT64_MAX), logical)),
        segments(limits.max_segments.value.value_or(UINT64_MAX)),
        segment_size(limits.max_segment_size.value.value_or(UINT64_MAX)),
        chunk(limits.chunk.value.value_or(UINT64_MAX)),
        splits(limits.kernel_splits.value_or(true)) {}

  struct Cut {
    uint64_t length;
    SplitCause cause;
  };

  // How much of the bio [at, at + left) becomes one command; at counts from the start of the disk.
  Cut cut(uint64_t at, uint64_t left, uint64_t memory_piece) const {
    Cut cut{.length = left, .cause = SplitCause::vectors};
    if (!splits) return cut;
    const uint64_t room = chunk == UINT64_MAX ? UINT64_MAX : chunk - at % chunk;
    const uint64_t most = std::min(transfer, room);
    if (most < cut.length) {
      // get_max_io_size(): ends on a physical block where one lies within reach.
      const uint64_t from = at % physical;
      const uint64_t to = round_down(from + most, physical);
      cut = {.length = to > from ? to - from : round_down(most, logical),
             .cause = room < transfer ? SplitCause::chunk : SplitCause::transfer};
    }
    const uint64_t piece = std::min(memory_piece, segment_size);
    const uint64_t reach = checked_multiply(segments, piece).value_or(UINT64_MAX);
    if (reach < cut.length)
      cut = {.length = std::max(round_down(reach, logical), logical), .cause = SplitCause::segments};
    return cut;
  }

  uint64_t segments_of(uint64_t length, uint64_t memory_piece) const {
    return divide_up(length, std::min(memory_piece, segment_size));
  }

  bool may_merge(uint64_t at, uint64_t length, uint64_t segments_together) const {
    const uint64_t room = chunk == UINT64_MAX ? UINT64_MAX : chunk - at % chunk;
    return splits && length <= std::min(transfer, room) && segments_together <= segments;
  }
};

// One command as it grows: whole bios that follow are merged into it while they fit.
struct Command {
  uint64_t at = 0, length = 0, segments = 0;
};

RequestShape::Commands commands_of(const Cutter& cutter, Range request, uint64_t start, uint64_t memory_piece,
                                   uint64_t bio_size) {
  RequestShape::Commands commands;
  Command command;
  SplitCause cause = SplitCause::vectors;  // why the command before ended
  uint64_t bio_end = request.at;
  for (uint64_t at = request.at; at < request.end();) {
    const bool begins_bio = at == bio_end;
    if (begins_bio) bio_end = at + std::min(bio_size, request.end() - at);
    const auto cut = cutter.cut(start + at, bio_end - at, memory_piece);
    const uint64_t length = std::min(cut.length, bio_end - at), segments = cutter.segments_of(length, memory_piece);
    // A piece that was cut off is marked not to be merged; so only a whole bio joins what is before it.
    const bool whole = begins_bio && length == bio_end - at;
    if (commands.count != 0 && whole &&
        cutter.may_merge(start + command.at, command.length + length, command.segments + segments)) {
      command.length += length;
      command.segments += segments;
    } else {
      if (commands.count != 0 && commands.splits.size() < most_splits_listed) commands.splits.push_back({at, cause});
      ++commands.count;
      command = {.at = at, .length = length, .segments = segments};
    }
    at += length;
    cause = at == bio_end ? SplitCause::vectors : cut.cause;
  }
  return commands;
}

// The physical blocks at both ends that the request covers only in part.
std::vector<Range> partial_blocks(const Limits& limits, Range request, uint64_t start) {
  std::vector<Range> blocks;
  const uint64_t physical = limits.physical_block;
  const uint64_t shift = (start + physical - limits.alignment_offset.value.value_or(0) % physical) % physical;
  const auto begin_of = [&](uint64_t at) { return at - std::min(at, (at + shift) % physical); };
  const auto end_of = [&](uint64_t begin, uint64_t at) {
    return begin + physical - (begin == 0 && at < physical ? shift : 0);
  };
  for (const uint64_t at : {request.at, request.end()}) {
    if ((at + shift) % physical == 0) continue;
    const uint64_t begin = begin_of(at);
    const Range block = Range::between(begin, end_of(begin, at));
    if (blocks.empty() || !(blocks.back() == block)) blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

std::string_view name_of(SplitCause cause) {
  switch (cause) {
    case SplitCause::transfer: return "transfer";
    case SplitCause::segments: return "segments";
    case SplitCause::chunk: return "chunk";
    case SplitCause::vectors: return "vectors";
  }
  return "transfer";
}

Result<RequestShape> shape_of_request(const Limits& limits, Range request, uint64_t start) {
  const Cutter cutter(limits);
  if (request.empty() || request.length > largest_request || request.at > UINT64_MAX - request.length ||
      start > UINT64_MAX - request.end()) {
    return failure(ErrorKind::invalid, "shape the request", "a request has 1 to 2147479552 bytes, on the device",
                   request.at);
  }
  if (!is_multiple(request.at, cutter.logical) || !is_multiple(request.length, cutter.logical)) {
    return failure(ErrorKind::invalid, "shape the request",
                   "direct requests begin and end on logical blocks of " + std::to_string(cutter.logical) + " bytes",
                   request.at);
  }
  return RequestShape{.contiguous = commands_of(cutter, request, start, UINT64_MAX, UINT64_MAX),
                      .scattered = commands_of(cutter, request, start, page, page * bio_vectors),
                      .read_modify_write = partial_blocks(limits, request, start)};
}

}  // namespace disklathe
