// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/base/endian.h"
#include "core/device/identify.h"

namespace disklathe::test {

// Bytes with numbers and texts at places that a standard names.
class Fields {
 public:
  explicit Fields(size_t size, char filling = '\0') : bytes_(size, static_cast<std::byte>(filling)) {}

  template <std::unsigned_integral T>
  Fields& big(size_t at, T value) {
    store_be(MutableBytes(bytes_), at, value);
    return *this;
  }
  template <std::unsigned_integral T>
  Fields& little(size_t at, T value) {
    store_le(MutableBytes(bytes_), at, value);
    return *this;
  }
  Fields& text(size_t at, std::string_view text, size_t width) {
    for (size_t i = 0; i < width; ++i) bytes_[at + i] = static_cast<std::byte>(i < text.size() ? text[i] : ' ');
    return *this;
  }
  operator std::vector<std::byte>() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// A vital product data page of so many bytes.
inline Fields vital_page(uint8_t code, size_t size) {
  return Fields(size).big<uint8_t>(1, code).big(2, static_cast<uint16_t>(size - 4));
}

// Disks, in the answers that they give.
std::vector<DeviceAnswer> answers_of_a_scsi_disk();
std::vector<DeviceAnswer> answers_of_an_ata_disk();
std::vector<DeviceAnswer> answers_of_an_nvme_disk();

// As fuzzing takes them: of each answer its page (a byte), its length (two, big-endian) and its bytes.
std::vector<std::byte> in_one_piece(const std::vector<DeviceAnswer>& answers);
inline std::vector<DeviceAnswer> in_pieces(Bytes bytes) {
  constexpr size_t header = 3;
  std::vector<DeviceAnswer> answers;
  while (bytes.size() >= header) {
    const size_t size = std::min<size_t>(load_be<uint16_t>(bytes, 1), bytes.size() - header);
    const Bytes answer = bytes.subspan(header, size);
    answers.push_back({static_cast<DeviceAnswer::Page>(std::to_integer<size_t>(bytes[0]) % device_answer_pages),
                       {answer.begin(), answer.end()}});
    bytes = bytes.subspan(header + size);
  }
  return answers;
}

}  // namespace disklathe::test
