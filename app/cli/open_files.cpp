// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/open_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/cli/image_lock.h"
#include "app/cli/passthrough.h"
#include "app/cli/sentences.h"
#include "core/format/reference_path.h"
#include "core/http/http_device.h"
#include "core/nbd/remote_device.h"
#include "core/stream/decoder.h"

namespace disklathe::cli {
namespace fs = std::filesystem;
namespace {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

// In the folder of the image or below, after following every link: a link out of the folder leads outside.
bool lies_beside(const std::string& image_path, const std::string& file) {
  std::error_code error;
  const fs::path folder = fs::canonical(image_path, error).parent_path();
  if (error) return false;
  // Absolute first: a relative name of which nothing exists would stay relative.
  const fs::path target = fs::weakly_canonical(fs::absolute(file, error), error);
  if (error) return false;
  const auto [in_folder, in_target] = std::ranges::mismatch(folder, target);
  const bool inside = in_folder == folder.end();
  // A name that leads nowhere is let through, so that the person hears of that.
  return inside && (fs::is_regular_file(target, error) || !fs::exists(target, error));
}

// The person's answer on the terminal; no terminal, no answer: no.
bool ask(const std::string& question) {
  if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) return false;
  fmt::print(stderr, "disklathe: {} [y/N] ", question);
  std::fflush(stderr);
  char answer[16] = {};
  return std::fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

// A compressed image that passes for a raw one would be compared, mapped and measured as what it is not.
Result<void> not_compressed(const Image& image) {
  const Layer& top = image.layers()[0];
  BlockDevice& file = image.file(0);
  const auto* on_disk = dynamic_cast<const FileDevice*>(&file);
  if (!top.format_probed || top.format->name != "raw" || !on_disk || on_disk->is_block_device()) return {};
  std::vector<std::byte> head(std::min<uint64_t>(file.size(), 512));
  if (auto read = file.read_now(0, head); !read) return read;
  const auto* encoding = stream::detect_encoding(head);
  if (!encoding) return {};
  return failure(
      Error{.kind = ErrorKind::unsupported,
            .operation = "open",
            .subject = top.path,
            .cause = fmt::format("it is {} data, which only convert, checksum and info read; -f raw takes it as it is",
                                 encoding->description)});
}

std::unexpected<Error> refused(const std::string& image_path, std::string cause) {
  return failure(
      Error{.kind = ErrorKind::refused, .operation = "open", .subject = image_path, .cause = std::move(cause)});
}

}  // namespace

std::optional<BackingPolicy> backing_policy_of(std::string_view name) {
  if (name == "allow") return BackingPolicy::allow;
  if (name == "deny") return BackingPolicy::deny;
  if (name == "ask") return BackingPolicy::ask;
  return std::nullopt;
}

Result<std::unique_ptr<FileDevice>> open_for_reading(const std::string& path, const OpenPolicy& policy) {
  auto device = FileDevice::open({.path = path, .writable = false, .cache = policy.cache});
  if (!device) return device;
  if (!policy.share && !(*device)->is_block_device()) {
    if (auto alone = lock_against_writers((*device)->descriptor(), path); !alone) return failure(alone);
  }
  return device;
}

Result<void> may_open(const OpenPolicy& policy, const std::string& image_path, const Reference& reference,
                      const std::string& resolved) {
  const auto is_resolved = [&](const std::string& name) { return same_file(name, resolved); };
  if (std::ranges::any_of(policy.allowed, is_resolved)) return {};
  const bool named = std::ranges::any_of(policy.named, is_resolved);
  if (reference.kind == Reference::Kind::data_file) {
    if (policy.data_file || named) return {};
    return refused(image_path,
                   fmt::format("it keeps its data in another file, '{}'; --data-file allow opens that", resolved));
  }
  if (policy.backing == BackingPolicy::allow) return {};
  const std::string needs = reference.kind == Reference::Kind::extent
                                ? fmt::format("it keeps a part of its disk in '{}'", resolved)
                                : fmt::format("it stands on the backing file '{}'", resolved);
  if (policy.backing == BackingPolicy::deny)
    return refused(image_path, fmt::format("{}, and --backing deny was given", needs));
  if (named || (lies_beside(image_path, resolved) && !reference.by_guess)) return {};
  if (policy.backing == BackingPolicy::ask && ask(fmt::format("'{}': {}. Open that?", image_path, needs))) return {};
  if (reference.by_guess)
    return refused(image_path, fmt::format("nobody says what format it has, and by its content {}; --backing allow "
                                           "opens that",
                                           needs));
  return refused(image_path,
                 fmt::format("{}, which is no regular file in the same folder; --backing allow opens it", needs));
}

Result<std::vector<std::unique_ptr<FileDevice>>> open_extents(const std::string& image_path, const ImageReader& reader,
                                                              const OpenPolicy& policy) {
  std::vector<std::unique_ptr<FileDevice>> extents;
  for (const Reference& reference : reader.references()) {
    if (reference.kind != Reference::Kind::extent) continue;
    const std::string path = resolve_reference(image_path, reference.name);
    if (auto allowed = may_open(policy, image_path, reference, path); !allowed) return failure(allowed);
    auto extent = open_for_reading(path, policy);
    if (!extent) return failure(extent);
    extents.push_back(std::move(*extent));
  }
  return extents;
}

bool is_address(const std::string& path) { return nbd::is_uri(path) || http::is_url(path); }

Result<void> no_address(std::string_view operation, const std::string& path, std::string cause) {
  if (!is_address(path)) return {};
  return failure(Error{
      .kind = ErrorKind::unsupported, .operation = std::string(operation), .subject = path, .cause = std::move(cause)});
}

bool is_remote(const std::string& path, const OpenPolicy& policy) {
  return is_address(path) && std::ranges::find(policy.named, path) != policy.named.end();
}

FileOpener make_opener(const OpenPolicy& policy) {
  FileOpener opener;
  opener.open = [&policy](const std::string& path) -> Result<std::unique_ptr<BlockDevice>> {
    if (!path.empty() && path == policy.passthrough) return open_passthrough_to_read(path);
    if (is_remote(path, policy) && http::is_url(path)) return http::HttpDevice::open(path);
    if (is_remote(path, policy)) return nbd::RemoteDevice::open(path, false);
    return open_for_reading(path, policy);
  };
  opener.allow = [&policy](const std::string& image_path, const Reference& reference, const std::string& resolved) {
    return may_open(policy, image_path, reference, resolved);
  };
  return opener;
}

Result<std::unique_ptr<Image>> open_image(const ImageRequest& request, const OpenPolicy& policy) {
  return open_image(request, make_opener(policy));
}

Result<std::unique_ptr<Image>> open_image(const ImageRequest& request, const FileOpener& opener) {
  if (!request.format.empty())
    if (auto known = format_named(request.format); !known) return failure(known);
  auto image = Image::open(request, opener);
  if (!image) return image;
  if (auto plain = not_compressed(**image); !plain) return failure(plain);
  for (const Layer& layer : (*image)->layers()) {
    if (layer.format_probed) {
      if (const std::string doubt = format_doubt(layer.path, *layer.format); !doubt.empty()) print_warning(doubt);
    }
    for (const std::string& warning : layer.reader->facts().warnings)
      print_warning(fmt::format("'{}': {}", layer.path, warning));
  }
  return image;
}

Result<const Format*> format_named(std::string_view name) {
  if (const Format* format = find_format(name)) return format;
  std::string known;
  for (const Format& format : formats()) known += fmt::format("{}{}", known.empty() ? "" : ", ", format.name);
  return failure(ErrorKind::invalid, "open", fmt::format("there is no format '{}'; there are {}", name, known));
}

const Format* format_by_extension(const std::string& path) {
  const size_t end = http::is_url(path) ? path.find_first_of("?#") : std::string::npos;
  std::string extension = fs::path(path.substr(0, end)).extension();
  if (extension.size() < 2) return nullptr;
  extension.erase(0, 1);
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const Format& format : formats())
    if (std::ranges::find(format.extensions, extension) != format.extensions.end()) return &format;
  return nullptr;
}

std::string format_doubt(const std::string& path, const Format& found) {
  // An export is a disk, unless it looks like an image.
  if (nbd::is_uri(path) && found.name == "raw") return {};
  const Format* called = format_by_extension(path);
  if (called == &found) return {};
  if (called)
    return fmt::format("'{}' is called .{} but looks like {}; -f says which it is", path,
                       fs::path(path).extension().string().substr(1), found.name);
  return fmt::format("the format of '{0}' was guessed from its content alone: {1}; -f {1} says that it is", path,
                     found.name);
}

std::string snapshot_of(const std::string& parameter) {
  for (const std::string_view prefix : {"snapshot.id=", "snapshot.name="})
    if (parameter.starts_with(prefix)) return parameter.substr(prefix.size());
  return parameter;
}

}  // namespace disklathe::cli
