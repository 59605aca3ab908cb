// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/qcow2/header_fields.h"
#include "core/format/qcow2/layout.h"

namespace disklathe::qcow2 {

std::span<const FeatureName> known_feature_names() {
  using enum FeatureSet;
  static const FeatureName names[] = {
      {incompatible, 0, "dirty bit"},
      {incompatible, 1, "corrupt bit"},
      {incompatible, 2, "external data file"},
      {incompatible, 3, "compression type"},
      {incompatible, 4, "extended L2 entries"},
      {compatible, 0, "lazy refcounts"},
      {autoclear, 0, "bitmaps"},
      {autoclear, 1, "raw external data"},
  };
  return names;
}

Result<std::vector<std::byte>> Header::encode() const {
  const bool v3 = version >= 3;
  if (!v3 && (incompatible_features || compatible_features || autoclear_features || refcount_order != 4)) {
    return failure(ErrorKind::invalid, "create", "version 2 has no feature fields and only 16-bit refcounts");
  }
  std::vector<std::byte> bytes(v3 ? header_length_current : header_length_v2);
  const auto put32 = [&](uint64_t at, uint32_t value) { store_be(bytes, at, value); };
  const auto put64 = [&](uint64_t at, uint64_t value) { store_be(bytes, at, value); };
  put32(0, magic);
  put32(Field::version, version);
  put32(Field::cluster_bits, cluster_bits);
  put64(Field::size, size);
  put32(Field::crypt_method, static_cast<uint32_t>(crypt_method));
  put32(Field::l1_size, l1_size);
  put64(Field::l1_table_offset, l1_table_offset);
  put64(Field::refcount_table_offset, refcount_table_offset);
  put32(Field::refcount_table_clusters, refcount_table_clusters);
  put32(Field::nb_snapshots, nb_snapshots);
  put64(Field::snapshots_offset, snapshots_offset);
  if (v3) {
    put64(Field::incompatible_features, incompatible_features);
    put64(Field::compatible_features, compatible_features);
    put64(Field::autoclear_features, autoclear_features);
    put32(Field::refcount_order, refcount_order);
    put32(Field::header_length, header_length_current);
    bytes[Field::compression_type] = static_cast<std::byte>(compression_type);
  }

  const auto append = [&](std::string_view value) {
    const auto* data = reinterpret_cast<const std::byte*>(value.data());
    bytes.insert(bytes.end(), data, data + value.size());
  };
  const auto append_extension = [&](ExtensionType type, std::string_view data) {
    const size_t at = bytes.size();
    bytes.resize(at + 8);
    put32(at, static_cast<uint32_t>(type));
    put32(at + 4, static_cast<uint32_t>(data.size()));
    append(data);
    bytes.resize(round_up(bytes.size(), 8));
  };
  if (!backing_format.empty()) append_extension(ExtensionType::backing_format, backing_format);
  if (!data_file.empty()) append_extension(ExtensionType::data_file, data_file);
  // 16: this extension's own head and the end mark.
  if (v3 && bytes.size() + feature_names.size() * feature_entry_size + 16 + backing_file.size() <= cluster_size()) {
    std::string table;
    for (const FeatureName& feature : feature_names) {
      std::string entry{static_cast<char>(feature.set), static_cast<char>(feature.bit)};
      entry += feature.name.substr(0, feature_name_size);
      entry.resize(feature_entry_size);
      table += entry;
    }
    if (!table.empty()) append_extension(ExtensionType::feature_names, table);
  }
  bytes.resize(bytes.size() + 8);  // the end mark
  if (!backing_file.empty()) {
    put64(Field::backing_file_offset, bytes.size());
    put32(Field::backing_file_size, static_cast<uint32_t>(backing_file.size()));
    append(backing_file);
  }
  if (bytes.size() > cluster_size() || backing_file.size() > max_backing_name) {
    return failure(ErrorKind::invalid, "create", "the names of other files do not fit into the header's cluster");
  }
  return bytes;
}

}  // namespace disklathe::qcow2
