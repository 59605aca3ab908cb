// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/sparse_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"

namespace disklathe::vmdk {
namespace {

constexpr std::array<std::byte, 4> newline_test{std::byte{'\n'}, std::byte{' '}, std::byte{'\r'}, std::byte{'\n'}};
constexpr uint32_t newest_version = 3;
constexpr uint32_t esx_entries_per_table = 4096;
// Grains that are compressed are held in memory, the others are not.
constexpr uint64_t max_grain_size = 64 << 20, max_compressed_grain_size = 2 << 20;
// QEMU's limit. A file may be sparse: a directory that costs nothing to make would take years to look through.
constexpr uint64_t max_directory_entries = 512 << 20;

std::unexpected<Error> corrupt(uint64_t at, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), at);
}

std::unexpected<Error> unsupported(uint64_t at, std::string cause) {
  return failure(ErrorKind::unsupported, "open", std::move(cause), at);
}

// at: where the fields begin in the file.
Result<SparseHeader> parse_hosted(Bytes head, uint64_t at) {
  SparseHeader header{.version = load_le<uint32_t>(head, Field::version),
                      .flags = load_le<uint32_t>(head, Field::flags),
                      .capacity = load_le<uint64_t>(head, Field::capacity),
                      .grain_sectors = load_le<uint64_t>(head, Field::grain_size),
                      .descriptor_sector = load_le<uint64_t>(head, Field::descriptor_offset),
                      .descriptor_sectors = load_le<uint64_t>(head, Field::descriptor_size),
                      .entries_per_table = load_le<uint32_t>(head, Field::entries_per_table),
                      .redundant_directory_sector = load_le<uint64_t>(head, Field::redundant_directory),
                      .directory_sector = load_le<uint64_t>(head, Field::directory),
                      .overhead_sectors = load_le<uint64_t>(head, Field::overhead),
                      .unclean = head[Field::unclean_shutdown] != std::byte{0},
                      .compress_algorithm = load_le<uint16_t>(head, Field::compress_algorithm)};
  if (header.version < 1 || header.version > newest_version) {
    return unsupported(at + Field::version, fmt::format("VMDK version {}", header.version));
  }
  if ((header.flags & flag_newline_test) &&
      !std::ranges::equal(head.subspan(Field::newline_test, newline_test.size()), newline_test)) {
    return corrupt(at + Field::newline_test, "its line ends were changed, as by a transfer in text mode");
  }
  if (header.compress_algorithm > algorithm_deflate) {
    return unsupported(at + Field::compress_algorithm, fmt::format("compression {}", header.compress_algorithm));
  }
  if (header.compressed() && !(header.flags & flag_markers)) {
    return unsupported(at + Field::flags, "compressed grains without markers");
  }
  if (header.entries_per_table < 1 || header.entries_per_table > entries_per_table) {
    return corrupt(at + Field::entries_per_table,
                   fmt::format("grain tables of {} entries, not 1 to {}", header.entries_per_table, entries_per_table));
  }
  return header;
}

Result<SparseHeader> parse_esx(Bytes head) {
  SparseHeader header{.version = load_le<uint32_t>(head, EsxField::version),
                      .capacity = load_le<uint32_t>(head, EsxField::capacity),
                      .grain_sectors = load_le<uint32_t>(head, EsxField::grain_size),
                      .entries_per_table = esx_entries_per_table,
                      .directory_sector = load_le<uint32_t>(head, EsxField::directory)};
  if (header.version != 1) return unsupported(EsxField::version, fmt::format("COWD version {}", header.version));
  if (load_le<uint32_t>(head, EsxField::directory_entries) < header.directory_entries()) {
    return corrupt(EsxField::directory_entries, "the grain directory is too small for the disk");
  }
  return header;
}

// Of both kinds. at: where the fields begin; the offsets of the fields are those of a hosted header.
Result<void> check(const SparseHeader& header, uint64_t at, uint64_t file_size) {
  if (header.capacity > max_sectors) {
    return corrupt(at + Field::capacity, fmt::format("a capacity of {} sectors", header.capacity));
  }
  const uint64_t most = (header.compressed() ? max_compressed_grain_size : max_grain_size) / sector_size;
  if (!std::has_single_bit(header.grain_sectors) || header.grain_sectors > most) {
    return corrupt(at + Field::grain_size,
                   fmt::format("grains of {} sectors, not a power of two up to {}", header.grain_sectors, most));
  }
  if (header.directory_entries() > max_directory_entries) {
    return unsupported(at + Field::capacity, fmt::format("a grain directory of {} entries, above {}",
                                                         header.directory_entries(), max_directory_entries));
  }
  const uint64_t bytes = header.directory_entries() * table_entry_size;
  if (header.directory_sector > file_size / sector_size || bytes > file_size - header.directory_sector * sector_size) {
    return corrupt(at + Field::directory, "the grain directory does not lie inside the file");
  }
  return {};
}

// The last three sectors of a stream: the marker of the footer, the footer, the marker of the end.
Result<SparseHeader> read_footer(BlockDevice& file) {
  constexpr uint64_t length = 3 * sector_size;
  const uint64_t end = round_down(file.size(), sector_size);
  if (end < length) return corrupt(end, "the stream ends before its footer");
  std::array<std::byte, length> tail;
  if (auto read = file.read_now(end - length, tail); !read) return failure(read);
  const auto is_marker = [&](uint64_t at, Marker::Type type) {
    return load_le<uint32_t>(tail, at + Marker::size) == 0 &&
           load_le<uint32_t>(tail, at + Marker::type) == static_cast<uint32_t>(type);
  };
  if (!is_marker(0, Marker::Type::footer) || load_le<uint32_t>(tail, sector_size) != magic_hosted ||
      !is_marker(2 * sector_size, Marker::Type::end_of_stream)) {
    return corrupt(end - length, "there is no footer: the stream was cut, or something follows it");
  }
  auto header = parse_hosted(Bytes(tail).subspan(sector_size, sector_size), end - 2 * sector_size);
  if (!header) return header;
  if (header->directory_sector == directory_at_end) {
    return corrupt(end - 2 * sector_size + Field::directory, "the footer does not say where the grain directory is");
  }
  return header;
}

}  // namespace

uint64_t SparseHeader::directory_entries() const {
  return grain_sectors == 0 ? 0 : divide_up(divide_up(capacity, grain_sectors), entries_per_table);
}

void SparseHeader::encode(MutableBytes sector) const {
  std::ranges::fill(sector, std::byte{0});
  store_le(sector, 0, magic_hosted);
  store_le(sector, Field::version, version);
  store_le(sector, Field::flags, flags);
  store_le(sector, Field::capacity, capacity);
  store_le(sector, Field::grain_size, grain_sectors);
  store_le(sector, Field::descriptor_offset, descriptor_sector);
  store_le(sector, Field::descriptor_size, descriptor_sectors);
  store_le(sector, Field::entries_per_table, entries_per_table);
  store_le(sector, Field::redundant_directory, redundant_directory_sector);
  store_le(sector, Field::directory, directory_sector);
  store_le(sector, Field::overhead, overhead_sectors);
  std::ranges::copy(newline_test, sector.subspan(Field::newline_test).begin());
  store_le(sector, Field::compress_algorithm, compress_algorithm);
}

Result<SparseHeader> read_sparse_header(BlockDevice& file) {
  std::array<std::byte, sector_size> head;
  if (file.size() < head.size()) return corrupt(0, "the file is shorter than the header of an extent");
  if (auto read = file.read_now(0, head); !read) return failure(read);
  const auto magic = load_le<uint32_t>(head);
  if (magic != magic_hosted && magic != magic_esx) return corrupt(0, "it does not begin as a sparse extent does");
  auto header = magic == magic_esx ? parse_esx(head) : parse_hosted(head, 0);
  if (!header) return header;
  uint64_t at = 0;
  if (magic == magic_hosted && header->directory_sector == directory_at_end) {
    const SparseHeader first = *header;
    header = read_footer(file);
    if (!header) return header;
    header->descriptor_sector = first.descriptor_sector;
    header->descriptor_sectors = first.descriptor_sectors;
    at = round_down(file.size(), sector_size) - 2 * sector_size;
  }
  if (auto right = check(*header, at, file.size()); !right) return failure(right);
  return header;
}

Result<std::string> read_descriptor(BlockDevice& file, const SparseHeader& header) {
  if (header.descriptor_sector == 0 || header.descriptor_sectors == 0) return std::string();
  const uint64_t sectors = file.size() / sector_size;
  if (header.descriptor_sector > sectors || header.descriptor_sectors > sectors - header.descriptor_sector) {
    return corrupt(Field::descriptor_offset, "the descriptor does not lie inside the file");
  }
  if (header.descriptor_sectors > max_descriptor_size / sector_size) {
    return corrupt(Field::descriptor_size, fmt::format("a descriptor of {} sectors", header.descriptor_sectors));
  }
  std::string text(header.descriptor_sectors * sector_size, '\0');
  if (auto read = file.read_now(header.descriptor_sector * sector_size, std::as_writable_bytes(std::span(text)));
      !read) {
    return failure(read);
  }
  return text.substr(0, text.find('\0'));
}

}  // namespace disklathe::vmdk
