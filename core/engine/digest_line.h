// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/base/bytes.h"
#include "core/engine/digest.h"
#include "core/engine/workers.h"
#include "core/io/buffer_pool.h"

namespace disklathe {

// A part of a disk on its way to its digests; its buffer goes back when the last of them is done with it.
struct DiskPart {
  uint64_t length = 0;
  Bytes bytes;  // none: zeroes
  std::optional<BufferPool::Lease> lease;
};

// Takes the digest of a disk. Its parts may come in any order; those that came too early wait.
class DigestLine {
 public:
  // Who does: a thread of its own, as a slow one needs; or whoever brings the part that is next, so that a fast one is
  // spared the way from core to core.
  enum class By : uint8_t { own_thread, bringer };

  // gone_through: where the line counts its bytes; null: it does not.
  DigestLine(std::unique_ptr<Digest> digest, By by, const JobState& state, std::atomic<uint64_t>* gone_through);
  ~DigestLine();
  DigestLine(const DigestLine&) = delete;
  DigestLine& operator=(const DigestLine&) = delete;

  // index: 0, 1, 2, ... in the order of the disk, without gaps. Any thread.
  void put(uint64_t index, std::shared_ptr<const DiskPart> part);
  // Drops what waits and what is still put: their leases go back. Any thread, more than once.
  void abandon();
  // Those were all: waits for the digest, which is of no moment when the job is over before its end.
  std::string finish();

 private:
  void work();
  std::shared_ptr<const DiskPart> take();
  void close();
  void add(const DiskPart& part);

  const std::unique_ptr<Digest> digest_;
  const By by_;
  const JobState& state_;
  std::atomic<uint64_t>* const gone_through_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint64_t, std::shared_ptr<const DiskPart>> waiting_;
  uint64_t next_ = 0;
  bool closed_ = false, abandoned_ = false;
  bool busy_ = false;    // somebody who brought a part goes on with those behind it
  std::jthread thread_;  // the last: it uses all of the above
};

}  // namespace disklathe
