// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/limit_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/base/arithmetic.h"
#include "core/device/system_files.h"

namespace disklathe {
namespace {

constexpr std::string_view operation = "read the limits of";
constexpr uint64_t sysfs_sector = 512;

bool has_gpt_at(int fd, off_t at) {
  std::array<char, 8> signature{};
  return pread(fd, signature.data(), signature.size(), at) == static_cast<ssize_t>(signature.size()) &&
         std::string_view(signature.data(), signature.size()) == "EFI PART";
}

// UEFI 2.10, 5.3.1: the header is in the second logical block, so its place tells for which sectors it was made.
void judge_table(int fd, const Limits& used, std::vector<LimitFinding>& findings) {
  const uint64_t logical = used.logical_block.value.value_or(512);
  if (has_gpt_at(fd, static_cast<off_t>(logical))) return;
  if (logical != 512 && has_gpt_at(fd, 512)) findings.push_back({.kind = FindingKind::table_for_512, .value = logical});
  if (logical != 4096 && has_gpt_at(fd, 4096))
    findings.push_back({.kind = FindingKind::table_for_4096, .value = logical});
}

std::vector<Partition> partitions_in(const std::string& folder) {
  std::vector<Partition> partitions;
  for (const std::string& name : list_folder(folder)) {
    const std::string own = fmt::format("{}/{}", folder, name);
    if (!path_exists(own + "/partition")) continue;
    Partition partition;
    partition.name = name;
    partition.start = read_number(own + "/start").value_or(0) * sysfs_sector;
    partitions.push_back(std::move(partition));
  }
  return partitions;
}

void describe_device(dev_t number, LimitReport& report) {
  const std::string folder = real_path("/sys/dev/block/" + device_number_text(number));
  report.size = read_number(folder + "/size").value_or(0) * sysfs_sector;
  std::vector<Partition> partitions;
  if (path_exists(folder + "/partition")) {
    Partition own;
    own.name = folder.substr(folder.rfind('/') + 1);
    own.start = report.start = read_number(folder + "/start").value_or(0) * sysfs_sector;
    partitions.push_back(std::move(own));
  } else {
    partitions = partitions_in(folder);
  }
  report.findings = judge_limits(report.reported, report.used, partitions);
}

}  // namespace

std::string_view name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::absurd_logical_block: return "absurd-logical-block";
    case FindingKind::absurd_physical_block: return "absurd-physical-block";
    case FindingKind::absurd_minimum_io: return "absurd-minimum-io";
    case FindingKind::absurd_optimal_io: return "absurd-optimal-io";
    case FindingKind::transfer_above_hardware: return "transfer-above-hardware";
    case FindingKind::misaligned_device: return "misaligned-device";
    case FindingKind::misaligned_partition: return "misaligned-partition";
    case FindingKind::partition_off_optimal: return "partition-off-optimal";
    case FindingKind::table_for_512: return "table-for-512";
    case FindingKind::table_for_4096: return "table-for-4096";
  }
  return "absurd-logical-block";
}

std::vector<LimitFinding> judge_limits(const Limits& reported, const Limits& used,
                                       const std::vector<Partition>& partitions) {
  std::vector<LimitFinding> findings;
  const auto replaced = [&](FindingKind kind, uint64_t said, uint64_t taken) {
    if (said != taken) findings.push_back({.kind = kind, .value = said, .other = taken});
  };
  const auto compare = [&](FindingKind kind, const Limit& said, const Limit& taken) {
    if (said.value) replaced(kind, *said.value, taken.value.value_or(*said.value));
  };
  compare(FindingKind::absurd_logical_block, reported.logical_block, used.logical_block);
  replaced(FindingKind::absurd_physical_block, reported.physical_block, used.physical_block);
  compare(FindingKind::absurd_minimum_io, reported.minimum_io, used.minimum_io);
  compare(FindingKind::absurd_optimal_io, reported.optimal_io, used.optimal_io);
  if (reported.max_transfer.value && reported.max_hw_transfer.value &&
      *reported.max_transfer.value > *reported.max_hw_transfer.value) {
    findings.push_back({.kind = FindingKind::transfer_above_hardware,
                        .value = *reported.max_transfer.value,
                        .other = *reported.max_hw_transfer.value});
  }
  const uint64_t first = used.alignment_offset.value.value_or(0);
  if (first != 0) findings.push_back({.kind = FindingKind::misaligned_device, .value = first});
  const uint64_t physical = used.physical_block, optimal = used.optimal_io.value.value_or(1);
  for (const Partition& partition : partitions) {
    LimitFinding finding{.subject = partition.name, .value = partition.start};
    // Blocks begin at `first`: so must partitions.
    if ((partition.start + physical - first % physical) % physical != 0) {
      finding.kind = FindingKind::misaligned_partition;
      finding.other = physical;
    } else if (!is_multiple(partition.start, optimal)) {
      finding.kind = FindingKind::partition_off_optimal;
      finding.other = optimal;
    } else {
      continue;
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

Result<LimitReport> report_limits(const std::string& path) {
  LimitReport report;
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return failure(os_failure(errno, operation, path));
  report.is_device = S_ISBLK(status.st_mode);
  if (!report.is_device && !S_ISREG(status.st_mode)) {
    return failure(Error{.kind = ErrorKind::invalid,
                         .operation = std::string(operation),
                         .subject = path,
                         .cause = "it is neither a block device nor a file"});
  }
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  report.opened = fd >= 0;
  // A drive without a medium cannot be opened either; its limits are still there.
  if (!report.opened && !report.is_device) return failure(os_failure(errno, operation, path));
  report.reported = report.opened ? reported_limits(fd) : reported_limits_of(status.st_rdev);
  report.used = report.reported;
  replace_absurd(report.used);
  if (report.opened) report.direct = direct_alignment(fd);
  report.size = static_cast<uint64_t>(status.st_size);
  if (report.is_device) describe_device(status.st_rdev, report);
  if (report.is_device && report.opened && report.start == 0) judge_table(fd, report.used, report.findings);
  if (report.opened) close(fd);
  return report;
}

}  // namespace disklathe
