// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/device/block_device.h"

namespace disklathe {

// -t and -T, with qemu-img's names. What "finished" means is the engine's: all but `unsafe` are flushed.
enum class CacheMode : uint8_t {
  automatic,   // direct or buffered by policy (file_open.cpp says how)
  none,        // direct I/O
  writeback,   // page cache
  directsync,  // direct I/O, every write durable before it completes
  unsafe,      // page cache, never flushed
};
std::optional<CacheMode> cache_mode_of(std::string_view name);

struct FileOpenRequest {
  std::string path;
  bool writable = false;
  CacheMode cache = CacheMode::automatic;
  // A block device that is written is always opened O_EXCL; so is nothing else.
};

// A regular file or a block device. Holds up to two descriptors of the same file: a direct one for aligned requests
// (queued), and a buffered one for metadata and for what is not aligned (immediate).
class FileDevice final : public BlockDevice {
 public:
  static Result<std::unique_ptr<FileDevice>> open(const FileOpenRequest& request);
  // Takes over an open descriptor, also when it fails (a worker is given descriptors, never paths): not O_DIRECT;
  // O_RDWR where it is to be written, and O_DSYNC too for directsync. direct_fd: the same file O_DIRECT, taken over as
  // well; without one it is opened through /proc when it is wanted. `name` is for error subjects.
  static Result<std::unique_ptr<FileDevice>> adopt(int fd, std::string name, bool writable, CacheMode cache,
                                                   int direct_fd = -1);
  ~FileDevice() override;

  std::string_view name() const override;
  uint64_t size() const override;
  const Limits& limits() const override;
  IoMode io_mode() const override;
  Task<Result<void>> readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> zero(Ring& ring, Range range, ZeroMethod method) override;
  Task<Result<void>> flush(Ring& ring) override;
  void begin_flush(Range range) override;
  Result<void> read_now(uint64_t at, MutableBytes into) override;
  Result<void> write_now(uint64_t at, Bytes from) override;
  Result<void> flush_now() override;
  Result<Allocation> allocation(uint64_t at) override;
  bool has_holes() const override { return !is_block_device(); }
  Result<void> allocate_now(Range range) override;
  Result<void> resize(uint64_t size) override;

  // Direct requests become blocking system calls too, one at a time: for who measures those. Before the first request.
  void answer_at_once();

  bool is_block_device() const;
  // Bytes allocated on its file system; nothing for block devices.
  std::optional<uint64_t> allocated_bytes() const;
  // An error of kind `changed` when the file's size or modification time is not what it was at open(). For sources: a
  // file changes by being written to here as well.
  Result<void> unchanged_since_open() const;
  // Tells a block device that the range is not needed any more. It may read as anything afterwards: this is no way to
  // zero. `unsupported` where it cannot be told, and for files, which are punched. Blocks.
  Result<void> discard_now(Range range);
  // Drops what the page cache holds of it, so that reading back comes from the medium where that is possible.
  void drop_cache();
  // Requests whose memory was below min_mem_align and had to be copied. For tests and for the log.
  uint64_t bounces() const;
  // Same file (device and inode, or block device number) as another: source and target must differ.
  bool same_file_as(const FileDevice& other) const;
  int descriptor() const;

 private:
  struct State;
  explicit FileDevice(std::unique_ptr<State> state);
  Task<Result<void>> zero_by_writing(Ring& ring, Range range);
  Result<void> flushed(int os_error);
  Error changed_error(std::string cause, std::optional<uint64_t> offset) const;

  std::unique_ptr<State> state_;
};

}  // namespace disklathe
