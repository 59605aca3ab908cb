// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/new_image.h"

#include <array>
#include <string>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/base/uuid.h"
#include "core/format/grow_file.h"

namespace disklathe::vmdk {
namespace {

// The highest ones are VMware's: no parent, and a disk never written.
uint32_t new_content_id() {
  const auto id = load_le<uint32_t>(random_uuid());
  return id >= no_parent_cid - 1 || id == 0 ? 1 : id;
}

std::string without_folders(std::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

}  // namespace

NewImage::NewImage(BlockDevice& file, uint64_t size, bool target_is_zero, const CreateOptions& options)
    : file_(file),
      given_size_(size),
      sectors_(divide_up(size, sector_size)),
      grains_(divide_up(sectors_, default_grain_sectors)),
      target_is_zero_(target_is_zero),
      options_(options) {}

Result<void> NewImage::begin() const { return forget_old_image(file_, sector_size, target_is_zero_); }

Result<void> NewImage::check(Range guest, uint32_t unit) const {
  const uint64_t size = sectors_ * sector_size;
  if (!guest.empty() && guest.at <= size && guest.length <= size - guest.at && is_multiple(guest.at, unit) &&
      (is_multiple(guest.length, unit) || guest.end() >= given_size_)) {
    return {};
  }
  return failure(ErrorKind::invalid, "place", "not whole units of the disk", guest.at);
}

Result<void> NewImage::finish(const SparseHeader& header, bool durable) const {
  std::string text = compose({.cid = new_content_id(),
                              .create_type = options_.stream ? "streamOptimized" : "monolithicSparse",
                              .sectors = sectors_,
                              .file_name = without_folders(file_.name()),
                              .adapter_type = options_.adapter_type,
                              .hardware_version = options_.hardware_version,
                              .tools_version = options_.tools_version});
  text.resize(embedded_descriptor_sectors * sector_size, '\0');
  if (auto written = file_.write_now(descriptor_sector * sector_size, std::as_bytes(std::span(text))); !written) {
    return written;
  }
  if (durable) {
    if (auto flushed = file_.flush_now(); !flushed) return flushed;
  }
  std::array<std::byte, sector_size> head;
  header.encode(head);
  if (auto written = file_.write_now(0, head); !written) return written;
  return durable ? file_.flush_now() : Result<void>();
}

Result<uint32_t> sector_number(uint64_t host) {
  if (host / sector_size > UINT32_MAX) {
    return failure(ErrorKind::invalid, "place", "a VMDK file ends at 2 TiB: it cannot hold more", host);
  }
  return static_cast<uint32_t>(host / sector_size);
}

}  // namespace disklathe::vmdk
