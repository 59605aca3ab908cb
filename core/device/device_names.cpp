// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a disk is called and how it is attached: each bus keeps vendor, model, serial and WWN somewhere else in sysfs.
#include <algorithm>
#include <array>
#include <cctype>

#include "core/device/enumerate.h"
#include "core/device/system_files.h"

namespace disklathe {
namespace {

std::string text_of(const std::string& path) { return device_text(read_attribute(path).value_or("")); }

std::string first_of(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) return text;
  }
  return {};
}

// "usb3": the word and then only digits.
bool is_numbered(std::string_view part, std::string_view word) {
  if (!part.starts_with(word) || part.size() == word.size()) return false;
  return std::ranges::all_of(part.substr(word.size()), [](char c) { return c >= '0' && c <= '9'; });
}

// The bus that one part of a path below /sys/devices stands for.
Bus bus_of_part(std::string_view part) {
  if (is_numbered(part, "usb")) return Bus::usb;
  if (is_numbered(part, "ata")) return Bus::ata;
  if (is_numbered(part, "nvme") || part == "nvme-subsystem") return Bus::nvme;
  if (part == "nvme-fabrics") return Bus::nvme_fabrics;
  if (is_numbered(part, "session")) return Bus::iscsi;
  if (part.starts_with("rport-")) return Bus::fibre_channel;
  if (part.starts_with("end_device-")) return Bus::sas;
  if (is_numbered(part, "virtio")) return Bus::virtio;
  if (is_numbered(part, "mmc")) return Bus::mmc;
  if (is_numbered(part, "fw")) return Bus::firewire;
  if (part.starts_with("vbd-")) return Bus::xen;
  if (is_numbered(part, "ndbus")) return Bus::nvdimm;
  if (is_numbered(part, "host")) return Bus::scsi;
  return Bus::unknown;
}

// Disks below /sys/devices/virtual/block are the kernel's own; each driver names its devices.
Bus bus_of_virtual(const std::string& folder, std::string_view name) {
  if (path_exists(folder + "/dm")) return Bus::device_mapper;
  if (path_exists(folder + "/md")) return Bus::md;
  if (is_numbered(name, "loop")) return Bus::loop;
  if (is_numbered(name, "zram")) return Bus::zram;
  if (is_numbered(name, "ram")) return Bus::ram;
  if (is_numbered(name, "nbd")) return Bus::nbd;
  if (is_numbered(name, "bcache")) return Bus::bcache;
  return Bus::other_virtual;
}

std::string_view parent_of(std::string_view path) { return path.substr(0, path.rfind('/')); }

// The nearest USB device above: the one whose own serial, manufacturer and product the stick or the bridge shows.
std::string usb_folder(std::string_view path) {
  for (; path.find("/usb") != std::string_view::npos; path = parent_of(path)) {
    if (path_exists(std::string(path) + "/idVendor")) return std::string(path);
  }
  return {};
}

// SCSI VPD page 80h, unit serial number (SPC-4 7.8.15): bytes 2-3 the length, then that many characters.
std::string scsi_serial(const std::string& folder) {
  const std::string page = read_small_file(folder + "/device/vpd_pg80", 4096).value_or("");
  if (page.size() < 4 || static_cast<unsigned char>(page[1]) != 0x80) return {};
  const size_t length =
      static_cast<size_t>(static_cast<unsigned char>(page[2])) << 8 | static_cast<unsigned char>(page[3]);
  return device_text(std::string_view(page).substr(4, length));
}

// Nothing but zeroes, blanks or one repeated filler names no device.
std::string believable(std::string serial) {
  const bool filler = std::ranges::all_of(serial, [&](char c) { return c == serial.front() || c == ' '; });
  return filler && (serial.size() > 1 || serial == "0") ? std::string() : serial;
}

}  // namespace

Bus bus_of_path(const std::string& root, const std::string& sysfs_path) {
  std::string_view path =
      std::string_view(sysfs_path).substr(std::min(real_path(root + "/sys").size(), sysfs_path.size()));
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (path.starts_with("/devices/virtual/block/")) return bus_of_virtual(sysfs_path, name);
  // From the disk upwards: the nearest is what it hangs on (a USB bridge in front of an ATA disk is USB).
  Bus nearest = Bus::unknown;
  for (path = parent_of(path); !path.empty(); path = parent_of(path)) {
    const Bus bus = bus_of_part(path.substr(path.rfind('/') + 1));
    // Every SCSI host says "host"; what carries it is further up. NVMe says first what it is, then whether over a net.
    if (bus == Bus::unknown || (bus == Bus::nvme && nearest == Bus::nvme)) continue;
    if (nearest == Bus::nvme) return bus == Bus::nvme_fabrics ? bus : nearest;
    if (bus != Bus::scsi && bus != Bus::nvme) return nearest == Bus::scsi && bus == Bus::virtio ? Bus::scsi : bus;
    nearest = bus;
  }
  return nearest;
}

DeviceNames read_device_names(const std::string& root, const std::string& folder, dev_t number, Bus bus) {
  DeviceNames names;
  if (bus == Bus::loop || bus == Bus::zram || bus == Bus::ram) return names;  // the kernel gives them none
  const auto udev = [&](std::string_view key) { return device_text(unescape_hex(udev_property(root, number, key))); };
  names.vendor = text_of(folder + "/device/vendor");
  names.model = text_of(folder + "/device/model");
  names.serial = first_of({text_of(folder + "/serial"), text_of(folder + "/device/serial"), scsi_serial(folder)});
  names.wwn = first_of(
      {text_of(folder + "/wwid"), text_of(folder + "/device/wwid"), udev("ID_WWN_WITH_EXTENSION"), udev("ID_WWN")});
  switch (bus) {
    case Bus::usb:
      if (const std::string usb = usb_folder(folder); !usb.empty()) {
        names.serial = first_of({text_of(usb + "/serial"), names.serial});
        names.vendor = first_of({names.vendor, text_of(usb + "/manufacturer")});
        names.model = first_of({names.model, text_of(usb + "/product")});
      }
      break;
    case Bus::ata:
      names.vendor.clear();                                         // "ATA" for all; the model begins with the vendor
      names.model = first_of({udev("ID_MODEL_ENC"), names.model});  // sysfs cuts it at 16 characters
      break;
    case Bus::virtio:
      names.vendor.clear();  // "0x1af4": the number of the virtual PCI device
      break;
    case Bus::mmc: names.model = first_of({text_of(folder + "/device/name"), names.model}); break;
    case Bus::md: names.wwn = text_of(folder + "/md/uuid"); break;
    case Bus::device_mapper:
      names.model = text_of(folder + "/dm/name");
      names.wwn = text_of(folder + "/dm/uuid");
      break;
    default: break;
  }
  if (names.serial.empty() && !is_virtual(bus))
    names.serial = first_of({udev("ID_SERIAL_SHORT"), udev("ID_SCSI_SERIAL")});
  names.serial = believable(std::move(names.serial));
  return names;
}

}  // namespace disklathe
