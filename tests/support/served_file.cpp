// SPDX-License-Identifier: GPL-3.0-or-later
//
// The kernel's own protocol (linux/fuse.h) for a mount whose root is one regular file: no library is needed for that.
#include "tests/support/served_file.h"

#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace disklathe::test {
namespace {

constexpr size_t most_write = 128 << 10, buffer_size = most_write + 4096;
constexpr int look_ms = 20;

fuse_attr attributes(size_t size) {
  fuse_attr attr{};
  attr.ino = FUSE_ROOT_ID;
  attr.size = size;
  attr.blocks = size / 512;
  attr.mode = S_IFREG | 0600;
  attr.nlink = 1;
  attr.blksize = 4096;
  return attr;
}

}  // namespace

std::unique_ptr<ServedFile> ServedFile::mount(const std::string& folder, size_t size) {
  const int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (fuse < 0) return nullptr;
  const std::string path = folder + "/served";
  const int point = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (point >= 0) close(point);
  const std::string options = "fd=" + std::to_string(fuse) + ",rootmode=100600,user_id=0,group_id=0,allow_other";
  if (::mount("served", path.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    close(fuse);
    return nullptr;
  }
  return std::unique_ptr<ServedFile>(new ServedFile(path, fuse, size));
}

ServedFile::ServedFile(std::string path, int fuse, size_t size)
    : path_(std::move(path)), fuse_(fuse), content_(size), server_([this] { serve(); }) {}

ServedFile::~ServedFile() {
  release();
  ends_ = true;
  server_.join();
  close(fuse_);  // what still asks is told so by the kernel
  umount2(path_.c_str(), MNT_DETACH);
}

void ServedFile::hold(Request request) {
  const std::lock_guard lock(mutex_);
  held_ = request;
}

bool ServedFile::holds() {
  const std::lock_guard lock(mutex_);
  return waits_;
}

void ServedFile::release() {
  const std::lock_guard lock(mutex_);
  held_.reset();
  released_.notify_all();
}

void ServedFile::fail(Request request, int os_error) {
  const std::lock_guard lock(mutex_);
  failing_ = request;
  os_error_ = os_error;
}

void ServedFile::lie_at(size_t offset) {
  const std::lock_guard lock(mutex_);
  lie_ = offset;
}

std::vector<char> ServedFile::content() {
  const std::lock_guard lock(mutex_);
  return content_;
}

int ServedFile::take(Request request) {
  std::unique_lock lock(mutex_);
  waits_ = held_ == request;
  released_.wait(lock, [&] { return held_ != request; });
  waits_ = false;
  return failing_ == request ? os_error_ : 0;
}

void ServedFile::answer(uint64_t unique, int error, const void* data, size_t size) const {
  if (error != 0) size = 0;
  fuse_out_header header{.len = static_cast<uint32_t>(sizeof header + size), .error = -error, .unique = unique};
  const iovec vectors[] = {{&header, sizeof header}, {const_cast<void*>(data), size}};
  (void)!writev(fuse_, vectors, size ? 2 : 1);
}

void ServedFile::serve() {
  std::vector<char> buffer(buffer_size), out;
  while (true) {
    pollfd asked{.fd = fuse_, .events = POLLIN, .revents = 0};
    if (ends_) return;
    if (poll(&asked, 1, look_ms) <= 0) continue;
    const ssize_t length = read(fuse_, buffer.data(), buffer.size());
    if (length < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT)) continue;
    if (length < static_cast<ssize_t>(sizeof(fuse_in_header))) return;
    fuse_in_header header{};
    std::memcpy(&header, buffer.data(), sizeof header);
    const char* body = buffer.data() + sizeof header;
    const auto reply = [&](const auto& value) { answer(header.unique, 0, &value, sizeof value); };
    switch (header.opcode) {
      case FUSE_INIT: {
        fuse_init_in in{};
        std::memcpy(&in, body, std::min<size_t>(sizeof in, static_cast<size_t>(length) - sizeof header));
        fuse_init_out init{};
        init.major = FUSE_KERNEL_VERSION;
        init.minor = FUSE_KERNEL_MINOR_VERSION;
        init.max_readahead = in.max_readahead;
        init.flags = FUSE_BIG_WRITES | FUSE_MAX_PAGES;
        init.max_write = most_write;
        init.max_pages = most_write / 4096;
        init.max_background = 16;
        init.congestion_threshold = 12;
        init.time_gran = 1;
        reply(init);
        break;
      }
      case FUSE_SETATTR: {
        fuse_setattr_in in{};
        std::memcpy(&in, body, sizeof in);
        const std::lock_guard lock(mutex_);
        if (in.valid & FATTR_SIZE) content_.resize(in.size);
        [[fallthrough]];
      }
      case FUSE_GETATTR: {
        fuse_attr_out attr{};
        attr.attr_valid = 3600;
        attr.attr = attributes(content_.size());
        reply(attr);
        break;
      }
      case FUSE_OPEN: {
        fuse_open_out opened{};
        opened.open_flags = FOPEN_DIRECT_IO;  // what is read comes from here each time
        reply(opened);
        break;
      }
      case FUSE_READ: {
        fuse_read_in in{};
        std::memcpy(&in, body, sizeof in);
        const int error = take(Request::read);
        const std::lock_guard lock(mutex_);
        const size_t at = std::min<size_t>(in.offset, content_.size());
        const size_t size = std::min<size_t>(in.size, content_.size() - at);
        out.assign(content_.begin() + static_cast<ptrdiff_t>(at), content_.begin() + static_cast<ptrdiff_t>(at + size));
        if (lie_ && *lie_ >= at && *lie_ < at + size) out[*lie_ - at] = static_cast<char>(~out[*lie_ - at]);
        answer(header.unique, error, out.data(), size);
        break;
      }
      case FUSE_WRITE: {
        fuse_write_in in{};
        std::memcpy(&in, body, sizeof in);
        const int error = take(Request::write);
        const std::lock_guard lock(mutex_);
        const size_t at = std::min<size_t>(in.offset, content_.size());
        const size_t size = std::min<size_t>(in.size, content_.size() - at);
        if (error == 0) std::memcpy(content_.data() + at, body + sizeof in, size);
        fuse_write_out written{};
        written.size = static_cast<uint32_t>(size);
        answer(header.unique, error, &written, sizeof written);
        break;
      }
      case FUSE_FSYNC: answer(header.unique, take(Request::sync), nullptr, 0); break;
      case FUSE_FLUSH:
      case FUSE_RELEASE: answer(header.unique, 0, nullptr, 0); break;
      case FUSE_FORGET:
      case FUSE_BATCH_FORGET:
      case FUSE_INTERRUPT: break;  // these want no answer
      default: answer(header.unique, ENOSYS, nullptr, 0);
    }
  }
}

}  // namespace disklathe::test
