// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/aligned_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "core/base/arithmetic.h"

namespace disklathe {

AlignedBuffer::AlignedBuffer(size_t size, size_t alignment) {
  if (size == 0) return;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  // mmap() gives page alignment; for more, a larger piece is mapped and its ends are given back.
  const size_t wanted = round_up(size, page);
  const size_t spare = alignment > page ? alignment - page : 0;
  void* mapped = mmap(nullptr, wanted + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();  // as operator new does: nothing here can go on without memory
  auto* start = static_cast<std::byte*>(mapped);
  const size_t before = spare == 0 ? 0 : (alignment - reinterpret_cast<uintptr_t>(start) % alignment) % alignment;
  if (before > 0) munmap(start, before);
  if (spare > before) munmap(start + before + wanted, spare - before);
  data_ = start + before;
  size_ = size;
}

AlignedBuffer::AlignedBuffer(AlignedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

AlignedBuffer::~AlignedBuffer() {
  if (data_ != nullptr) munmap(data_, size_);
}

void AlignedBuffer::forget(size_t from) {
  const size_t kept = round_up(from, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  if (kept < size_) madvise(data_ + kept, size_ - kept, MADV_DONTNEED);
}

}  // namespace disklathe
