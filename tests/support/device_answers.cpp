// SPDX-License-Identifier: GPL-3.0-or-later
//
// Made from the standards' tables, not from what any device said: see core/device/identify.h for which.
#include "tests/support/device_answers.h"

#include <algorithm>

namespace disklathe::test {
namespace {

using Page = DeviceAnswer::Page;

Fields inquiry(std::string_view vendor, std::string_view model, std::string_view revision) {
  return Fields(36).big<uint8_t>(2, 7).big<uint8_t>(4, 31).text(8, vendor, 8).text(16, model, 16).text(32, revision, 4);
}

// flags: LBPME (80h) and LBPRZ (40h).
Fields capacity(uint64_t blocks, uint32_t block, uint8_t flags) {
  return Fields(32).big<uint64_t>(0, blocks - 1).big<uint32_t>(8, block).big<uint8_t>(13, 3).big<uint8_t>(14, flags);
}

// The upper half of each word is the first character.
Fields& ata_text(Fields& page, size_t first_word, size_t words, std::string text) {
  text.resize(2 * words, ' ');
  for (size_t i = 0; i < text.size(); i += 2) std::swap(text[i], text[i + 1]);
  return page.text(60 + 2 * first_word, text, text.size());
}

}  // namespace

std::vector<DeviceAnswer> answers_of_a_scsi_disk() {
  // A designator of the port (association 1), a T10 vendor's name, an EUI-64, then the NAA name.
  Fields names = vital_page(0x83, 4 + 12 + 12 + 12 + 12);
  names.big<uint64_t>(4, 0x0193'0008'5111'1111).big<uint32_t>(12, 0x22222222);
  names.big<uint32_t>(16, 0x0201'0008).text(20, "VENDOR X", 8);
  names.big<uint32_t>(28, 0x0102'0008).big<uint64_t>(32, 0x0025388b710116a1);
  names.big<uint32_t>(40, 0x0103'0008).big<uint64_t>(44, 0x5000c500a1b2c3d4);
  return {{Page::inquiry, inquiry("ACME", "Turntable 9000", "1.0")},
          {Page::serial, vital_page(0x80, 4 + 12).text(4, "  SN12345", 12)},
          {Page::identification, names},
          {Page::limits, vital_page(0xb0, 64)
                             .big<uint16_t>(6, 8)                    // OPTIMAL TRANSFER LENGTH GRANULARITY
                             .big<uint32_t>(8, 0x2000)               // MAXIMUM TRANSFER LENGTH
                             .big<uint32_t>(12, 0x800)               // OPTIMAL TRANSFER LENGTH
                             .big<uint32_t>(20, 0x10000)             // MAXIMUM UNMAP LBA COUNT
                             .big<uint32_t>(24, 256)                 // MAXIMUM UNMAP BLOCK DESCRIPTOR COUNT
                             .big<uint32_t>(28, 64)                  // OPTIMAL UNMAP GRANULARITY
                             .big<uint32_t>(32, 0x8000'0000U | 7)    // UGAVALID, UNMAP GRANULARITY ALIGNMENT
                             .big<uint64_t>(36, 0x1'0000'0000ULL)},  // MAXIMUM WRITE SAME LENGTH
          {Page::characteristics, vital_page(0xb1, 64).big<uint16_t>(4, 7200)},
          {Page::provisioning, vital_page(0xb2, 8).big<uint8_t>(5, 0x80 | 0x04).big<uint8_t>(6, 2)},
          {Page::capacity, capacity(1 << 20, 512, 0xc0)}};
}

std::vector<DeviceAnswer> answers_of_an_ata_disk() {
  Fields identify = vital_page(0x89, 572);
  identify.big<uint8_t>(56, 0xec);
  ata_text(identify, 10, 10, "S3Z8NB0K");
  ata_text(identify, 23, 4, "RVT02B6Q");
  ata_text(identify, 27, 20, "Example SSD 870 1TB");
  const auto word = [&](size_t number, uint16_t value) { identify.little<uint16_t>(60 + 2 * number, value); };
  word(0, 0x0040);
  word(69, 1U << 14 | 1U << 5);  // DRAT, RZAT
  word(105, 8);                  // blocks of ranges in one DATA SET MANAGEMENT command
  word(169, 1);                  // TRIM
  word(217, 1);                  // it does not rotate
  return {{Page::inquiry, inquiry("ATA", "Example SSD 870 ", "2B6Q")},
          {Page::ata, identify},
          {Page::capacity, capacity(2000409264, 512, 0)}};
}

std::vector<DeviceAnswer> answers_of_an_nvme_disk() {
  return {{Page::nvme_namespace, Fields(4096)
                                     .little<uint64_t>(0, 1 << 20)                 // NSZE
                                     .little<uint8_t>(24, 1U << 4 | 1)             // NSFEAT: OPTPERF, THINP
                                     .little<uint8_t>(25, 17)                      // NLBAF
                                     .little<uint8_t>(26, 1U << 5 | 1)             // FLBAS: format 17
                                     .little<uint8_t>(33, 1U << 3 | 1)             // DLFEAT: zeroes
                                     .little<uint16_t>(46, 256)                    // NOIOB
                                     .little<uint16_t>(64, 3)                      // NPWG, from 0
                                     .little<uint16_t>(68, 7)                      // NPDG, from 0
                                     .little<uint16_t>(72, 31)                     // NOWS, from 0
                                     .big<uint64_t>(120, 0x0025388b710116a1)       // EUI64
                                     .little<uint32_t>(128 + 4 * 1, 9U << 16)      // LBAF1
                                     .little<uint32_t>(128 + 4 * 17, 12U << 16)},  // LBAF17: blocks of 2^12
          {Page::nvme_controller, Fields(4096)
                                      .text(4, "S64ENF0R", 20)
                                      .text(24, "Example NVMe 980", 40)
                                      .text(64, "2B4QFXO7", 8)
                                      .little<uint8_t>(77, 9)         // MDTS: 2^9 pages
                                      .little<uint32_t>(80, 0x20000)  // VER
                                      .little<uint16_t>(520, 0x5f)},  // ONCS
          {Page::nvme_commands, Fields(4096)
                                    .little<uint8_t>(1, 11)                    // WZSL: 2^11 pages
                                    .little<uint8_t>(3, 255)                   // DMRL
                                    .little<uint32_t>(4, 1 << 16)              // DMRSL
                                    .little<uint64_t>(8, 0x1'0000'0000ULL)}};  // DMSL
}

std::vector<std::byte> in_one_piece(const std::vector<DeviceAnswer>& answers) {
  std::vector<std::byte> all;
  for (const auto& [page, bytes] : answers) {
    all.push_back(static_cast<std::byte>(page));
    all.push_back(static_cast<std::byte>(bytes.size() >> 8));
    all.push_back(static_cast<std::byte>(bytes.size() & 0xff));
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

}  // namespace disklathe::test
