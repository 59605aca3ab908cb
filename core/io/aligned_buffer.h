// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/bytes.h"

namespace disklathe {

// Page-aligned memory for transfers, unmapped when it goes. Never shared by two requests at once: a slot owns its
// buffer, and hands it to the kernel only while it waits.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  // alignment: a power of two, at least the page size is used.
  AlignedBuffer(size_t size, size_t alignment);
  AlignedBuffer(AlignedBuffer&& other) noexcept;
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;
  ~AlignedBuffer();

  MutableBytes bytes() { return {data_, size_}; }
  MutableBytes first(size_t count) { return {data_, count}; }
  size_t size() const { return size_; }
  std::byte* data() { return data_; }

  // Gives the pages from byte `from` on back to the system; they read as zero when they are used again.
  void forget(size_t from);

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace disklathe
