// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/options.h"

#include <fmt/format.h>

#include <bit>

#include "core/base/arithmetic.h"

namespace disklathe::qcow2 {
namespace {

std::unexpected<Error> invalid(std::string cause) { return failure(ErrorKind::invalid, "create", std::move(cause)); }

Result<uint32_t> parse_version(const std::string& compat) {
  if (compat.empty() || compat == "1.1" || compat == "v3") return 3u;
  if (compat == "0.10" || compat == "v2") return 2u;
  return invalid(fmt::format("option compat: '{}' is not 0.10 (v2) or 1.1 (v3)", compat));
}

Result<CompressionType> parse_compression_type(const std::string& value) {
  if (value.empty() || value == "zlib") return CompressionType::zlib;
  if (value == "zstd") return CompressionType::zstd;
  return invalid(fmt::format("option compression_type: '{}' is not zlib or zstd", value));
}

uint64_t l1_bytes(uint64_t size, uint32_t cluster_bits, bool extended_l2) {
  const uint64_t l2_entries = (1ull << cluster_bits) / l2_entry_size(extended_l2);
  return divide_up(divide_up(size, 1ull << cluster_bits), l2_entries) * l1_entry_size;
}

}  // namespace

const std::vector<OptionInfo>& create_options() {
  static const std::vector<OptionInfo> options{
      OptionInfo{.name = "backing_file", .help = "File name of a base image"},
      OptionInfo{.name = "backing_fmt", .help = "Image format of the base image"},
      OptionInfo{.name = "cluster_size", .default_value = "65536", .help = "Bytes, a power of two from 512 to 2M"},
      OptionInfo{.name = "compat",
                 .default_value = "1.1",
                 .help = "Version of the format: v2 [0.10] or v3 [1.1]",
                 .values = {"0.10", "1.1", "v2", "v3"}},
      OptionInfo{.name = "compression_type",
                 .default_value = "zlib",
                 .help = "Method used for compressed clusters",
                 .values = {"zlib", "zstd"}},
      OptionInfo{.name = "data_file", .help = "File name of an external data file"},
      OptionInfo{.name = "data_file_raw",
                 .help = "The external data file stays valid as a raw image",
                 .values = {"on", "off"}},
      OptionInfo{.name = "extended_l2",
                 .default_value = "off",
                 .help = "Extended L2 tables: 32 subclusters a cluster",
                 .values = {"on", "off"}},
      OptionInfo{.name = "lazy_refcounts",
                 .default_value = "off",
                 .help = "Refcount updates may be postponed",
                 .values = {"on", "off"}},
      OptionInfo{.name = "preallocation",
                 .default_value = "off",
                 .help = "Space taken at once",
                 .values = {"off", "metadata", "falloc", "full"}},
      OptionInfo{.name = "refcount_bits", .default_value = "16", .help = "Width of a refcount, a power of two to 64"},
  };
  return options;
}

Result<CreateOptions> parse_options(const FormatOptions& given) {
  const OptionValues values(given);
  if (auto known = values.only(create_options()); !known) return failure(known);
  const auto version = parse_version(values.text("compat"));
  if (!version) return std::unexpected(version.error());
  const auto extended_l2 = values.flag("extended_l2", false);
  if (!extended_l2) return std::unexpected(extended_l2.error());
  const auto lazy_refcounts = values.flag("lazy_refcounts", false);
  if (!lazy_refcounts) return std::unexpected(lazy_refcounts.error());
  const auto data_file_raw = values.flag("data_file_raw", false);
  if (!data_file_raw) return std::unexpected(data_file_raw.error());
  const auto preallocation = values.preallocation(true);
  if (!preallocation) return std::unexpected(preallocation.error());
  const auto compression = parse_compression_type(values.text("compression_type"));
  if (!compression) return std::unexpected(compression.error());

  const auto cluster_size = values.size("cluster_size", 65536);
  if (!cluster_size) return std::unexpected(cluster_size.error());
  if (!std::has_single_bit(*cluster_size) || *cluster_size < 1ull << min_cluster_bits ||
      *cluster_size > 1ull << max_cluster_bits)
    return invalid("option cluster_size: must be a power of two from 512 to 2M");
  const auto cluster_bits = static_cast<uint32_t>(std::countr_zero(*cluster_size));
  if (*extended_l2 && cluster_bits < min_cluster_bits_extended_l2)
    return invalid("option extended_l2: needs a cluster_size of at least 16K");

  const auto refcount_bits = values.number("refcount_bits", 16);
  if (!refcount_bits) return std::unexpected(refcount_bits.error());
  if (!std::has_single_bit(*refcount_bits) || *refcount_bits > 64)
    return invalid("option refcount_bits: must be a power of two and not above 64");
  if (*version < 3 && *refcount_bits != 16) return invalid("option refcount_bits: other than 16 needs compat=1.1");

  return CreateOptions{.version = *version,
                       .cluster_bits = cluster_bits,
                       .refcount_order = static_cast<uint32_t>(std::countr_zero(*refcount_bits)),
                       .extended_l2 = *extended_l2,
                       .lazy_refcounts = *lazy_refcounts,
                       .data_file_raw = *data_file_raw,
                       .preallocation = *preallocation,
                       .compression_type = *compression,
                       .backing_file = values.text("backing_file"),
                       .backing_format = values.text("backing_fmt"),
                       .data_file = values.text("data_file")};
}

Result<void> check_combination(const CreateOptions& options) {
  const bool v2 = options.version < 3;
  if (v2 && options.extended_l2) return invalid("option extended_l2: needs compat=1.1");
  if (v2 && options.lazy_refcounts) return invalid("option lazy_refcounts: needs compat=1.1");
  if (v2 && !options.data_file.empty()) return invalid("option data_file: needs compat=1.1");
  if (v2 && options.compression_type != CompressionType::zlib)
    return invalid("option compression_type: other than zlib needs compat=1.1");
  if (options.data_file_raw && options.data_file.empty()) return invalid("option data_file_raw: needs data_file");
  if (options.data_file_raw && !options.backing_file.empty())
    return invalid("option data_file_raw: not together with a backing file");
  if (!options.backing_file.empty() && options.preallocation != Preallocation::off && !options.extended_l2)
    return invalid("option preallocation: together with a backing file it needs extended_l2");
  if (!options.backing_format.empty() && options.backing_file.empty())
    return invalid("option backing_fmt: needs a backing file");
  if (options.backing_file.size() > max_backing_name)
    return invalid(fmt::format("the backing file's name is longer than {} bytes", max_backing_name));
  return {};
}

Result<uint32_t> l1_entries(uint64_t size, const CreateOptions& options) {
  const uint64_t bytes = l1_bytes(size, options.cluster_bits, options.extended_l2);
  if (bytes <= max_l1_bytes) return static_cast<uint32_t>(bytes / l1_entry_size);
  for (uint32_t bits = options.cluster_bits + 1; bits <= max_cluster_bits; ++bits) {
    if (l1_bytes(size, bits, options.extended_l2) <= max_l1_bytes)
      return invalid(fmt::format("a disk of {} bytes needs cluster_size={} or more", size, 1ull << bits));
  }
  return invalid(fmt::format("a disk of {} bytes is larger than the format's tables can be", size));
}

}  // namespace disklathe::qcow2
