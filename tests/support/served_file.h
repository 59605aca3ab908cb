// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace disklathe::test {

// A file that this process serves (FUSE), so that a test says when its medium answers, and what: it holds back writes,
// syncs or reads for as long as it likes, fails, or forgets what was written. A loop device over it is a disk that does
// so. Needs root and /dev/fuse. When the test ends in the middle the kernel fails what still waits.
class ServedFile {
 public:
  // Null where there can be none; why_not() says why. size in bytes; all zero.
  static std::unique_ptr<ServedFile> mount(const std::string& folder, size_t size);
  static const char* why_not() { return "no file can be served here: needs root and /dev/fuse"; }
  ServedFile(const ServedFile&) = delete;
  ServedFile& operator=(const ServedFile&) = delete;
  ~ServedFile();

  enum class Request { read, write, sync };
  // The next request of that sort waits until release(), and all others after it.
  void hold(Request request);
  bool holds();  // one of them waits
  void release();

  void fail(Request request, int os_error);  // from the next one on
  void lie_at(size_t offset);                // what is read there is not what was written

  const std::string& path() const { return path_; }
  std::vector<char> content();

 private:
  ServedFile(std::string path, int fuse, size_t size);
  void serve();
  void answer(uint64_t unique, int error, const void* data, size_t size) const;
  int take(Request request);  // waits, if it is to; then the error it is to have

  const std::string path_;
  const int fuse_;
  std::mutex mutex_;
  std::condition_variable released_;
  std::optional<Request> held_, failing_;
  int os_error_ = 0;
  bool waits_ = false;
  std::atomic<bool> ends_ = false;
  std::optional<size_t> lie_;
  std::vector<char> content_;
  std::thread server_;
};

}  // namespace disklathe::test
