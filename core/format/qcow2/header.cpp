// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/header.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/qcow2/header_fields.h"

namespace disklathe::qcow2 {

namespace {

constexpr uint64_t max_file_offset = static_cast<uint64_t>(INT64_MAX);

std::unexpected<Error> corrupt(uint64_t offset, std::string cause) {
  return failure(ErrorKind::corrupt, "open", std::move(cause), offset);
}

std::string text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// A table that the header points to: on a cluster boundary, behind the header, inside the file.
Result<void> check_table(std::string_view name, uint64_t field, uint64_t at, uint64_t bytes, uint64_t cluster_size,
                         uint64_t file_size) {
  if (!is_multiple(at, cluster_size)) return corrupt(field, fmt::format("{} is not on a cluster boundary", name));
  if (at < cluster_size) return corrupt(field, fmt::format("{} overlaps the header", name));
  if (at > file_size || bytes > file_size - at) {
    return corrupt(field, fmt::format("{} does not lie inside the file", name));
  }
  return {};
}

class Parser {
 public:
  Parser(Bytes head, uint64_t file_size) : head_(head), file_size_(file_size) {}

  Result<Header> run() {
    for (auto step :
         {&Parser::fixed_fields, &Parser::extensions, &Parser::features, &Parser::backing_file, &Parser::tables}) {
      if (auto done = (this->*step)(); !done) return failure(done);
    }
    return std::move(header_);
  }

 private:
  Result<void> fixed_fields() {
    if (head_.size() < header_length_v2) return corrupt(0, "the file is shorter than a qcow2 header");
    if (load_be<uint32_t>(head_) != magic) return corrupt(0, "magic is not that of qcow2");
    header_.version = load_be<uint32_t>(head_, Field::version);
    if (header_.version != 2 && header_.version != 3) {
      return failure(ErrorKind::unsupported, "open", fmt::format("qcow2 version {}", header_.version), Field::version);
    }
    if (header_.version == 3 && head_.size() < header_length_v3) {
      return corrupt(0, "the file is shorter than a version 3 header");
    }
    header_.cluster_bits = load_be<uint32_t>(head_, Field::cluster_bits);
    if (header_.cluster_bits < min_cluster_bits || header_.cluster_bits > max_cluster_bits) {
      return corrupt(Field::cluster_bits, fmt::format("cluster_bits is {}, not {} to {}", header_.cluster_bits,
                                                      min_cluster_bits, max_cluster_bits));
    }
    header_.size = load_be<uint64_t>(head_, Field::size);
    if (header_.size > max_file_offset) return corrupt(Field::size, "size is above 2^63 - 1");
    const auto crypt_method = load_be<uint32_t>(head_, Field::crypt_method);
    if (crypt_method > static_cast<uint32_t>(CryptMethod::luks)) {
      return failure(ErrorKind::unsupported, "open", fmt::format("crypt_method {}", crypt_method), Field::crypt_method);
    }
    header_.crypt_method = static_cast<CryptMethod>(crypt_method);
    header_.l1_size = load_be<uint32_t>(head_, Field::l1_size);
    header_.l1_table_offset = load_be<uint64_t>(head_, Field::l1_table_offset);
    header_.refcount_table_offset = load_be<uint64_t>(head_, Field::refcount_table_offset);
    header_.refcount_table_clusters = load_be<uint32_t>(head_, Field::refcount_table_clusters);
    header_.nb_snapshots = load_be<uint32_t>(head_, Field::nb_snapshots);
    header_.snapshots_offset = load_be<uint64_t>(head_, Field::snapshots_offset);
    // The header and all that belongs to it stays inside the first cluster, also where a file is shorter than that.
    head_ = head_.first(std::min<uint64_t>(head_.size(), header_.cluster_size()));
    return header_.version == 3 ? version_3_fields() : Result<void>{};
  }

  Result<void> version_3_fields() {
    header_.incompatible_features = load_be<uint64_t>(head_, Field::incompatible_features);
    header_.compatible_features = load_be<uint64_t>(head_, Field::compatible_features);
    header_.autoclear_features = load_be<uint64_t>(head_, Field::autoclear_features);
    header_.refcount_order = load_be<uint32_t>(head_, Field::refcount_order);
    if (header_.refcount_order > 6) {
      return corrupt(Field::refcount_order, fmt::format("refcount_order is {}, above 6", header_.refcount_order));
    }
    header_length_ = load_be<uint32_t>(head_, Field::header_length);
    if (header_length_ < header_length_v3 || !is_multiple(header_length_, 8) || header_length_ > head_.size()) {
      return corrupt(Field::header_length,
                     fmt::format("header_length is {}, not a multiple of 8 from {} to the end of the first cluster",
                                 header_length_, header_length_v3));
    }
    if (header_length_ > Field::compression_type) {
      compression_type_ = load_be<uint8_t>(head_, Field::compression_type);
    }
    return {};
  }

  // Between the header and the backing file's name, or the end of the cluster.
  Result<void> extensions() {
    uint64_t end = head_.size();
    if (const auto name_at = load_be<uint64_t>(head_, Field::backing_file_offset)) {
      if (name_at < header_length_ || name_at > header_.cluster_size()) {
        return corrupt(Field::backing_file_offset, "the backing file name does not lie in the first cluster");
      }
      end = std::min(end, name_at);
    }
    uint64_t at = header_length_;
    while (end - at >= 8) {
      const auto type = static_cast<ExtensionType>(load_be<uint32_t>(head_, at));
      const auto length = load_be<uint32_t>(head_, at + 4);
      if (type == ExtensionType::end) break;
      if (length > end - at - 8) return corrupt(at + 4, "a header extension runs past the area for extensions");
      if (auto done = extension(type, at, head_.subspan(at + 8, length)); !done) return done;
      at += 8 + std::min(round_up(length, 8), end - at - 8);
    }
    return {};
  }

  Result<void> extension(ExtensionType type, uint64_t at, Bytes data) {
    switch (type) {
      case ExtensionType::backing_format: header_.backing_format = text(data); return {};
      case ExtensionType::data_file: header_.data_file = text(data); return {};
      case ExtensionType::feature_names: feature_names(data); return {};
      case ExtensionType::bitmaps:
        if (data.size() != 24) return corrupt(at, "the bitmaps extension is not 24 bytes long");
        header_.bitmaps = BitmapsExtension{.count = load_be<uint32_t>(data),
                                           .directory_size = load_be<uint64_t>(data, 8),
                                           .directory_offset = load_be<uint64_t>(data, 16)};
        return {};
      case ExtensionType::encryption_header:
        if (data.size() != 16) return corrupt(at, "the full disk encryption header pointer is not 16 bytes long");
        header_.encryption = EncryptionHeader{.offset = load_be<uint64_t>(data), .length = load_be<uint64_t>(data, 8)};
        return {};
      default: return {};  // unknown ones can be safely ignored
    }
  }

  void feature_names(Bytes data) {
    header_.feature_names.clear();
    for (; data.size() >= feature_entry_size; data = data.subspan(feature_entry_size)) {
      const auto set = std::to_integer<uint8_t>(data[0]), bit = std::to_integer<uint8_t>(data[1]);
      if (set > static_cast<uint8_t>(FeatureSet::autoclear) || bit > 63)
        continue;  // only for people: not worth failing
      const std::string name = text(data.subspan(2, feature_name_size));
      header_.feature_names.push_back(
          {.set = static_cast<FeatureSet>(set), .bit = bit, .name = name.substr(0, name.find('\0'))});
    }
  }

  Result<void> features() {
    if (const uint64_t unknown = header_.incompatible_features & ~incompatible_known) return refuse(unknown);
    const bool type_bit = header_.incompatible_features & incompatible_compression_type;
    if (type_bit != (compression_type_ != 0)) {
      return corrupt(Field::compression_type,
                     "compression_type and its incompatible feature bit contradict each other");
    }
    if (compression_type_ > static_cast<uint8_t>(CompressionType::zstd)) {
      return failure(ErrorKind::unsupported, "open", fmt::format("compression_type {}", compression_type_),
                     Field::compression_type);
    }
    header_.compression_type = static_cast<CompressionType>(compression_type_);
    if (header_.extended_l2() && header_.cluster_bits < min_cluster_bits_extended_l2) {
      return corrupt(Field::cluster_bits,
                     fmt::format("extended L2 entries need cluster_bits of at least {}", min_cluster_bits_extended_l2));
    }
    if ((header_.autoclear_features & autoclear_data_file_raw) && !header_.has_data_file()) {
      return corrupt(Field::autoclear_features, "a raw external data file is declared without an external data file");
    }
    if ((header_.autoclear_features & autoclear_bitmaps) && !header_.bitmaps) {
      return corrupt(Field::autoclear_features, "the bitmaps bit is set without the bitmaps extension");
    }
    return {};
  }

  // All unknown features by their names from the image's own table, or by number.
  Result<void> refuse(uint64_t unknown) const {
    std::string names;
    for (uint8_t bit = 0; bit < 64; ++bit) {
      if (!(unknown >> bit & 1)) continue;
      const auto named = std::ranges::find_if(header_.feature_names, [bit](const FeatureName& feature) {
        return feature.set == FeatureSet::incompatible && feature.bit == bit && !feature.name.empty();
      });
      if (!names.empty()) names += ", ";
      names += named != header_.feature_names.end() ? named->name : fmt::format("bit {}", bit);
    }
    return failure(ErrorKind::unsupported, "open", fmt::format("unknown incompatible feature: {}", names),
                   Field::incompatible_features);
  }

  Result<void> backing_file() {
    const auto at = load_be<uint64_t>(head_, Field::backing_file_offset);
    if (at == 0) return {};
    const auto length = load_be<uint32_t>(head_, Field::backing_file_size);
    if (length > max_backing_name) {
      return corrupt(Field::backing_file_size,
                     fmt::format("the backing file name has {} bytes, above {}", length, max_backing_name));
    }
    if (at > head_.size() || length > head_.size() - at) {
      return corrupt(Field::backing_file_size, "the backing file name does not lie in the first cluster");
    }
    header_.backing_file = text(head_.subspan(at, length));
    if (header_.backing_file.contains('\0')) {
      return corrupt(at, "the backing file name contains a zero byte");
    }
    if (!header_.backing_file.empty() && header_.data_file_raw()) {
      return corrupt(Field::autoclear_features, "a raw external data file and a backing file exclude each other");
    }
    return {};
  }

  Result<void> tables() {
    const uint64_t cluster_size = header_.cluster_size();
    const uint64_t l1_bytes = uint64_t{header_.l1_size} * l1_entry_size;
    if (l1_bytes > max_l1_bytes) {
      return corrupt(Field::l1_size, fmt::format("the L1 table has {} entries, above {}", header_.l1_size,
                                                 max_l1_bytes / l1_entry_size));
    }
    if (divide_up(header_.size, header_.l1_entry_span()) > header_.l1_size) {
      return corrupt(Field::l1_size, "the L1 table is too small for the disk");
    }
    if (l1_bytes != 0) {
      if (auto ok = check_table("the L1 table", Field::l1_table_offset, header_.l1_table_offset, l1_bytes, cluster_size,
                                file_size_);
          !ok) {
        return ok;
      }
    }
    const uint64_t refcount_bytes = uint64_t{header_.refcount_table_clusters} << header_.cluster_bits;
    if (refcount_bytes > max_refcount_table_bytes) {
      return corrupt(Field::refcount_table_clusters,
                     fmt::format("the refcount table has {} clusters, above {}", header_.refcount_table_clusters,
                                 max_refcount_table_bytes >> header_.cluster_bits));
    }
    if (refcount_bytes == 0) return corrupt(Field::refcount_table_clusters, "there is no refcount table");
    if (auto ok = check_table("the refcount table", Field::refcount_table_offset, header_.refcount_table_offset,
                              refcount_bytes, cluster_size, file_size_);
        !ok) {
      return ok;
    }
    if (header_.nb_snapshots == 0) return {};
    if (header_.nb_snapshots > max_snapshots) {
      return corrupt(Field::nb_snapshots,
                     fmt::format("the image has {} snapshots, above {}", header_.nb_snapshots, max_snapshots));
    }
    if (header_.has_data_file()) {
      return corrupt(Field::nb_snapshots, "internal snapshots and an external data file exclude each other");
    }
    return check_table("the snapshot table", Field::snapshots_offset, header_.snapshots_offset, 0, cluster_size,
                       file_size_);
  }

  Bytes head_;
  uint64_t file_size_;
  Header header_;
  uint32_t header_length_ = header_length_v2;
  uint8_t compression_type_ = 0;
};

}  // namespace

Result<Header> Header::parse(Bytes head, uint64_t file_size) { return Parser(head, file_size).run(); }

Result<Header> read_header(BlockDevice& file) {
  // Enough to learn the cluster size from, then the rest of that cluster.
  std::vector<std::byte> head(std::min<uint64_t>(file.size(), 4096));
  if (auto read = file.read_now(0, head); !read) return failure(read);
  if (head.size() >= header_length_v2) {
    const auto cluster_bits = load_be<uint32_t>(head, Field::cluster_bits);
    if (cluster_bits >= min_cluster_bits && cluster_bits <= max_cluster_bits) {
      const size_t known = head.size();
      const uint64_t wanted = std::min(file.size(), uint64_t{1} << cluster_bits);
      if (wanted > known) {
        head.resize(wanted);
        if (auto read = file.read_now(known, MutableBytes(head).subspan(known)); !read) return failure(read);
      }
    }
  }
  return Header::parse(head, file.size());
}

}  // namespace disklathe::qcow2
