// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/identity.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cerrno>

#include "core/device/enumerate.h"
#include "core/device/system_files.h"

#ifndef BLKGETDISKSEQ  // Linux 5.15
#define BLKGETDISKSEQ _IOR(0x12, 128, __u64)
#endif

namespace disklathe {
namespace {

constexpr std::string_view operation = "identify";
constexpr uint64_t sysfs_sector = 512;

}  // namespace

Result<Identity> identity_of_number(dev_t number, const std::string& root) {
  const std::string folder = real_path(root + "/sys/dev/block/" + device_number_text(number));
  if (folder.empty()) return failure(os_failure(ENODEV, operation, device_number_text(number)));
  // A partition has no serial and no diskseq of its own: its disk's count.
  const bool partition = path_exists(folder + "/partition");
  const std::string disk = partition ? folder.substr(0, folder.rfind('/')) : folder;
  const auto disk_number = parse_device_number(read_attribute(disk + "/dev").value_or(""));
  const auto sectors = read_number(folder + "/size");
  const uint64_t start = partition ? read_number(folder + "/start").value_or(0) : 0;
  if (!disk_number || !sectors || *sectors > UINT64_MAX / sysfs_sector || start > UINT64_MAX / sysfs_sector) {
    return failure(os_failure(ENODEV, operation, device_number_text(number)));
  }
  const DeviceNames names = read_device_names(root, disk, *disk_number, bus_of_path(root, disk));
  return Identity{.name = folder.substr(folder.rfind('/') + 1),
                  .number = number,
                  .diskseq = read_number(disk + "/diskseq"),
                  .serial = names.serial,
                  .wwn = names.wwn,
                  .size = *sectors * sysfs_sector,
                  .start = start * sysfs_sector};
}

Result<Identity> identity_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return failure(os_failure(errno, operation, path));
  if (!S_ISBLK(status.st_mode)) return failure(os_failure(ENOTBLK, operation, path));
  auto identity = identity_of_number(status.st_rdev);
  if (!identity) identity.error().subject = path;
  return identity;
}

Result<Identity> identity_of_descriptor(int fd) {
  struct stat status{};
  if (fstat(fd, &status) != 0) return failure(os_failure(errno, operation, {}));
  if (!S_ISBLK(status.st_mode)) return failure(os_failure(ENOTBLK, operation, {}));
  auto identity = identity_of_number(status.st_rdev);
  if (!identity) return identity;
  uint64_t size = 0, diskseq = 0;
  if (ioctl(fd, BLKGETSIZE64, &size) != 0) return failure(os_failure(errno, operation, identity->name));
  identity->size = size;
  if (ioctl(fd, BLKGETDISKSEQ, &diskseq) == 0) {
    // sysfs may already describe the next device of this number: then what is open is gone.
    if (identity->diskseq && *identity->diskseq != diskseq)
      return failure(os_failure(ENODEV, operation, identity->name));
    identity->diskseq = diskseq;
  }
  return identity;
}

std::string_view name_of(IdentityPart part) {
  switch (part) {
    case IdentityPart::number: return "number";
    case IdentityPart::diskseq: return "diskseq";
    case IdentityPart::serial: return "serial";
    case IdentityPart::wwn: return "wwn";
    case IdentityPart::size: return "size";
    case IdentityPart::start: return "start";
  }
  return "number";
}

std::vector<IdentityPart> differences(const Identity& chosen, const Identity& now) {
  std::vector<IdentityPart> parts;
  const auto compare = [&](IdentityPart part, bool same) {
    if (!same) parts.push_back(part);
  };
  compare(IdentityPart::number, chosen.number == now.number);
  compare(IdentityPart::diskseq, !chosen.diskseq || !now.diskseq || *chosen.diskseq == *now.diskseq);
  compare(IdentityPart::serial, chosen.serial == now.serial);
  compare(IdentityPart::wwn, chosen.wwn == now.wwn);
  compare(IdentityPart::size, chosen.size == now.size);
  compare(IdentityPart::start, chosen.start == now.start);
  return parts;
}

}  // namespace disklathe
