// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/frame.h"

#include <algorithm>
#include <iterator>

#include "core/base/endian.h"

namespace disklathe::job {

void FrameReader::add(Bytes bytes, std::vector<Descriptor> descriptors) {
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  std::ranges::move(descriptors, std::back_inserter(descriptors_));
}

Result<std::optional<Frame>> FrameReader::refused(const char* cause) {
  broken_ = true;
  descriptors_.clear();  // nobody will ask for them
  return failure(ErrorKind::invalid, "receive", cause);
}

Result<std::optional<Frame>> FrameReader::take() {
  if (broken_) return refused("the connection broke its rules before");
  if (descriptors_.size() > most_descriptors) return refused("more descriptors than a message may have");
  if (buffer_.size() < frame_header) return std::nullopt;
  const size_t length = load_le<uint32_t>(Bytes(buffer_));
  const auto count = std::to_integer<size_t>(buffer_[4]);
  if (buffer_[5] != std::byte{0} || buffer_[6] != std::byte{0} || buffer_[7] != std::byte{0})
    return refused("this is no message");
  if (length > most_frame) return refused("a message that is too long");
  if (count > most_descriptors) return refused("a message with too many descriptors");
  if (buffer_.size() < frame_header + length) return std::nullopt;
  // They came with the message's first byte.
  if (descriptors_.size() < count) return refused("the descriptors of a message are missing");

  Frame frame;
  const auto begin = buffer_.begin() + frame_header;
  const auto end = begin + static_cast<std::ptrdiff_t>(length);
  frame.bytes.assign(begin, end);
  std::move(descriptors_.begin(), descriptors_.begin() + static_cast<std::ptrdiff_t>(count),
            std::back_inserter(frame.descriptors));
  descriptors_.erase(descriptors_.begin(), descriptors_.begin() + static_cast<std::ptrdiff_t>(count));
  buffer_.erase(buffer_.begin(), end);
  return frame;
}

std::vector<std::byte> framed(Bytes message, size_t descriptors) {
  std::vector<std::byte> frame(frame_header);
  store_le(MutableBytes(frame), 0, static_cast<uint32_t>(message.size()));
  frame[4] = static_cast<std::byte>(descriptors);
  frame.insert(frame.end(), message.begin(), message.end());
  return frame;
}

}  // namespace disklathe::job
