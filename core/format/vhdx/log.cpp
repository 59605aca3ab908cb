// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vhdx/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/base/crc32c.h"
#include "core/base/endian.h"

namespace disklathe::vhdx {
namespace {

constexpr uint64_t sector_size = 4096;
constexpr uint64_t read_at_once = 64 << 10;  // bytes of an entry
constexpr size_t entry_header_size = 64, descriptor_size = 32;
constexpr uint64_t max_file_size = uint64_t{1} << 62;  // no sum of offsets below wraps

// The header of an entry.
struct Entry {
  uint64_t at = 0;  // in the log, bytes
  uint32_t length = 0, tail = 0, descriptors = 0;
  uint64_t sequence_number = 0, flushed_size = 0, last_size = 0;

  uint64_t descriptor_sectors() const {
    return divide_up(entry_header_size + uint64_t{descriptors} * descriptor_size, sector_size);
  }
};

std::string_view signature_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), 4}; }

std::unexpected<Error> corrupt(uint64_t at, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), at);
}

class Log {
 public:
  Log(BlockDevice& file, const Header& header)
      : file_(file),
        id_(header.log_id),
        at_(header.log_offset),
        length_(header.log_length),
        broken_(length_ / sector_size) {}

  Result<std::unique_ptr<ReplayedFile>> replay() {
    if (at_ > file_.size() || length_ > file_.size() - at_) return corrupt(at_, "the log does not lie inside the file");
    auto active = find_active();
    if (!active) return failure(active);
    Patches patches;
    uint64_t size = file_.size();
    for (const Entry& entry : *active) {
      if (entry.flushed_size > file_.size())
        return corrupt(host(entry.at), fmt::format("the file was cut off: it has {} bytes, the log knows {}",
                                                   file_.size(), entry.flushed_size));
      if (entry.last_size > max_file_size) return corrupt(host(entry.at), "the log's file size makes no sense");
      size = std::max(size, entry.last_size);
      if (auto applied = apply(entry, patches); !applied) return failure(applied);
    }
    return std::make_unique<ReplayedFile>(file_, std::move(patches), size);
  }

 private:
  // Where byte `at` of the log is in the file. The log is a ring.
  uint64_t host(uint64_t at) const { return at_ + at % length_; }

  Result<void> read_sector(uint64_t at, MutableBytes sector) { return file_.read_now(host(at), sector); }

  // The sequence of entries, each the one after the last, that has the highest number and its own tail in it: from
  // there on. An entry that is not whole ends a sequence, and is no error.
  Result<std::vector<Entry>> find_active() {
    std::vector<Entry> active;
    for (uint64_t tail = 0; tail < length_;) {
      std::vector<Entry> sequence;
      uint64_t used = 0;  // by the sequence: it may go once round
      while (used < length_) {
        auto entry = entry_at((tail + used) % length_);
        if (!entry) return failure(entry);
        if (!*entry || (*entry)->length > length_ - used) break;
        if (!sequence.empty() && (*entry)->sequence_number != sequence.back().sequence_number + 1) break;
        used += (*entry)->length;
        sequence.push_back(**entry);
      }
      if (!sequence.empty()) {
        const auto first = std::ranges::find(sequence, sequence.back().tail, &Entry::at);
        const bool newer = active.empty() || sequence.back().sequence_number > active.back().sequence_number;
        if (first != sequence.end() && newer) active.assign(first, sequence.end());
      }
      tail += std::max(used, sector_size);
    }
    if (active.empty()) return corrupt(at_, "the log is not empty, and none of its entries is whole");
    return active;
  }

  // The entry that begins there; nothing: there is no whole one.
  Result<std::optional<Entry>> entry_at(uint64_t at) {
    std::array<std::byte, sector_size> sector;
    if (auto read = read_sector(at, sector); !read) return failure(read);
    Entry entry{.at = at,
                .length = load_le<uint32_t>(sector, 8),
                .tail = load_le<uint32_t>(sector, 12),
                .descriptors = load_le<uint32_t>(sector, 24),
                .sequence_number = load_le<uint64_t>(sector, 16),
                .flushed_size = load_le<uint64_t>(sector, 48),
                .last_size = load_le<uint64_t>(sector, 56)};
    if (signature_of(sector) != "loge" || load_uuid(sector, 32) != id_ || entry.sequence_number == 0 ||
        entry.length == 0 || !is_multiple(entry.length, sector_size) || entry.length > length_ ||
        entry.tail >= length_ || !is_multiple(entry.tail, sector_size) ||
        entry.descriptor_sectors() * sector_size > entry.length)
      return std::nullopt;

    // Entries that claim much and are broken must not cost the square of the log's length. Whole ones do not overlap,
    // and the search goes once round, then perhaps round again to where it began.
    if (broken_[at / sector_size]) return std::nullopt;
    summed_ += entry.length;
    if (summed_ > 3 * length_) return corrupt(host(at), "the log consists of broken entries");
    const auto stored = load_le<uint32_t>(sector, 4);
    store_le(sector, 4, uint32_t{0});
    auto sum = sum_of(at + sector_size, entry.length - sector_size, crc32c(sector));
    if (!sum) return failure(sum);
    if (*sum == stored) return entry;
    broken_[at / sector_size] = true;
    return std::nullopt;
  }

  Result<uint32_t> sum_of(uint64_t at, uint64_t length, uint32_t sum) {
    std::vector<std::byte> bytes;
    while (length > 0) {
      bytes.resize(std::min({read_at_once, length, length_ - at % length_}));
      if (auto read = file_.read_now(host(at), bytes); !read) return failure(read);
      sum = crc32c(bytes, sum);
      at += bytes.size();
      length -= bytes.size();
    }
    return sum;
  }

  Result<void> apply(const Entry& entry, Patches& patches) {
    std::array<std::byte, sector_size> sector;
    uint64_t data = entry.descriptor_sectors();  // the next data sector of the entry
    for (uint64_t i = 0; i < entry.descriptors; ++i) {
      const uint64_t offset = entry_header_size + i * descriptor_size, within = offset % sector_size;
      if (i == 0 || within == 0) {
        if (auto read = read_sector(entry.at + round_down(offset, sector_size), sector); !read) return read;
      }
      const Bytes descriptor = Bytes(sector).subspan(within, descriptor_size);
      const uint64_t descriptor_at = host(entry.at + offset);
      const auto to = load_le<uint64_t>(descriptor, 16);
      const std::string_view kind = signature_of(descriptor);
      const uint64_t length = kind == "zero" ? load_le<uint64_t>(descriptor, 8) : sector_size;
      if ((kind != "zero" && kind != "desc") || load_le<uint64_t>(descriptor, 24) != entry.sequence_number ||
          !is_multiple(to, sector_size) || !is_multiple(length, sector_size) || to > max_file_size ||
          length > max_file_size)
        return corrupt(descriptor_at, fmt::format("descriptor {} of a log entry makes no sense", i));
      if (patches.full()) return corrupt(descriptor_at, "the log has more pages than this program replays");
      if (kind == "zero") {
        if (length > 0) patches.put({to, length}, {});
        continue;
      }
      if ((data + 1) * sector_size > entry.length)
        return corrupt(descriptor_at, "a log entry has fewer data sectors than descriptors");
      const uint64_t sector_at = host(entry.at + data * sector_size);
      if (auto right = check_data_sector(sector_at, entry); !right) return right;
      patches.put({to, sector_size}, {.descriptor_at = descriptor_at, .sector_at = sector_at});
      ++data;
    }
    return {};
  }

  // Its sequence number is in two halves, at its start and at its end: a sector that was written by half is noticed.
  Result<void> check_data_sector(uint64_t at, const Entry& entry) {
    std::array<std::byte, sector_size> sector;
    if (auto read = file_.read_now(at, sector); !read) return read;
    const uint64_t number = uint64_t{load_le<uint32_t>(sector, 4)} << 32 | load_le<uint32_t>(sector, sector_size - 4);
    if (signature_of(sector) == "data" && number == entry.sequence_number) return {};
    return corrupt(at, "a data sector of the log does not belong to its entry");
  }

  BlockDevice& file_;
  const Uuid id_;
  const uint64_t at_, length_;
  std::vector<bool> broken_;  // a bit a sector of the log: the entry that begins there is known not to be whole
  uint64_t summed_ = 0;       // bytes that checksums were made of
};

}  // namespace

Result<std::unique_ptr<ReplayedFile>> replay_log(BlockDevice& file, const Header& header) {
  return Log(file, header).replay();
}

}  // namespace disklathe::vhdx
