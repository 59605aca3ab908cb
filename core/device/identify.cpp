// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/identify.h"

#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

#include "core/base/endian.h"
#include "core/device/descriptor.h"

namespace disklathe {
namespace {

using Page = DeviceAnswer::Page;

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds patience{5000};  // for a command; and after as much no other one is begun
constexpr size_t page_header = 4;
// More than 36 bytes of INQUIRY, or more than 255 of a page, is what some USB bridges hang on.
constexpr uint8_t inquiry_room = 36, page_room = 252, capacity_room = 32;
constexpr uint16_t ata_page_room = 572;

struct VitalPage {
  Page page;
  uint8_t code;
  uint16_t room = page_room;
};
constexpr std::array vital_pages{
    VitalPage{Page::serial, 0x80}, VitalPage{Page::identification, 0x83},  VitalPage{Page::ata, 0x89, ata_page_room},
    VitalPage{Page::limits, 0xb0}, VitalPage{Page::characteristics, 0xb1}, VitalPage{Page::provisioning, 0xb2}};

// Nothing: it did not answer.
std::optional<std::vector<std::byte>> ask(ScsiTransport& disk, const scsi::Cdb& cdb, size_t room) {
  std::vector<std::byte> answer(room);
  // The first command may be told of something else instead: that there was a reset.
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto outcome =
        disk.execute({.cdb = cdb, .direction = ScsiCommand::Direction::in, .data = answer, .timeout = patience});
    if (!outcome || outcome->host_status != 0) return std::nullopt;
    if (outcome->status != scsi::status_good) continue;
    answer.resize(room - std::min<size_t>(outcome->residual, room));
    return answer;
  }
  return std::nullopt;
}

// Which vital product data pages it has (SPC, Supported VPD Pages page, 00h).
std::vector<std::byte> pages_of(ScsiTransport& disk) {
  auto answer = ask(disk, scsi::inquiry_page(0x00, page_room), page_room);
  if (!answer || answer->size() < page_header || (*answer)[1] != std::byte{0}) return {};
  answer->resize(std::min<size_t>(answer->size(), page_header + load_be<uint16_t>(*answer, 2)));
  answer->erase(answer->begin(), answer->begin() + page_header);
  return std::move(*answer);
}

std::vector<DeviceAnswer> ask_nvme(int fd) {
  constexpr uint8_t identify = 0x06;
  constexpr size_t identify_size = 4096;
  const int own = ioctl(fd, NVME_IOCTL_ID);
  if (own <= 0) return {};
  std::vector<DeviceAnswer> answers;
  const Clock::time_point until = Clock::now() + patience;
  const auto take = [&](Page page, uint32_t space, uint32_t what) {
    if (Clock::now() >= until) return;
    std::vector<std::byte> answer(identify_size);
    nvme_admin_cmd command{};
    command.opcode = identify;
    command.nsid = space;
    command.addr = reinterpret_cast<uintptr_t>(answer.data());
    command.data_len = identify_size;
    command.cdw10 = what;  // CNS; the command set in cdw11 is NVM, 0
    command.timeout_ms = static_cast<uint32_t>(patience.count());
    if (ioctl(fd, NVME_IOCTL_ADMIN_CMD, &command) == 0) answers.push_back({page, std::move(answer)});
  };
  take(Page::nvme_namespace, static_cast<uint32_t>(own), 0x00);
  take(Page::nvme_controller, 0, 0x01);
  take(Page::nvme_commands, 0, 0x06);
  return answers;
}

}  // namespace

std::vector<DeviceAnswer> ask_scsi(ScsiTransport& disk) {
  std::vector<DeviceAnswer> answers;
  const Clock::time_point until = Clock::now() + patience;
  const auto take = [&](Page page, const scsi::Cdb& cdb, size_t room) {
    if (Clock::now() >= until) return;
    auto answer = ask(disk, cdb, room);
    if (answer) answers.push_back({page, std::move(*answer)});
  };
  take(Page::inquiry, scsi::inquiry(inquiry_room), inquiry_room);
  if (answers.empty()) return answers;
  const auto there = pages_of(disk);
  for (const auto& [page, code, room] : vital_pages)
    if (std::ranges::contains(there, std::byte{code})) take(page, scsi::inquiry_page(code, room), room);
  take(Page::capacity, scsi::read_capacity_16(capacity_room), capacity_room);
  return answers;
}

std::vector<DeviceAnswer> ask_device(int fd) {
  Descriptor own(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!own.open()) return {};
  auto answers = ask_scsi(*make_scsi_transport(std::move(own)));
  return answers.empty() ? ask_nvme(fd) : answers;
}

std::string_view name_of(Identified::Protocol protocol) {
  switch (protocol) {
    case Identified::Protocol::scsi: return "scsi";
    case Identified::Protocol::ata: return "ata";
    case Identified::Protocol::nvme: return "nvme";
  }
  return "scsi";
}

}  // namespace disklathe
