// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/scsi_transport.h"

namespace disklathe {

// What a disk says of itself when it is asked by command. To ask takes an open device and no right besides: the
// commands are fixed, change nothing and read nothing of what is stored. What comes back is as hostile as an image. So
// a worker asks before it is locked in, and reads the answers afterwards.
//
// SPC, SBC: see scsi.h. SAT: SCSI / ATA Translation (T10 SAT-4). ACS: ATA Command Set (T13 ACS-4). NVMe: NVM Express
// Base Specification 2.0. NVM: NVM Command Set Specification 1.0.

struct DeviceAnswer {
  enum class Page : uint8_t {
    inquiry,          // SPC 6.7.2, standard INQUIRY data
    serial,           // SPC, Unit Serial Number page (80h)
    identification,   // SPC, Device Identification page (83h)
    ata,              // SAT, ATA Information page (89h): ACS's IDENTIFY DEVICE data lies in it
    limits,           // SBC, Block Limits page (B0h)
    characteristics,  // SBC, Block Device Characteristics page (B1h)
    provisioning,     // SBC, Logical Block Provisioning page (B2h)
    capacity,         // SBC 5.20, READ CAPACITY (16)
    nvme_namespace,   // NVM 4.1.5, Identify Namespace data structure (CNS 00h)
    nvme_controller,  // NVMe 5.17, Identify Controller data structure (CNS 01h)
    nvme_commands,    // NVM 4.1.5, I/O Command Set specific Identify Controller data structure (CNS 06h)
  };
  Page page;
  std::vector<std::byte> bytes;

  friend bool operator==(const DeviceAnswer&, const DeviceAnswer&) = default;
};
inline constexpr size_t device_answer_pages = 11;

// All that an open block device answers. Blocks: for some milliseconds, with a device that hangs for some seconds.
// None: it is no whole SCSI, ATA or NVMe disk, or the kernel lets only root ask (NVMe before 6.2).
std::vector<DeviceAnswer> ask_device(int fd);
std::vector<DeviceAnswer> ask_scsi(ScsiTransport& disk);

// In bytes, unless it says otherwise. Nothing: the disk does not say, or says that it has no such limit.
struct Identified {
  enum class Protocol : uint8_t { scsi, ata, nvme };
  Protocol protocol = Protocol::scsi;
  // Printable ASCII. Empty: it does not say. wwn: "naa.5000c500a1b2c3d4", "eui.0025388b710116a1".
  std::string vendor, model, firmware, serial, wwn;

  std::optional<uint64_t> logical_block;
  std::optional<uint64_t> max_transfer;          // MAXIMUM TRANSFER LENGTH; MDTS, with pages of 4 KiB
  std::optional<uint64_t> optimal_transfer;      // OPTIMAL TRANSFER LENGTH; NOWS
  std::optional<uint64_t> transfer_granularity;  // OPTIMAL TRANSFER LENGTH GRANULARITY; NPWG
  std::optional<uint64_t> boundary;              // NOIOB
  std::optional<uint64_t> max_write_zeroes;      // MAXIMUM WRITE SAME LENGTH; WZSL, with pages of 4 KiB
  std::optional<bool> unmaps;                    // LBPU, LBPWS or LBPWS10; TRIM; ONCS Dataset Management
  std::optional<uint64_t> max_unmap;             // MAXIMUM UNMAP LBA COUNT; DMSL
  std::optional<uint64_t> max_unmap_ranges;      // a count: MAXIMUM UNMAP BLOCK DESCRIPTOR COUNT; ACS word 105; DMRL
  std::optional<uint64_t> unmap_granularity;     // OPTIMAL UNMAP GRANULARITY; NPDG
  std::optional<uint64_t> unmap_offset;          // UNMAP GRANULARITY ALIGNMENT
  std::optional<bool> unmapped_reads_zero;       // LBPRZ; RZAT with DRAT; DLFEAT
  std::optional<bool> thin;                      // PROVISIONING TYPE; NSFEAT THINP
  std::optional<uint64_t> rotation_rate;         // a minute; 0: it does not rotate

  friend bool operator==(const Identified&, const Identified&) = default;
};
std::string_view name_of(Identified::Protocol protocol);  // "scsi"

// Nothing: there are no answers. What an answer is too short for, or what no device can mean, is left out.
std::optional<Identified> read_answers(const std::vector<DeviceAnswer>& answers);

}  // namespace disklathe
