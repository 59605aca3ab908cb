// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sweep_target.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "app/cli/device_target.h"
#include "app/cli/erase_consent.h"
#include "app/cli/helper_worker.h"
#include "app/cli/open_files.h"
#include "app/cli/passthrough.h"
#include "app/cli/size_text.h"
#include "core/base/arithmetic.h"
#include "core/device/system_files.h"

namespace disklathe::cli {
namespace {

std::unexpected<Error> no(ErrorKind kind, const std::string& path, std::string cause) {
  return failure(Error{.kind = kind, .operation = "measure", .subject = path, .cause = std::move(cause)});
}

// Whole mebibytes where there are any: every part of the area is then reached by every size up to that.
Result<uint64_t> area_of(const SweepTargetRequest& request, uint64_t size) {
  if (request.size && *request.size > size)
    return no(ErrorKind::invalid, request.path, fmt::format("it has only {}", exact_size(size)));
  const uint64_t wanted = request.size.value_or(size);
  const uint64_t area = round_down(wanted, wanted >= 1 << 20 ? 1 << 20 : 4096);
  if (area == 0) return no(ErrorKind::invalid, request.path, "it has less than 4 KiB: there is nothing to measure");
  return area;
}

SweepTarget granted_target(const Identity& identity, uint64_t area) {
  SweepTarget target{.granted = identity, .area = area};
  const std::string node = "/sys/dev/block/" + device_number_text(identity.number);
  for (const char* queue : {"/queue/", "/../queue/"})  // a partition has its disk's
    if (const auto block = read_number(node + queue + "logical_block_size")) target.granted_block = *block;
  return target;
}

Result<SweepTarget> open_device_to_write(const SweepTargetRequest& request) {
  auto path = request.passthrough ? disk_of_passthrough(request.path) : Result<std::string>(request.path);
  if (!path) return failure(path);
  auto chosen = choose_target_device(*path);
  if (!chosen) return failure(chosen);
  const auto area = area_of(request, chosen->identity.size);
  if (!area) return failure(area.error());
  if (auto may = takes_any_order(*chosen, {0, *area}); !may) return failure(may);
  if (auto may = confirm_erase(*chosen, {.ranges = {{0, *area}}, .yes_erase = request.yes_erase}); !may)
    return failure(may);
  if (!request.passthrough && needs_helper(*path, true)) return granted_target(chosen->identity, *area);
  auto device = open_target_device(*chosen, CacheMode::none);
  if (!device) return failure(device);
  SweepTarget target{.opened = std::move(*device), .area = *area};
  if (request.passthrough) {
    auto commands = open_passthrough_to_write(request.path, *target.opened);
    if (!commands) return failure(commands);
    target.passthrough = std::move(*commands);
  }
  return target;
}

Result<SweepTarget> open_passthrough(const SweepTargetRequest& request) {
  if (request.write) return open_device_to_write(request);
  auto device = open_passthrough_to_read(request.path);
  if (!device) return failure(device);
  const auto area = area_of(request, (*device)->size());
  if (!area) return failure(area.error());
  return SweepTarget{.passthrough = std::move(*device), .area = *area};
}

Result<SweepTarget> make_scratch(const SweepTargetRequest& request) {
  const auto area = area_of(request, request.size.value_or(scratch_size));
  if (!area) return failure(area.error());
  auto scratch = TargetFile::create(request.path, CacheMode::none);
  if (!scratch) return failure(scratch);
  FileDevice& device = (*scratch)->device();
  if (auto room = make_room(device, *area); !room) {
    room.error().subject = request.path;
    return failure(room);
  }
  return SweepTarget{.scratch = std::move(*scratch), .area = *area};
}

}  // namespace

Result<SweepTarget> open_sweep_target(const SweepTargetRequest& request) {
  if (auto local = no_address("measure", request.path, "only devices and files of this machine are"); !local)
    return failure(local);
  if (request.passthrough) return open_passthrough(request);
  if (!request.write && needs_helper(request.path, false)) {
    const auto identity = identity_of(request.path);
    if (!identity) return std::unexpected(identity.error());
    const auto area = area_of(request, identity->size);
    return area ? Result<SweepTarget>(granted_target(*identity, *area)) : std::unexpected(area.error());
  }
  if (!request.write) {
    auto device = FileDevice::open({.path = request.path, .cache = CacheMode::none});
    if (!device) return failure(device);
    const auto area = area_of(request, (*device)->size());
    if (!area) return failure(area.error());
    return SweepTarget{.opened = std::move(*device), .area = *area};
  }
  struct stat status{};
  if (stat(request.path.c_str(), &status) != 0) return make_scratch(request);
  if (S_ISBLK(status.st_mode)) return open_device_to_write(request);
  return no(ErrorKind::refused, request.path,
            "it is there already, and is not overwritten. Name a file that is not there: a scratch file is made in its "
            "place and gone afterwards");
}

}  // namespace disklathe::cli
