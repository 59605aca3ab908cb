// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/digest_line.h"

#include <algorithm>
#include <array>

namespace disklathe {
namespace {

// What a run of zeroes is made of, and how many bytes are gone through before somebody who waits for the end is heard.
constexpr size_t chunk_size = 64 << 10;
constexpr std::array<std::byte, chunk_size> zeroes{};

}  // namespace

DigestLine::DigestLine(std::unique_ptr<Digest> digest, By by, const JobState& state,
                       std::atomic<uint64_t>* gone_through)
    : digest_(std::move(digest)), by_(by), state_(state), gone_through_(gone_through) {
  if (by_ == By::own_thread) thread_ = std::jthread([this] { work(); });
}

DigestLine::~DigestLine() { close(); }

void DigestLine::put(uint64_t index, std::shared_ptr<const DiskPart> part) {
  {
    const std::scoped_lock lock(mutex_);
    if (abandoned_) return;
    waiting_.emplace(index, std::move(part));
    if (index != next_ || busy_) return;
    if (by_ == By::own_thread) return changed_.notify_one();
    busy_ = true;
  }
  work();
}

void DigestLine::abandon() {
  std::map<uint64_t, std::shared_ptr<const DiskPart>> dropped;  // their leases go back outside of the lock
  const std::scoped_lock lock(mutex_);
  abandoned_ = true;
  dropped.swap(waiting_);
  changed_.notify_one();
}

void DigestLine::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  changed_.notify_one();
}

std::string DigestLine::finish() {
  close();
  if (thread_.joinable()) thread_.join();
  return digest_->finish();
}

// The next part of the disk, which the line's own thread waits for; null when there are no more, or none now.
std::shared_ptr<const DiskPart> DigestLine::take() {
  std::unique_lock lock(mutex_);
  if (by_ == By::own_thread) changed_.wait(lock, [this] { return closed_ || abandoned_ || waiting_.contains(next_); });
  const auto found = waiting_.find(next_);
  if (found == waiting_.end()) {
    busy_ = false;
    return nullptr;
  }
  ++next_;
  return std::move(waiting_.extract(found).mapped());
}

void DigestLine::work() {
  while (const std::shared_ptr<const DiskPart> part = take()) add(*part);
}

void DigestLine::add(const DiskPart& part) {
  for (uint64_t done = 0; done < part.length && !state_.over();) {
    const uint64_t count = std::min<uint64_t>(part.length - done, chunk_size);
    digest_->add(part.bytes.empty() ? Bytes(zeroes).first(count) : part.bytes.subspan(done, count));
    done += count;
    if (gone_through_) *gone_through_ += count;
  }
}

}  // namespace disklathe
