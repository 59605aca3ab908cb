// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the answers of identify.h mean. All of it is a device's: nothing is read past what came, and no number is
// believed that no device can mean.
#include <algorithm>
#include <limits>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/device/identify.h"

namespace disklathe {
namespace {

using Page = DeviceAnswer::Page;
using Number = std::optional<uint64_t>;

constexpr uint64_t controller_page = 4096;  // CAP.MPSMIN, a register that nobody here can read; larger nowhere
constexpr unsigned largest_shift = 24;      // of a limit that is a power of two pages

Bytes answer_of(const std::vector<DeviceAnswer>& answers, Page page) {
  const auto found = std::ranges::find(answers, page, &DeviceAnswer::page);
  return found == answers.end() ? Bytes() : Bytes(found->bytes);
}

template <std::unsigned_integral T>
std::optional<T> big(Bytes from, size_t at) {
  if (from.size() < sizeof(T) || at > from.size() - sizeof(T)) return std::nullopt;
  return load_be<T>(from, at);
}

template <std::unsigned_integral T>
std::optional<T> little(Bytes from, size_t at) {
  if (from.size() < sizeof(T) || at > from.size() - sizeof(T)) return std::nullopt;
  return load_le<T>(from, at);
}

// 0 stands for "none", and all ones of a wide field for "as many as you like".
template <std::unsigned_integral T>
Number some(std::optional<T> value) {
  if (!value || *value == 0 || (sizeof(T) >= 4 && *value == std::numeric_limits<T>::max())) return std::nullopt;
  return *value;
}

Number times(Number count, Number unit) {
  if (!count || !unit) return std::nullopt;
  return checked_multiply(*count, *unit);
}

// Of a field in which a number counts from 0.
Number from_zero(std::optional<uint16_t> value) {
  if (!value) return std::nullopt;
  return uint64_t{*value} + 1;
}

Number pages_by_power(std::optional<uint8_t> power) {
  if (!power || *power == 0 || *power > largest_shift) return std::nullopt;
  return controller_page << *power;
}

Bytes part_of(Bytes from, size_t at, size_t size) {
  return at >= from.size() ? Bytes() : from.subspan(at, std::min(size, from.size() - at));
}

// Filled with spaces at either end, or with zero bytes after it.
std::string text_of(Bytes bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    const char c = static_cast<char>(byte);
    if (c == '\0') break;
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string hexadecimal(std::string_view prefix, Bytes bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(prefix);
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<size_t>(byte >> 4)];
    text += digits[std::to_integer<size_t>(byte & std::byte{0xf})];
  }
  return text;
}

// ---- SCSI

// A vital product data page, with no more than it says that it has.
Bytes vital_page(const std::vector<DeviceAnswer>& answers, Page page, uint8_t code) {
  constexpr size_t header = 4;
  const Bytes bytes = answer_of(answers, page);
  if (bytes.size() < header || bytes[1] != std::byte{code}) return {};
  return part_of(bytes, 0, header + load_be<uint16_t>(bytes, 2));
}

// Of the designators the first that is a name of the logical unit, in the kernel's order: NAA before EUI-64.
std::string name_in(Bytes page) {
  constexpr size_t header = 4;
  constexpr unsigned binary = 1, eui64 = 2, naa = 3, longest = 16;
  std::string name;
  for (size_t at = header; at + header <= page.size();) {
    const Bytes designator = page.subspan(at);
    const auto set = std::to_integer<unsigned>(designator[0]) & 0xf, form = std::to_integer<unsigned>(designator[1]);
    const auto length = std::to_integer<size_t>(designator[3]);
    if (length > designator.size() - header) break;
    const bool of_unit = ((form >> 4) & 3) == 0 && length <= longest;
    const Bytes value = designator.subspan(header, length);
    if (set == binary && of_unit && (form & 0xf) == naa) return hexadecimal("naa.", value);
    if (set == binary && of_unit && (form & 0xf) == eui64 && name.empty()) name = hexadecimal("eui.", value);
    at += header + length;
  }
  return name;
}

void read_block_limits(Bytes page, Identified& disk) {
  const auto blocks = [&](size_t at) { return times(some(big<uint32_t>(page, at)), disk.logical_block); };
  disk.transfer_granularity = times(some(big<uint16_t>(page, 6)), disk.logical_block);
  disk.max_transfer = blocks(8);
  disk.optimal_transfer = blocks(12);
  disk.max_unmap = blocks(20);
  disk.max_unmap_ranges = some(big<uint32_t>(page, 24));
  disk.unmap_granularity = blocks(28);
  constexpr uint32_t valid = 1U << 31;  // UGAVALID
  if (const auto alignment = big<uint32_t>(page, 32); alignment && (*alignment & valid) != 0)
    disk.unmap_offset = times(*alignment & ~valid, disk.logical_block);
  disk.max_write_zeroes = times(some(big<uint64_t>(page, 36)), disk.logical_block);
}

// SBC, table "MEDIUM ROTATION RATE field"; ACS word 217 has the same.
Number rotation(std::optional<uint16_t> rate) {
  if (rate == 1) return 0;
  if (!rate || *rate < 0x401 || *rate == 0xffff) return std::nullopt;
  return *rate;
}

void read_provisioning(Bytes page, std::optional<uint8_t> capacity_flags, Identified& disk) {
  constexpr uint8_t managed = 0x80, zeroes = 0x40;  // LBPME, LBPRZ of READ CAPACITY (16)
  if (capacity_flags) {
    if ((*capacity_flags & managed) == 0) disk.unmaps = disk.thin = false;
    if ((*capacity_flags & managed) != 0) disk.unmapped_reads_zero = (*capacity_flags & zeroes) != 0;
  }
  const auto commands = big<uint8_t>(page, 5), kind = big<uint8_t>(page, 6);
  if (!commands || !kind) return;
  disk.unmaps = (*commands & 0xe0) != 0;
  if (*disk.unmaps) disk.unmapped_reads_zero = (*commands & 0x04) != 0;  // LBPRZ: xx1b
  constexpr unsigned resource = 1, thin = 2;
  disk.thin.reset();
  if ((*kind & 7) == resource) disk.thin = false;
  if ((*kind & 7) == thin) disk.thin = true;
}

// IDENTIFY DEVICE: words of 16 bits; in texts the first of two characters is the upper half.
class AtaWords {
 public:
  explicit AtaWords(Bytes page) : words_(part_of(page, 60, 512)) {}

  bool valid() const { return words_.size() == 512 && (word(0) & 0x8000) == 0; }
  uint16_t word(size_t number) const { return load_le<uint16_t>(words_, 2 * number); }
  std::string text(size_t first, size_t last) const {
    std::vector<std::byte> bytes(words_.begin() + static_cast<ptrdiff_t>(2 * first),
                                 words_.begin() + static_cast<ptrdiff_t>(2 * last + 2));
    for (size_t i = 0; i < bytes.size(); i += 2) std::swap(bytes[i], bytes[i + 1]);
    return text_of(bytes);
  }

 private:
  Bytes words_;
};

void read_ata(const AtaWords& ata, Identified& disk) {
  constexpr uint64_t ranges_in_a_block = 64;
  constexpr unsigned trim = 1, deterministic = 1U << 14, zeroes = 1U << 5;
  disk.protocol = Identified::Protocol::ata;
  disk.vendor.clear();  // "ATA"
  disk.serial = ata.text(10, 19);
  disk.firmware = ata.text(23, 26);
  disk.model = ata.text(27, 46);
  if (!disk.rotation_rate) disk.rotation_rate = rotation(ata.word(217));
  disk.unmaps = (ata.word(169) & trim) != 0;
  if (!*disk.unmaps) return;
  if (!disk.max_unmap_ranges) disk.max_unmap_ranges = times(some(std::optional(ata.word(105))), ranges_in_a_block);
  disk.unmapped_reads_zero = (ata.word(69) & deterministic) != 0 && (ata.word(69) & zeroes) != 0;
}

Identified read_scsi(const std::vector<DeviceAnswer>& answers) {
  Identified disk;
  const Bytes inquiry = answer_of(answers, Page::inquiry), capacity = answer_of(answers, Page::capacity);
  disk.vendor = text_of(part_of(inquiry, 8, 8));
  disk.model = text_of(part_of(inquiry, 16, 16));
  disk.firmware = text_of(part_of(inquiry, 32, 4));
  disk.serial = text_of(part_of(vital_page(answers, Page::serial, 0x80), 4, 252));
  disk.wwn = name_in(vital_page(answers, Page::identification, 0x83));
  if (const auto parsed = scsi::parse_capacity(capacity)) disk.logical_block = parsed->block_size;
  read_block_limits(vital_page(answers, Page::limits, 0xb0), disk);
  disk.rotation_rate = rotation(big<uint16_t>(vital_page(answers, Page::characteristics, 0xb1), 4));
  read_provisioning(vital_page(answers, Page::provisioning, 0xb2), big<uint8_t>(capacity, 14), disk);
  const AtaWords ata(vital_page(answers, Page::ata, 0x89));
  if (ata.valid()) read_ata(ata, disk);
  return disk;
}

// ---- NVMe

void read_namespace(Bytes space, Identified& disk) {
  constexpr size_t formats = 128;
  constexpr unsigned thin = 1, optimal = 1U << 4;  // NSFEAT: THINP, OPTPERF
  const auto features = little<uint8_t>(space, 24), format = little<uint8_t>(space, 26);
  if (!features || !format) return;
  const size_t index = (*format & 0xfU) | (*format >> 1 & 0x30U);  // FLBAS
  const auto shift = little<uint8_t>(space, formats + 4 * index + 2);
  if (shift && *shift >= 9 && *shift <= 20) disk.logical_block = uint64_t{1} << *shift;
  disk.thin = (*features & thin) != 0;
  disk.boundary = times(some(little<uint16_t>(space, 46)), disk.logical_block);
  if ((*features & optimal) != 0) {
    disk.transfer_granularity = times(from_zero(little<uint16_t>(space, 64)), disk.logical_block);
    disk.unmap_granularity = times(from_zero(little<uint16_t>(space, 68)), disk.logical_block);
    disk.optimal_transfer = times(from_zero(little<uint16_t>(space, 72)), disk.logical_block);
  }
  // DLFEAT, what a deallocated block reads as: 1 zeroes, 2 ones, 0 is not said.
  if (const unsigned reads = little<uint8_t>(space, 33).value_or(0) & 7U; reads == 1 || reads == 2)
    disk.unmapped_reads_zero = reads == 1;
  for (const Bytes name : {part_of(space, 104, 16), part_of(space, 120, 8)}) {  // NGUID, EUI64
    const auto given = [](std::byte byte) { return byte != std::byte{0}; };
    if (disk.wwn.empty() && std::ranges::any_of(name, given)) disk.wwn = hexadecimal("eui.", name);
  }
}

Identified read_nvme(const std::vector<DeviceAnswer>& answers) {
  Identified disk{.protocol = Identified::Protocol::nvme};
  const Bytes controller = answer_of(answers, Page::nvme_controller),
              commands = answer_of(answers, Page::nvme_commands);
  read_namespace(answer_of(answers, Page::nvme_namespace), disk);
  disk.serial = text_of(part_of(controller, 4, 20));
  disk.model = text_of(part_of(controller, 24, 40));
  disk.firmware = text_of(part_of(controller, 64, 8));
  disk.max_transfer = pages_by_power(little<uint8_t>(controller, 77));  // MDTS
  constexpr unsigned dataset_management = 1U << 2;                      // ONCS
  if (const auto known = little<uint16_t>(controller, 520)) disk.unmaps = (*known & dataset_management) != 0;
  disk.max_write_zeroes = pages_by_power(little<uint8_t>(commands, 1));             // WZSL
  disk.max_unmap_ranges = some(little<uint8_t>(commands, 3));                       // DMRL
  disk.max_unmap = times(some(little<uint64_t>(commands, 8)), disk.logical_block);  // DMSL
  return disk;
}

}  // namespace

std::optional<Identified> read_answers(const std::vector<DeviceAnswer>& answers) {
  if (!answer_of(answers, Page::inquiry).empty()) return read_scsi(answers);
  if (!answer_of(answers, Page::nvme_namespace).empty() || !answer_of(answers, Page::nvme_controller).empty())
    return read_nvme(answers);
  return std::nullopt;
}

}  // namespace disklathe
