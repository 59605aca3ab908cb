// SPDX-License-Identifier: GPL-3.0-or-later
//
// Changes an image in place by any sequence of writes, zeroes, trims and flushes. The input: how many operations, so
// many of eight bytes each, and the image. Whatever the image is, that ends. One that check finds nothing wrong with
// keeps that, and its disk holds afterwards what was written to it, and else what it held.
#include <algorithm>
#include <optional>

#include "core/base/endian.h"
#include "core/engine/edit_in_place.h"
#include "core/engine/read_guest.h"
#include "core/format/qcow2/check.h"
#include "tests/fuzz/growing_device.h"
#include "tests/support/run_task.h"
#include "tests/support/wrapped_device.h"

using namespace disklathe;

namespace {

constexpr uint64_t most_growth = 4 << 20;
constexpr uint64_t most_modelled = 1 << 20;  // of the disk
constexpr size_t operation_size = 8;

struct Files {
  test::GrowingDevice image, data, base;
};

Result<std::unique_ptr<Image>> open(Files& files, bool edit) {
  FileOpener opener;
  opener.open = [&](const std::string& path) -> Result<std::unique_ptr<BlockDevice>> {
    test::GrowingDevice& device = path == "image" ? files.image : path.ends_with("data") ? files.data : files.base;
    return std::make_unique<test::WrappedDevice>(device);
  };
  opener.allow = [](const std::string&, const Reference& reference, const std::string&) -> Result<void> {
    // The base is a raw file, whatever the image says of it.
    if (reference.kind == Reference::Kind::backing && reference.format != "raw")
      return failure(ErrorKind::refused, "open", reference.name);
    return {};
  };
  return Image::open({.path = "image", .format = "qcow2", .edit = edit}, opener);
}

bool is_sound(BlockDevice& image, uint64_t leaks = 0) {
  const auto report = qcow2::check({.file = &image});
  return report && report->corruptions + report->check_errors == 0 && report->leaks <= leaks;
}

// Clusters behind the file's end that have refcounts all the same are lost when the file grows.
uint64_t leaks_at_size(Bytes image, uint64_t size) {
  std::vector<std::byte> grown(image.begin(), image.end());
  grown.resize(std::max<uint64_t>(size, grown.size()));
  test::GrowingDevice file("image", std::move(grown), 0);
  const auto report = qcow2::check({.file = &file});
  return report ? report->leaks : UINT64_MAX;
}

// They are given up by the first change, and their clusters with them.
bool has_bitmaps(Bytes image) {
  constexpr size_t autoclear = 88;
  return image.size() >= autoclear + 8 && (load_be<uint64_t>(image, autoclear) & 1) != 0;
}

std::optional<std::vector<std::byte>> content_of(Image& image) {
  if (image.size() > most_modelled) return std::nullopt;
  std::vector<std::byte> content(image.size());
  if (!read_guest(image, 0, content)) return std::nullopt;
  return content;
}

// One operation on the disk, and on what it is to hold. Nothing is known of it after an error.
void change(Image& image, EditInPlace& editing, Ring& ring, Bytes words, std::optional<std::vector<std::byte>>& model) {
  const uint64_t size = image.size();
  if (size == 0) return;
  const auto kind = std::to_integer<unsigned>(words[0]);
  // Places in the first megabyte, and spread over all of the disk.
  const uint64_t place = load_be<uint32_t>(words, 1);
  const uint64_t at = (kind & 0x80) != 0 ? (place * 512 + (place << 29)) % size : place % std::min(size, most_modelled);
  const uint64_t length =
      std::min<uint64_t>(1 + load_be<uint16_t>(words, 5) * ((kind & 0x40) != 0 ? 17ULL : 1ULL), size - at);
  const std::byte value = words[7];
  Result<void> done;
  switch (kind & 7) {
    case 0:
    case 1:
    case 2: {
      const std::vector<std::byte> bytes(length, value);
      done = test::run_task(ring, editing.write(ring, at, bytes));
      break;
    }
    case 3:
    case 4: done = test::run_task(ring, editing.zero(ring, {at, length}, (kind & 8) != 0, false)); break;
    case 5: done = test::run_task(ring, editing.trim(ring, {at, length})); break;
    default: done = test::run_task(ring, editing.flush(ring)); break;
  }
  if (!done) model.reset();
  if (!model) return;
  const MutableBytes part = MutableBytes(*model).subspan(at, length);
  if ((kind & 7) < 3) std::ranges::fill(part, value);
  if ((kind & 7) == 3 || (kind & 7) == 4) std::ranges::fill(part, std::byte{0});
  if ((kind & 7) == 5 && !read_guest(image, at, part)) __builtin_trap();  // anything, but it is read
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t count = data[0] % 64;
  const Bytes input = Bytes(reinterpret_cast<const std::byte*>(data), size).subspan(1);
  if (input.size() < count * operation_size) return 0;
  const Bytes given = input.subspan(count * operation_size);
  std::vector<std::byte> base(200'000);
  for (size_t i = 0; i < base.size(); ++i) base[i] = std::byte{static_cast<uint8_t>(i / 512 + 1)};
  Files files{.image = {"image", {given.begin(), given.end()}, given.size() + most_growth},
              .data = {"data", std::vector<std::byte>(64 << 10), most_growth},
              .base = {"base", std::move(base), most_growth}};
  const bool sound = is_sound(files.image);
  std::optional<std::vector<std::byte>> model;
  {
    auto image = open(files, true);
    if (!image || !(*image)->editor()) return 0;
    if (sound) model = content_of(**image);
    const auto ring = std::move(*Ring::create(RingKind::immediate));
    EditInPlace editing(**image);
    for (size_t i = 0; i < count; ++i)
      change(**image, editing, *ring, input.subspan(i * operation_size, operation_size), model);
    if (model && content_of(**image) != model) __builtin_trap();
    if (!test::run_task(*ring, editing.finish(*ring))) model.reset();
  }
  if (!model) return 0;
  if (!is_sound(files.image, has_bitmaps(given) ? UINT64_MAX : leaks_at_size(given, files.image.size())))
    __builtin_trap();
  auto again = open(files, false);
  if (!again || content_of(**again) != model) __builtin_trap();
  return 0;
}
