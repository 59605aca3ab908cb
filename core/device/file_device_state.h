// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <mutex>
#include <string>

#include "core/device/descriptor.h"
#include "core/device/file_device.h"

namespace disklathe {

// What open() found, and the two descriptors.
//
// How they stay coherent on one file. The kernel writes dirty pages of a range back before a direct read of it, and
// drops the range's pages before and after a direct write; so what was completed through one descriptor is seen through
// the other. What it cannot resolve is a page that is written through both at once. So no page ever is: a direct write
// takes whole pages (write_align), whatever smaller unit the device allows, and everything else goes through the page
// cache. Requests that overlap in their bytes are the caller's to order, as on any device.
struct FileDevice::State {
  std::string name;
  bool writable = false;
  bool block_device = false;
  CacheMode cache = CacheMode::automatic;
  Descriptor buffered;
  Descriptor direct;  // absent: everything is buffered
  Limits limits;
  uint32_t write_align = 1;  // of direct writes: offset_align, at least a page
  IoMode direct_mode = IoMode::queued;
  struct stat opened{};
  // Of a block device its entry in /sys, held open: it cannot be read any more once the device is gone, also by who may
  // open nothing.
  Descriptor sysfs_size;

  std::atomic<uint64_t> size = 0;
  std::atomic<uint64_t> bounces = 0;
  std::atomic<int> flush_error = 0;  // the kernel tells of a lost write once; it stays lost

  std::mutex page_parts;  // held while a part of a page is completed and written

  enum class Route : uint8_t { direct, bounce, buffered };
  Route route(uint64_t at, uint64_t length, std::span<const iovec> vectors, uint32_t align) const;

  FileHandle queue() const { return {.fd = direct.get(), .mode = direct_mode}; }
  // A file system serves one fallocate() of a file after the other; those that wait in a queue only spin for their
  // turn.
  FileHandle allocator() const {
    return {.fd = buffered.get(), .mode = block_device ? control().mode : IoMode::immediate};
  }
  // For what needs no alignment (fallocate, fdatasync), but should not hold up a ring.
  FileHandle control() const { return {.fd = buffered.get(), .mode = direct.open() ? direct_mode : IoMode::immediate}; }

  Result<void> gate(std::string_view operation, uint64_t at, uint64_t length) const;
  Result<void> gate_write(std::string_view operation, uint64_t at, uint64_t length) const;
  Result<void> write_buffered(uint64_t at, std::span<const iovec> vectors);
  Task<Result<void>> write_bounced(Ring& ring, uint64_t at, std::span<const iovec> vectors);
  Task<Result<void>> read_bounced(Ring& ring, uint64_t at, std::span<const iovec> vectors);
  // A page that another program is just reading survives the dropping of pages after a direct write.
  bool cache_may_be_stale() const;

  // The error with its subject, and with the device's end told from its illness by asking the kernel again.
  std::unexpected<Error> explained(Result<void>& result) const;
  bool vanished() const;
  bool vanished_after(int os_error) const;
  bool became_read_only(const Error& error) const;
};

// The size in bytes of what is open, by asking the kernel now.
Result<uint64_t> current_size(int fd, bool block_device, std::string_view name);

}  // namespace disklathe
