// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/limits.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <string>

#include "core/base/arithmetic.h"

namespace disklathe {
namespace {

constexpr uint64_t largest_block = 1 << 20;     // no device has blocks larger than this
constexpr uint64_t largest_transfer = 1 << 30;  // nor an optimal request larger than this

bool is_block_size(uint64_t value) { return std::has_single_bit(value) && value >= 512 && value <= largest_block; }
bool is_memory_alignment(uint64_t value) { return std::has_single_bit(value) && value <= largest_block; }

// The attributes of a request queue: /sys/block/NAME/queue.
class Queue {
 public:
  explicit Queue(dev_t device) {
    const std::string node = "/sys/dev/block/" + std::to_string(major(device)) + ":" + std::to_string(minor(device));
    fd_ = open((node + "/queue").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    // A partition has none of its own: its disk's is one up.
    if (fd_ < 0) fd_ = open((node + "/../queue").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue() {
    if (fd_ >= 0) close(fd_);
  }

  bool exists() const { return fd_ >= 0; }

  // In the attribute's unit; nothing where it is absent or no number.
  std::optional<uint64_t> number(const char* attribute) const {
    std::array<char, 64> text{};
    const size_t length = read(attribute, text);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + length, value);
    if (error != std::errc{} || end == text.data()) return std::nullopt;
    return value;
  }

  // An attribute of `unit` bytes each. 0 stands for "none" in all those that are asked for here.
  Limit bytes(const char* attribute, uint64_t unit = 1) const {
    const std::optional<uint64_t> value = number(attribute);
    if (!value) return {};
    if (*value == 0) return {.value = std::nullopt, .source = LimitSource::sysfs};
    return {.value = checked_multiply(*value, unit), .source = LimitSource::sysfs};
  }

  bool zoned() const {
    std::array<char, 64> text{};
    const size_t length = read("zoned", text);
    return length > 0 && std::string_view(text.data(), length) != "none\n";
  }

 private:
  size_t read(const char* attribute, std::array<char, 64>& text) const {
    if (fd_ < 0) return 0;
    const int file = openat(fd_, attribute, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t length = ::read(file, text.data(), text.size());
    close(file);
    return length < 0 ? 0 : static_cast<size_t>(length);
  }

  int fd_ = -1;
};

void ask_device(int fd, Limits& limits) {
  int logical = 0;
  unsigned physical = 0;
  if (ioctl(fd, BLKSSZGET, &logical) == 0 && logical > 0) {
    limits.logical_block = {.value = static_cast<uint64_t>(logical), .source = LimitSource::ioctl};
  }
  if (ioctl(fd, BLKPBSZGET, &physical) == 0) {
    limits.physical_block = physical;
    limits.physical_source = LimitSource::ioctl;
  }
}

// What shapes requests to the device, and to files on it.
void ask_queue(const Queue& queue, Limits& limits) {
  if (!limits.logical_block.value) limits.logical_block = queue.bytes("logical_block_size");
  if (const auto physical = queue.bytes("physical_block_size").value) {
    limits.physical_block = static_cast<uint32_t>(std::min(*physical, 2 * largest_block));
    limits.physical_source = LimitSource::sysfs;
  }
  limits.minimum_io = queue.bytes("minimum_io_size");
  limits.optimal_io = queue.bytes("optimal_io_size");
  limits.max_transfer = queue.bytes("max_sectors_kb", 1024);
  limits.max_hw_transfer = queue.bytes("max_hw_sectors_kb", 1024);
  limits.max_segments = queue.bytes("max_segments");
  limits.max_segment_size = queue.bytes("max_segment_size");
  if (const auto mask = queue.number("dma_alignment")) {
    limits.dma_alignment = {.value = *mask + 1, .source = LimitSource::sysfs};
  }
  limits.chunk = queue.bytes("chunk_sectors", 512);
  if (const auto mask = queue.number("virt_boundary_mask")) {
    limits.virtual_boundary = {.value = std::nullopt, .source = LimitSource::sysfs};
    if (*mask != 0) limits.virtual_boundary.value = *mask + 1;
  }
  // Only a driver that takes requests, not bios, has a number of them; only for those the kernel splits.
  limits.queue_depth = queue.bytes("nr_requests");
  if (queue.exists()) limits.kernel_splits = limits.queue_depth.value.has_value();
  if (const auto rotational = queue.number("rotational")) limits.rotational = *rotational != 0;
}

// What only the device's owner can ask of it.
void ask_commands(const Queue& queue, Limits& limits) {
  limits.discard_granularity = queue.bytes("discard_granularity");
  limits.max_discard = queue.bytes("discard_max_bytes");
  limits.max_write_zeroes = queue.bytes("write_zeroes_max_bytes");
  limits.max_write_zeroes_unmap = queue.bytes("write_zeroes_unmap_max_bytes");
  if (queue.zoned()) limits.zone_size = limits.chunk;
  limits.alignment_offset = queue.bytes("../alignment_offset");
}

}  // namespace

std::string_view name_of(LimitSource source) {
  switch (source) {
    case LimitSource::none: return "none";
    case LimitSource::statx: return "statx";
    case LimitSource::ioctl: return "ioctl";
    case LimitSource::sysfs: return "sysfs";
    case LimitSource::probe: return "probe";
    case LimitSource::assumed: return "assumed";
  }
  return "none";
}

std::optional<DirectAlignment> direct_alignment(int fd) {
  struct statx status{};
  if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_DIOALIGN, &status) == 0 &&
      (status.stx_mask & STATX_DIOALIGN) != 0) {
    if (status.stx_dio_offset_align == 0) return std::nullopt;
    if (is_block_size(status.stx_dio_offset_align) && is_memory_alignment(status.stx_dio_mem_align)) {
      return DirectAlignment{
          .memory = status.stx_dio_mem_align, .offset = status.stx_dio_offset_align, .source = LimitSource::statx};
    }
  }
  int logical = 0;
  if (ioctl(fd, BLKSSZGET, &logical) == 0 && is_block_size(static_cast<uint64_t>(logical))) {
    const auto size = static_cast<uint32_t>(logical);
    return DirectAlignment{.memory = size, .offset = size, .source = LimitSource::ioctl};
  }
  return DirectAlignment{};  // a page suits all but a device of larger blocks
}

Limits reported_limits(int fd) {
  Limits limits;
  limits.opt_mem_align = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
  struct stat status{};
  if (fstat(fd, &status) != 0) return limits;
  const bool device = S_ISBLK(status.st_mode);
  const Queue queue(device ? status.st_rdev : status.st_dev);
  if (device) ask_device(fd, limits);
  ask_queue(queue, limits);
  if (device) ask_commands(queue, limits);
  return limits;
}

Limits reported_limits_of(dev_t device) {
  Limits limits;
  limits.opt_mem_align = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
  const Queue queue(device);
  ask_queue(queue, limits);
  ask_commands(queue, limits);
  return limits;
}

Limits read_limits(int fd) {
  Limits limits = reported_limits(fd);
  replace_absurd(limits);
  return limits;
}

void replace_absurd(Limits& limits) {
  if (limits.logical_block.value && !is_block_size(*limits.logical_block.value)) {
    limits.logical_block = {.value = 4096, .source = LimitSource::assumed};
  }
  const auto logical = static_cast<uint32_t>(limits.logical_block.value.value_or(512));
  if (!is_block_size(limits.physical_block) || limits.physical_block < logical) {
    limits.physical_block = std::max<uint32_t>(logical, 4096);
    limits.physical_source = LimitSource::assumed;
  }
  const Limit safe{.value = limits.physical_block, .source = LimitSource::assumed};
  const auto usable = [&](const Limit& limit, uint64_t unit) {
    return !limit.value || (*limit.value > 0 && *limit.value <= largest_transfer && is_multiple(*limit.value, unit));
  };
  if (!usable(limits.minimum_io, logical)) limits.minimum_io = safe;
  // USB bridges that answer 65535 blocks are the classic.
  if (!usable(limits.optimal_io, limits.physical_block)) limits.optimal_io = safe;
}

}  // namespace disklathe
