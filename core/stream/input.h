// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/device/block_device.h"

namespace disklathe::stream {

// The stored bytes of a stream, front to back. One thread at a time.
class Input {
 public:
  virtual ~Input() = default;

  virtual std::string_view name() const = 0;  // for error subjects

  // Some bytes, at least one; 0 at the end. Error `stopped` when it was halted while it waited for them.
  virtual Result<size_t> read(MutableBytes into) = 0;

  // All its bytes; nothing where only the end will tell. Where there is a size, bytes can be had from anywhere:
  virtual std::optional<uint64_t> size() const = 0;
  // Does not move read(). The bytes lie inside [0, size).
  virtual Result<void> read_at(uint64_t at, MutableBytes into) = 0;
  // The next read() begins at the first byte again.
  virtual void rewind() = 0;

  // Asked while a read waits for bytes that may never come: true ends the waiting. Any thread's answer. wake: a
  // descriptor that is readable when the answer is true; -1: it is asked now and then.
  void halt_when(std::function<bool()> halted, int wake = -1) {
    halted_ = std::move(halted);
    wake_ = wake;
  }

 protected:
  bool halted() const { return halted_ && halted_(); }
  int wake() const { return wake_; }

 private:
  std::function<bool()> halted_;
  int wake_ = -1;
};

// A file or a device, from `start` on.
std::unique_ptr<Input> make_file_input(BlockDevice& file, uint64_t start = 0);

// A pipe, or anything else whose bytes come one after the other. The descriptor stays the caller's.
std::unique_ptr<Input> make_pipe_input(int fd, std::string name);

}  // namespace disklathe::stream
