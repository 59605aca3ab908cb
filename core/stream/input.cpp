// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stream/input.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace disklathe::stream {
namespace {

constexpr int halt_check_milliseconds = 50;

class FileInput final : public Input {
 public:
  FileInput(BlockDevice& file, uint64_t start) : file_(file), start_(std::min(start, file.size())) {}

  std::string_view name() const override { return file_.name(); }

  Result<size_t> read(MutableBytes into) override {
    const size_t count = std::min<uint64_t>(into.size(), *size() - at_);
    if (auto done = read_at(at_, into.first(count)); !done) return failure(done);
    at_ += count;
    return count;
  }

  std::optional<uint64_t> size() const override { return file_.size() - start_; }
  Result<void> read_at(uint64_t at, MutableBytes into) override { return file_.read_now(start_ + at, into); }
  void rewind() override { at_ = 0; }

 private:
  BlockDevice& file_;
  const uint64_t start_;
  uint64_t at_ = 0;
};

class PipeInput final : public Input {
 public:
  PipeInput(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

  std::string_view name() const override { return name_; }

  Result<size_t> read(MutableBytes into) override {
    while (true) {
      pollfd watched[] = {{.fd = fd_, .events = POLLIN, .revents = 0}, {.fd = wake(), .events = POLLIN, .revents = 0}};
      const int ready = poll(watched, 2, halt_check_milliseconds);
      const bool nothing = ready >= 0 && watched[0].revents == 0;
      if (nothing && halted()) return failure(ErrorKind::stopped, "read", "stopped on request");
      if (nothing) continue;
      const ssize_t count = ready < 0 ? -1 : ::read(fd_, into.data(), into.size());
      if (count >= 0) return static_cast<size_t>(count);
      if (errno != EINTR && errno != EAGAIN) return failure(os_failure(errno, "read", name_));
    }
  }

  std::optional<uint64_t> size() const override { return std::nullopt; }
  Result<void> read_at(uint64_t at, MutableBytes) override {
    return failure(ErrorKind::unsupported, "read", "can only be read forward", at);
  }
  void rewind() override {}

 private:
  const int fd_;
  const std::string name_;
};

}  // namespace

std::unique_ptr<Input> make_file_input(BlockDevice& file, uint64_t start) {
  return std::make_unique<FileInput>(file, start);
}

std::unique_ptr<Input> make_pipe_input(int fd, std::string name) {
  return std::make_unique<PipeInput>(fd, std::move(name));
}

}  // namespace disklathe::stream
