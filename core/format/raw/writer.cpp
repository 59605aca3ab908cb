// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/raw/writer.h"

#include <fmt/format.h>

#include <atomic>

#include "core/base/arithmetic.h"
#include "core/format/option_values.h"
#include "core/format/preallocate.h"

namespace disklathe::raw {
namespace {

class Writer final : public ImageWriter {
 public:
  Writer(BlockDevice& file, uint64_t size, bool reads_zero) : file_(file), size_(size), reads_zero_(reads_zero) {}

  uint32_t unit() const override { return 1; }
  bool wants_order() const override { return false; }

  Result<void> place(std::span<Placement> placements) override {
    for (Placement& placement : placements) {
      if (auto inside = check(placement.guest); !inside) return failure(inside);
      placement.host = placement.guest.at;
      placement.file = 0;
    }
    return {};
  }

  Result<std::optional<Range>> place_zero(Range guest) override {
    if (auto inside = check(guest); !inside) return failure(inside);
    if (reads_zero_) return std::nullopt;
    return guest;
  }

  Result<void> set_size(uint64_t size) override {
    if (auto resized = file_.resize(size); !resized) return resized;
    size_ = size;
    return {};
  }

  Result<void> finish(bool durable) override {
    if (!durable) return {};
    return file_.flush_now();
  }

 private:
  Result<void> check(Range guest) const {
    const uint64_t size = size_;
    if (guest.at <= size && guest.length <= size - guest.at) return {};
    return failure(ErrorKind::invalid, "place", "past the end of the disk", guest.at);
  }

  BlockDevice& file_;
  std::atomic<uint64_t> size_;
  bool reads_zero_;
};

}  // namespace

const std::vector<OptionInfo>& create_options() {
  static const std::vector<OptionInfo> options{
      OptionInfo{.name = "preallocation",
                 .default_value = "off",
                 .help = "Space taken at once",
                 .values = {"off", "falloc", "full"}},
  };
  return options;
}

Result<std::unique_ptr<ImageWriter>> create(const CreateRequest& request) {
  const OptionValues values(request.options);
  if (auto known = values.only(create_options()); !known) return failure(known);
  auto mode = values.preallocation(false);
  if (!mode) return failure(mode);
  if (request.compress) return failure(ErrorKind::unsupported, "create", "raw has no compression");
  if (!request.backing_file.empty()) return failure(ErrorKind::unsupported, "create", "raw has no backing file");

  BlockDevice& file = *request.file;
  if (file.size() != request.size) {
    auto resized = file.resize(request.size);
    if (!resized && resized.error().kind != ErrorKind::unsupported) return failure(resized);
    if (!resized && file.size() < request.size)
      return failure(ErrorKind::no_space, "create",
                     fmt::format("the disk has {} bytes, the target {}", request.size, file.size()));
  }
  if (auto taken = preallocate(file, {0, request.size}, *mode); !taken) return failure(taken);
  return std::make_unique<Writer>(file, request.size, request.target_is_zero || *mode == Preallocation::full);
}

Result<Measured> measure(const MeasureRequest& request) {
  const OptionValues values(request.options);
  if (auto known = values.only(create_options()); !known) return failure(known);
  // Holes count towards a raw file's size.
  const auto rounded = checked_add<uint64_t>(request.size, 511);
  if (!rounded) return failure(ErrorKind::invalid, "measure", "size is too large");
  const uint64_t size = request.source ? request.size : round_down(*rounded, 512);
  return Measured{.required = size, .fully_allocated = size};
}

}  // namespace disklathe::raw
