// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/temporary_layer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "app/cli/sentences.h"
#include "app/cli/size_text.h"
#include "core/device/file_device.h"

namespace disklathe::cli {
namespace {

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder && *folder ? folder : "/var/tmp";
}

Result<std::unique_ptr<FileDevice>> make_file(const std::string& folder) {
  int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
    std::string name = folder + "/disklathe-XXXXXX";
    fd = mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) unlink(name.c_str());
  }
  if (fd < 0) return failure(os_failure(errno, "make a temporary file in", folder));
  // What nobody finds again needs no flush.
  return FileDevice::adopt(fd, "the temporary layer", true, CacheMode::unsafe);
}

std::string free_space(const std::string& folder) {
  struct statvfs space{};
  if (statvfs(folder.c_str(), &space) != 0) return {};
  return fmt::format("; {} are free", human_size(uint64_t{space.f_bavail} * space.f_frsize));
}

}  // namespace

Result<std::unique_ptr<Image>> with_temporary_layer(std::unique_ptr<Image> image) {
  const std::string folder = temporary_folder();
  auto file = make_file(folder);
  if (!file) return failure(file);
  const Format& format = *find_format("qcow2");
  // The name only says that something is below.
  const CreateRequest request{.file = file->get(),
                              .size = image->size(),
                              .options = {{"backing_file", "base"}, {"backing_fmt", "raw"}},
                              .target_is_zero = true};
  auto writer = format.create(request);
  if (!writer) return failure(writer);
  if (auto finished = (*writer)->finish(false); !finished) return failure(finished);
  print_message(
      fmt::format("what clients write to '{}' goes to a temporary file in '{}' (up to {} and its tables{}), "
                  "and is gone at the end",
                  image->layers()[0].path, folder, human_size(image->size()), free_space(folder)));
  return Image::open_on(std::move(image), std::move(*file), format);
}

}  // namespace disklathe::cli
