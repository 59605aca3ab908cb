// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/serve_exports.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "app/cli/device_target.h"
#include "app/cli/erase_consent.h"
#include "app/cli/image_lock.h"
#include "app/cli/target_usage.h"
#include "app/cli/temporary_layer.h"
#include "core/engine/image_export.h"

namespace disklathe::cli {
namespace {

std::unexpected<Error> no(ErrorKind kind, const std::string& path, std::string cause) {
  return failure(Error{.kind = kind, .operation = "serve", .subject = path, .cause = std::move(cause)});
}

// path: of the image, or of the data file that it names.
Result<std::unique_ptr<FileDevice>> open_to_write(const std::string& path, const ServedImage& served,
                                                  const OpenPolicy& policy) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return failure(os_failure(errno, "open", path));
  if (S_ISBLK(status.st_mode)) {
    if (path != served.path) return no(ErrorKind::unsupported, path, "a data file that is a device is not written to");
    const auto chosen = choose_device_to_serve(served);
    return chosen ? open_target_device(*chosen, policy.cache) : std::unexpected(chosen.error());
  }
  if (!served.yes_erase.empty()) return no(ErrorKind::invalid, path, "--yes-erase is for devices");
  if (const std::string usage = usage_of(path); !usage.empty())
    return no(ErrorKind::busy, path, fmt::format("it is {}", usage));
  auto file = FileDevice::open({.path = path, .writable = true, .cache = policy.cache});
  if (!file) return file;
  if (auto alone = lock_for_writing((*file)->descriptor(), path); !alone) return failure(alone);
  return file;
}

// What clients write becomes the head of a raw image, and may be made to look like another format by them.
Result<void> is_sure_of_format(const Image& image) {
  const Layer& top = image.layers()[0];
  if (!top.format_probed || format_doubt(top.path, *top.format).empty()) return {};
  return no(
      ErrorKind::refused, top.path,
      fmt::format("it looks like {}, but nobody has said so; it is served for writing only with -f", top.format->name));
}

// The part of the disk that clients see.
Result<Range> part_of(const ServedImage& served, Image& image) {
  const Range asked{served.offset.value_or(0), served.length.value_or(0)};
  if (served.partition == 0) {
    if (asked.at <= image.size() && asked.length <= image.size() - asked.at) return asked;
    return no(ErrorKind::invalid, served.path,
              fmt::format("its disk has {} bytes; --offset and --length do not lie inside", image.size()));
  }
  if (served.offset || served.length)
    return no(ErrorKind::invalid, served.path, "--partition excludes --offset and --length");
  auto found = partition_of(image, served.partition);
  if (!found && found.error().subject.empty()) found.error().subject = served.path;
  return found;
}

}  // namespace

Result<ChosenDevice> choose_device_to_serve(const ServedImage& served) {
  auto chosen = choose_target_device(served.path);
  if (!chosen) return failure(chosen);
  const uint64_t offset = served.offset.value_or(0);
  const Range part = Range::between(offset, offset + served.length.value_or(chosen->identity.size - offset));
  if (auto may = takes_any_order(*chosen, part); !may) return failure(may);
  if (auto agreed = confirm_erase(*chosen, {.ranges = {part}, .yes_erase = served.yes_erase}); !agreed)
    return failure(agreed);
  return chosen;
}

Result<std::unique_ptr<nbd::Export>> open_export(const ServedImage& served, const OpenPolicy& policy) {
  const ImageRequest request{
      .path = served.path, .format = served.format, .snapshot = served.snapshot, .edit = served.writable};
  FileOpener opener = make_opener(policy);
  std::string data_file;  // of the image itself, which is written as the image is
  if (served.writable) {
    opener.open = [&](const std::string& path) -> Result<std::unique_ptr<BlockDevice>> {
      if (path == served.path || path == data_file) return open_to_write(path, served, policy);
      return open_for_reading(path, policy);
    };
    opener.allow = [&](const std::string& image_path, const Reference& reference, const std::string& resolved) {
      auto allowed = may_open(policy, image_path, reference, resolved);
      if (allowed && reference.kind == Reference::Kind::data_file && image_path == served.path) data_file = resolved;
      return allowed;
    };
  }
  auto image = open_image(request, opener);
  if (!image) return failure(image);
  if (served.writable) {
    if (auto sure = is_sure_of_format(**image); !sure) return failure(sure);
  }
  const auto part = part_of(served, **image);
  if (!part) return std::unexpected(part.error());
  if (served.layered) image = with_temporary_layer(std::move(*image));
  if (!image) return failure(image);
  auto made = make_export(
      std::move(*image),
      {.name = served.name, .part = *part, .writable = served.writable || served.layered, .changes = policy.share});
  if (!made && made.error().subject.empty()) made.error().subject = served.path;
  return made;
}

}  // namespace disklathe::cli
