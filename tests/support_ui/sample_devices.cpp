// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support_ui/sample_devices.h"

#include <sys/sysmacros.h>

namespace disklathe::ui::samples {
namespace {

std::shared_ptr<Device> disk(const std::string& name, unsigned minor, Bus bus, const std::string& vendor,
                             const std::string& model, uint64_t size) {
  auto device = std::make_shared<Device>();
  Disk& d = device->disk;
  d.name = name;
  d.node = "/dev/" + name;
  d.number = makedev(8, minor);
  d.size = size;
  d.bus = bus;
  d.vendor = vendor;
  d.model = model;
  d.serial = "S5T2NS0R" + std::to_string(minor) + "4F2A";
  d.id = d.serial;
  d.diskseq = minor + 1;
  d.content.source = ContentSource::udev;
  return device;
}

void add_partition(Device& device, uint64_t start, uint64_t size, const std::string& type, const std::string& label,
                   const std::string& mounted = {}) {
  Partition part;
  part.index = static_cast<unsigned>(device.disk.partitions.size()) + 1;
  part.name = device.disk.name + (device.disk.bus == Bus::nvme ? "p" : "") + std::to_string(part.index);
  part.node = "/dev/" + part.name;
  part.start = start;
  part.size = size;
  part.content = {.source = ContentSource::udev, .type = type, .usage = "filesystem", .label = label};
  device.disk.content.table_type = "gpt";
  Usage usage;
  if (!mounted.empty()) {
    const Hold hold{.kind = HoldKind::mount, .by = mounted, .detail = type, .chain = {part.name, device.disk.name}};
    usage.in_use = true;
    usage.holds.push_back(hold);
    device.usage.in_use = true;
    device.usage.holds.push_back(hold);
  }
  device.disk.partitions.push_back(part);
  device.partition_usage.push_back(usage);
}

constexpr uint64_t mib = 1 << 20;

std::shared_ptr<Device> t7() { return disk("sdc", 32, Bus::usb, "Samsung", "Samsung T7", 1'000'204'886'016); }

}  // namespace

DevicePtr usb_disk() {
  auto device = t7();
  add_partition(*device, mib, 210 * mib, "vfat", "EFI");
  add_partition(*device, 211 * mib, 953'658 * mib, "exfat", "T7", "/media/ana/T7");
  return device;
}

DevicePtr free_disk() {
  auto device = t7();
  add_partition(*device, mib, 210 * mib, "vfat", "EFI");
  add_partition(*device, 211 * mib + 512, 953'658 * mib, "exfat", "T7");
  return device;
}

DevicePtr blank_card() {
  auto device = disk("sdd", 48, Bus::mmc, "SanDisk", "Ultra", 32'010'928'128);
  device->disk.removable = true;
  return device;
}

DeviceList devices() {
  auto system = disk("nvme0n1", 0, Bus::nvme, "Samsung", "SSD 990 PRO", 2'000'398'934'016);
  add_partition(*system, mib, 512 * mib, "vfat", "EFI", "/boot/efi");
  add_partition(*system, 513 * mib, 1'907'200 * mib, "ext4", "root", "/");
  system->usage.system = true;
  auto lvm = disk("sda", 16, Bus::ata, "ATA", "WDC WD80EFPX", 8'001'563'222'016);
  lvm->disk.content.type = "LVM2_member";
  lvm->usage.in_use = true;
  lvm->usage.holds.push_back({.kind = HoldKind::lvm, .by = "dm-0", .detail = "vg0-data", .chain = {"dm-0", "sda"}});
  return {system, lvm, usb_disk(), blank_card()};
}

Identified answers() {
  return {.protocol = Identified::Protocol::scsi,
          .vendor = "Samsung",
          .model = "PSSD T7",
          .firmware = "0",
          .serial = {},
          .wwn = {},
          .logical_block = 512,
          .max_transfer = 33'553'920,
          .optimal_transfer = mib,
          .unmaps = true,
          .max_unmap = uint64_t{2} << 30,
          .max_unmap_ranges = 64,
          .unmapped_reads_zero = false,
          .thin = false,
          .rotation_rate = 0};
}

LimitReport limits() {
  LimitReport report;
  report.is_device = true;
  report.opened = true;
  report.size = 1'000'204'886'016;
  Limits& said = report.reported;
  const auto sysfs = [](uint64_t value) { return Limit{value, LimitSource::sysfs}; };
  said.offset_align = 512;
  said.physical_block = 4096;
  said.physical_source = LimitSource::ioctl;
  said.logical_block = {512, LimitSource::ioctl};
  said.minimum_io = sysfs(4096);
  said.optimal_io = sysfs(33'553'920);
  said.max_transfer = sysfs(4 * mib);
  said.max_hw_transfer = sysfs(4 * mib);
  said.max_segments = sysfs(256);
  said.max_segment_size = sysfs(65'536);
  said.dma_alignment = sysfs(4);
  said.discard_granularity = sysfs(65'536);
  said.max_discard = sysfs(uint64_t{2} << 30);
  said.max_write_zeroes = sysfs(32 * mib);
  said.queue_depth = sysfs(60);
  said.rotational = false;
  said.kernel_splits = true;
  report.used = said;
  report.used.optimal_io = {mib, LimitSource::assumed};
  report.direct = DirectAlignment{512, 512, LimitSource::statx};
  report.findings.push_back({FindingKind::absurd_optimal_io, {}, 33'553'920, mib});
  return report;
}

}  // namespace disklathe::ui::samples
