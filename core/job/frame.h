// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/device/descriptor.h"

namespace disklathe::job {

// A message as it travels over a stream socket: four bytes length, one byte number of descriptors, three bytes zero
// (little-endian), then that many bytes. The descriptors come by SCM_RIGHTS with the first of them.
struct Frame {
  std::vector<std::byte> bytes;
  std::vector<Descriptor> descriptors;
};

inline constexpr size_t frame_header = 8;       // bytes
inline constexpr size_t most_frame = 1 << 20;   // bytes, of one message
inline constexpr size_t most_descriptors = 16;  // with one message

// Puts frames together of what comes, in whatever pieces. What breaks a rule (`invalid`) is the end: nothing is taken
// after it.
class FrameReader {
 public:
  // Takes over the descriptors that came with the bytes.
  void add(Bytes bytes, std::vector<Descriptor> descriptors = {});
  // The next complete frame; nothing: more has to come.
  Result<std::optional<Frame>> take();
  // How much more can be of use before take() is called.
  size_t room() const { return frame_header + most_frame - buffer_.size(); }

 private:
  Result<std::optional<Frame>> refused(const char* cause);

  std::vector<std::byte> buffer_;
  std::deque<Descriptor> descriptors_;
  bool broken_ = false;
};

// The bytes to send for a message that keeps the rules above.
std::vector<std::byte> framed(Bytes message, size_t descriptors);

}  // namespace disklathe::job
