// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/target_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <optional>

#include "core/device/descriptor.h"
#include "core/device/system_files.h"

namespace disklathe {
namespace {

constexpr mode_t fresh_mode = 0666;  // less the umask, as for any new file
constexpr int max_links = 40;        // symbolic ones on the way, as the kernel allows
constexpr int name_attempts = 100;

Error target_failure(int os_error, std::string_view subject, std::string cause = {}) {
  Error error = os_failure(os_error, "create", subject);
  error.cause = std::move(cause);
  return error;
}

struct Location {
  std::string folder, name;
};

Location split(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {.folder = ".", .name = path};
  return {.folder = slash == 0 ? "/" : path.substr(0, slash), .name = path.substr(slash + 1)};
}

// Follows symbolic links by hand, also to a file that is not there yet: it is the file they lead to that is replaced.
Result<Location> resolve(std::string path) {
  for (int links = 0; links <= max_links; ++links) {
    Location location = split(path);
    if (location.name.empty() || location.name == "." || location.name == "..") {
      return failure(target_failure(EISDIR, path, "it is a folder"));
    }
    std::array<char, PATH_MAX> target;
    const ssize_t length = readlink(path.c_str(), target.data(), target.size());
    if (length < 0) return location;  // no link, or nothing there; a folder that is missing is found out when opened
    const std::string_view to(target.data(), static_cast<size_t>(length));
    path = to.starts_with('/') ? std::string(to) : location.folder + "/" + std::string(to);
  }
  return failure(target_failure(ELOOP, path));
}

// Shortened, so that a name of the longest length the file system has still has room for the rest.
std::string hidden_begin(const std::string& name) { return "." + name.substr(0, 200) + ".disklathe-"; }

std::string hidden_name(const std::string& name) {
  constexpr std::string_view digits = "abcdefghijklmnopqrstuvwxyz012345";
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) random = static_cast<uint64_t>(getpid());
  std::string suffix;
  for (int i = 0; i < 8; ++i, random >>= 5) suffix += digits[random & 31];
  return hidden_begin(name) + suffix;
}

// A nameless file can be given a name only through /proc (or with a capability nobody should need).
bool can_be_named(int fd) { return faccessat(AT_FDCWD, ("/proc/self/fd/" + std::to_string(fd)).c_str(), F_OK, 0) == 0; }

}  // namespace

struct TargetFile::State {
  std::string path;  // as the user gave it
  Location location;
  Descriptor folder;
  std::optional<struct stat> replaced;  // the file of that name when the job began
  bool published = false;               // it has its name already, from whoever had it before
  // The name the file has until commit; empty: it has none. Fixed memory: abandon() may come at any instant.
  std::array<char, NAME_MAX + 1> hidden{};
  std::unique_ptr<FileDevice> device;

  Result<int> make(int access);
  Result<void> locate();
  Result<void> inspect();
  void inherit(int fd) const;
  Result<void> publish();
  Result<void> still_the_same() const;
  Result<void> give_hidden_name();
  void find_hidden_name(const struct stat& own);
  std::unexpected<Error> failed(int os_error, std::string cause = {}) const {
    return failure(target_failure(os_error, path, std::move(cause)));
  }
  std::unexpected<Error> appeared() const {
    Error error = target_failure(EEXIST, path, "another file of this name has appeared");
    error.kind = ErrorKind::refused;
    return failure(std::move(error));
  }
};

Result<void> TargetFile::State::locate() {
  Result<Location> found = resolve(path);
  if (!found) return failure(found);
  location = std::move(*found);
  folder = Descriptor(open(location.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.open()) return failure(target_failure(errno, location.folder));
  return inspect();
}

// What is there now, and whether it may be replaced: only a regular file that the caller could have written.
Result<void> TargetFile::State::inspect() {
  struct stat status{};
  if (fstatat(folder.get(), location.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) return failed(errno);
    return {};
  }
  if (S_ISDIR(status.st_mode)) return failed(EISDIR, "it is a folder");
  if (!S_ISREG(status.st_mode)) return failed(EINVAL, "it is no regular file");
  if (faccessat(folder.get(), location.name.c_str(), W_OK, AT_EACCESS) != 0) return failed(errno);
  replaced = status;
  return {};
}

Result<int> TargetFile::State::make(int access) {
  const int nameless = openat(folder.get(), ".", O_TMPFILE | access | O_CLOEXEC, fresh_mode);
  if (nameless >= 0 && can_be_named(nameless)) return nameless;
  if (nameless >= 0) close(nameless);
  // EISDIR: a kernel or file system that takes O_TMPFILE for O_DIRECTORY.
  if (nameless < 0 && errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT) {
    return failure(target_failure(errno, location.folder));
  }
  for (int attempt = 0; attempt < name_attempts; ++attempt) {
    const std::string name = hidden_name(location.name);
    const int fd = openat(folder.get(), name.c_str(), O_CREAT | O_EXCL | access | O_CLOEXEC, fresh_mode);
    if (fd >= 0) {
      name.copy(hidden.data(), hidden.size() - 1);
      return fd;
    }
    if (errno != EEXIST) return failure(target_failure(errno, location.folder));
  }
  return failure(target_failure(EEXIST, location.folder));
}

// Owner and permissions of the file that will be replaced, as far as the caller may give them. The owner first: giving
// a file away clears its set-id bits.
void TargetFile::State::inherit(int fd) const {
  if (!replaced) return;
  struct stat made{};
  if (fstat(fd, &made) != 0) return;
  if ((made.st_uid != replaced->st_uid || made.st_gid != replaced->st_gid) &&
      fchown(fd, replaced->st_uid, replaced->st_gid) != 0) {
    (void)fchown(fd, static_cast<uid_t>(-1), replaced->st_gid);
  }
  (void)fchmod(fd, replaced->st_mode & 07777);
}

Result<std::unique_ptr<TargetFile>> TargetFile::create(const std::string& path, CacheMode cache) {
  auto state = std::make_unique<State>();
  state->path = path;
  if (Result<void> free = state->locate(); !free) return failure(free);
  Result<int> fd = state->make(O_RDWR | (cache == CacheMode::directsync ? O_DSYNC : 0));
  if (!fd) return failure(fd);
  auto target = std::unique_ptr<TargetFile>(new TargetFile(std::move(state)));  // from here on it cleans up
  target->state_->inherit(*fd);
  Result<std::unique_ptr<FileDevice>> device = FileDevice::adopt(*fd, path, true, cache);
  if (!device) return failure(device);
  target->state_->device = std::move(*device);
  return target;
}

Result<std::unique_ptr<TargetFile>> TargetFile::take_over(const std::string& path, int fd,
                                                          std::optional<uint64_t> replaces) {
  auto state = std::make_unique<State>();
  state->path = path;
  Result<std::unique_ptr<FileDevice>> device = FileDevice::adopt(fd, path, true, CacheMode::writeback);
  if (!device) return failure(device);
  state->device = std::move(*device);
  if (Result<void> free = state->locate(); !free) return failure(free);
  struct stat own{};
  if (fstat(state->device->descriptor(), &own) != 0) return state->failed(errno);
  state->published = state->replaced && state->replaced->st_dev == own.st_dev && state->replaced->st_ino == own.st_ino;
  if (state->replaced && !state->published && state->replaced->st_ino != replaces) return state->appeared();
  if (!state->published) state->find_hidden_name(own);
  return std::unique_ptr<TargetFile>(new TargetFile(std::move(state)));
}

std::optional<uint64_t> TargetFile::replaces() const {
  if (!state_->replaced) return std::nullopt;
  return state_->replaced->st_ino;
}

void TargetFile::hand_on() noexcept { state_->hidden[0] = '\0'; }

TargetFile::TargetFile(std::unique_ptr<State> state) : state_(std::move(state)) {}

TargetFile::~TargetFile() { abandon(); }

FileDevice& TargetFile::device() { return *state_->device; }

void TargetFile::abandon() noexcept {
  if (state_->hidden[0] == '\0') return;
  unlinkat(state_->folder.get(), state_->hidden.data(), 0);
  state_->hidden[0] = '\0';
}

// Nobody's work is replaced unseen: the file that goes is the one that was there when the job began.
Result<void> TargetFile::State::still_the_same() const {
  struct stat now{};
  if (fstatat(folder.get(), location.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    return failed(errno);
  }
  if (replaced && now.st_dev == replaced->st_dev && now.st_ino == replaced->st_ino) return {};
  return appeared();
}

Result<void> TargetFile::State::give_hidden_name() {
  const std::string descriptor = "/proc/self/fd/" + std::to_string(device->descriptor());
  for (int attempt = 0; attempt < name_attempts; ++attempt) {
    const std::string name = hidden_name(location.name);
    if (linkat(AT_FDCWD, descriptor.c_str(), folder.get(), name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      name.copy(hidden.data(), hidden.size() - 1);
      return {};
    }
    if (errno != EEXIST) return failed(errno);
  }
  return failed(EEXIST);
}

// Where the file system has no nameless files it has one, in its folder; and where somebody was killed who was about to
// rename it. /proc would not tell of the second.
void TargetFile::State::find_hidden_name(const struct stat& own) {
  if (own.st_nlink == 0) return;
  const std::string begin = hidden_begin(location.name);
  for (const std::string& name : list_folder(location.folder)) {
    struct stat named{};
    if (!name.starts_with(begin) || name.size() >= hidden.size() ||
        fstatat(folder.get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0 || own.st_dev != named.st_dev ||
        own.st_ino != named.st_ino)
      continue;
    name.copy(hidden.data(), hidden.size() - 1);
    return;
  }
}

// Every way is one step for whoever looks at the name: before it the old file or none, after it the new one, complete.
Result<void> TargetFile::State::publish() {
  if (published) return {};
  const char* name = location.name.c_str();
  if (Result<void> same = still_the_same(); !same) return same;
  if (!replaced && hidden[0] == '\0') {
    const std::string descriptor = "/proc/self/fd/" + std::to_string(device->descriptor());
    if (linkat(AT_FDCWD, descriptor.c_str(), folder.get(), name, AT_SYMLINK_FOLLOW) == 0) return {};
    return errno == EEXIST ? appeared() : failed(errno);
  }
  // A name cannot be replaced by a nameless file. Killed between the next two steps, the complete file is left under
  // its hidden name.
  if (hidden[0] == '\0') {
    if (Result<void> named = give_hidden_name(); !named) return named;
  }
  const unsigned keep = replaced ? 0 : RENAME_NOREPLACE;
  int result = renameat2(folder.get(), hidden.data(), folder.get(), name, keep);
  // Some file systems (NFS) do not know the flag; there the look a moment ago has to do.
  if (result != 0 && keep != 0 && errno == EINVAL) result = renameat(folder.get(), hidden.data(), folder.get(), name);
  if (result != 0) return errno == EEXIST ? appeared() : failed(errno);
  hidden[0] = '\0';
  return {};
}

Result<void> TargetFile::commit(bool durable) {
  if (durable) {
    if (Result<void> flushed = state_->device->flush_now(); !flushed) return flushed;
  }
  if (Result<void> named = state_->publish(); !named) return named;
  if (durable && fsync(state_->folder.get()) != 0 && errno != EINVAL) {
    return failure(os_failure(errno, "flush", state_->location.folder));
  }
  return {};
}

}  // namespace disklathe
