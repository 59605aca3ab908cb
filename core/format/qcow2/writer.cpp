// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/grow_file.h"
#include "core/format/preallocate.h"
#include "core/format/qcow2/encode.h"

namespace disklathe::qcow2 {
namespace {

constexpr uint64_t all_subclusters_allocated = 0x00000000ffffffff;
constexpr uint64_t all_subclusters_zero = 0xffffffff00000000;

// What the image can grow to, its refcount blocks not counted.
uint64_t most_bytes(const CreateOptions& options, uint64_t size, uint64_t l1_entries) {
  const uint64_t metadata = (1 + l1_entries) * options.cluster_size() + l1_entries * l1_entry_size;
  return (options.data_file.empty() ? size : 0) + metadata;
}

}  // namespace

Writer::Writer(BlockDevice& file, BlockDevice* data_file, const Setup& setup)
    : file_(file),
      data_file_(data_file),
      setup_(setup),
      cluster_size_(setup.options.cluster_size()),
      size_(round_up(setup.given_size, sector_size)),
      l2_entries_(setup.options.l2_entries()),
      tables_(file, static_cast<uint32_t>(cluster_size_)),
      clusters_(file, tables_, setup.options.cluster_bits, setup.options.refcount_order,
                most_bytes(setup.options, size_, setup.l1_entries)),
      arena_(clusters_, setup.options.cluster_bits, setup.options.refcount_order),
      l1_(setup.l1_entries) {}

uint32_t Writer::unit() const { return static_cast<uint32_t>(cluster_size_); }

uint64_t Writer::encode_memory() const {
  return setup_.compress ? encoder_memory(setup_.options.compression_type, setup_.level, cluster_size_) : 0;
}

Result<size_t> Writer::encode(uint64_t, Bytes in, MutableBytes out) const {
  return encode_cluster(setup_.options.compression_type, setup_.level, in, out);
}

Writer::Span Writer::clusters_of(Range guest) const {
  return {guest.at / cluster_size_, divide_up(guest.end(), cluster_size_)};
}

Result<void> Writer::check(Range guest) const {
  const bool inside = guest.at <= size_ && guest.length <= size_ - guest.at;
  if (inside && !guest.empty() && is_multiple(guest.at, cluster_size_) &&
      (is_multiple(guest.length, cluster_size_) || guest.end() >= setup_.given_size))
    return {};
  return failure(ErrorKind::invalid, "place", "not whole clusters of the disk", guest.at);
}

Result<void> Writer::check(std::span<const Placement> placements) const {
  uint64_t behind = 0;
  for (const Placement& placement : placements) {
    if (auto right = check(placement.guest); !right) return right;
    const bool stored_fits = placement.encoded ? setup_.compress && placement.guest.length <= cluster_size_ &&
                                                     placement.stored > 0 && placement.stored < cluster_size_
                                               : placement.stored == placement.guest.length;
    if (!stored_fits || placement.guest.at < behind)
      return failure(ErrorKind::invalid, "place", "not in order, or not what a cluster holds", placement.guest.at);
    behind = placement.guest.end();
  }
  return {};
}

Result<void> Writer::place(std::span<Placement> placements) {
  if (auto right = check(placements); !right) return right;
  const std::lock_guard lock(mutex_);
  if (!fixed_base_) return place_one_by_one(placements);
  for (Placement& placement : placements) {
    if (auto placed = place_fixed(placement); !placed) return placed;
  }
  return {};
}

Result<void> Writer::place_one_by_one(std::span<Placement> placements) {
  // What would come between goes first, L2 tables and compressed clusters, so that plain data lies in one run.
  uint64_t clusters = 0;
  for (const Placement& placement : placements) {
    if (auto made = make_l2_tables(clusters_of(placement.guest)); !made) return made;
  }
  for (Placement& placement : placements) {
    const Span span = clusters_of(placement.guest);
    if (!placement.encoded) {
      clusters += span.end - span.first;
    } else if (auto placed = place_encoded(placement); !placed) {
      return placed;
    }
  }
  if (clusters == 0) return {};
  auto host = clusters_.allocate(clusters * cluster_size_);
  if (!host) return failure(host);
  for (Placement& placement : placements) {
    if (placement.encoded) continue;
    const Span span = clusters_of(placement.guest);
    if (auto mapped = map(span, data_entry(*host), cluster_size_); !mapped) return mapped;
    placement.host = *host;
    placement.file = 0;
    remember_tail(placement);
    *host += (span.end - span.first) * cluster_size_;
  }
  return {};
}

Result<void> Writer::place_encoded(Placement& placement) {
  const auto host = arena_.take(placement.stored);
  if (!host) return std::unexpected(host.error());
  const uint32_t offset_bits = compressed_offset_bits(setup_.options.cluster_bits);
  if (*host + cluster_size_ > 1ull << offset_bits)
    return failure(ErrorKind::invalid, "place", "compressed data cannot lie that far: a smaller cluster_size is needed",
                   *host);
  const uint64_t more_sectors = (*host + placement.stored - 1) / sector_size - *host / sector_size;
  placement.host = *host;
  placement.file = 0;
  return map(clusters_of(placement.guest), {.descriptor = entry_compressed | more_sectors << offset_bits | *host}, 0);
}

Result<void> Writer::place_fixed(Placement& placement) {
  placement.host = *fixed_base_ + placement.guest.at;
  placement.file = data_file_ ? 1 : 0;
  remember_tail(placement);
  if (mapped_ && !setup_.options.extended_l2) return {};
  const Span span = clusters_of(placement.guest);
  if (auto made = make_l2_tables(span); !made) return made;
  return map(span, data_entry(placement.host), cluster_size_);
}

Result<std::optional<Range>> Writer::place_zero(Range guest) {
  if (auto right = check(guest); !right) return failure(right);
  const std::lock_guard lock(mutex_);
  if (!setup_.options.backing_file.empty() && setup_.options.version >= 3) {
    if (auto mapped = map_zeroes(guest); !mapped) return failure(mapped);
    return std::nullopt;
  }
  Placement placement{.guest = guest, .stored = guest.length};
  if (!setup_.options.backing_file.empty()) {
    // Version 2 cannot say "zero" to a backing image: stored as data.
    if (auto placed = place_one_by_one({&placement, 1}); !placed) return failure(placed);
    if (setup_.target_is_zero) return std::nullopt;
  } else {
    if (!fixed_base_ || fixed_reads_zero_) return std::nullopt;
    if (auto placed = place_fixed(placement); !placed) return failure(placed);
  }
  return Range{placement.host, placement.stored};
}

Result<void> Writer::map_zeroes(Range guest) {
  const bool extended_l2 = setup_.options.extended_l2;
  Span span = clusters_of(guest);
  while (span.first < span.end) {  // an L2 table at a time: the range may be all of the disk
    const Span part{span.first, std::min(span.end, round_down(span.first, l2_entries_) + l2_entries_)};
    if (auto made = make_l2_tables(part); !made) return made;
    Entry zero{.descriptor = extended_l2 ? 0 : entry_zero, .subclusters = all_subclusters_zero};
    if (mapped_) zero.descriptor = data_entry(*fixed_base_ + part.first * cluster_size_).descriptor;
    if (auto mapped = map(part, zero, mapped_ ? cluster_size_ : 0); !mapped) return mapped;
    span.first = part.end;
  }
  return {};
}

Result<void> Writer::make_l2_tables(Span span) {
  for (uint64_t index = span.first / l2_entries_; index * l2_entries_ < span.end; ++index) {
    if (l1_.get(index) != 0) continue;
    const auto host = clusters_.allocate(cluster_size_);
    if (!host) return std::unexpected(host.error());
    if (auto added = tables_.add(*host); !added) return failure(added);
    l1_.set(index, entry_copied | *host);
  }
  return {};
}

Result<void> Writer::map(Span span, Entry next, uint64_t step) {
  for (uint64_t cluster = span.first; cluster < span.end;) {
    const uint64_t stop = std::min(span.end, round_down(cluster, l2_entries_) + l2_entries_);
    auto table = tables_.edit(l1_.get(cluster / l2_entries_) & entry_offset);
    if (!table) return failure(table);
    for (; cluster < stop; ++cluster, next.descriptor += step) {
      const Entry old = load_entry(*table, cluster % l2_entries_);
      if (old.descriptor != 0 && old.descriptor != next.descriptor)
        return failure(ErrorKind::invalid, "place", "placed before", cluster * cluster_size_);
      store_entry(*table, cluster % l2_entries_, next);
    }
  }
  return {};
}

Writer::Entry Writer::load_entry(Bytes table, uint64_t index) const {
  if (!setup_.options.extended_l2) return {.descriptor = load_be<uint64_t>(table, index * 8)};
  return {.descriptor = load_be<uint64_t>(table, index * 16), .subclusters = load_be<uint64_t>(table, index * 16 + 8)};
}

void Writer::store_entry(MutableBytes table, uint64_t index, Entry entry) const {
  if (!setup_.options.extended_l2) return store_be(table, index * 8, entry.descriptor);
  store_be(table, index * 16, entry.descriptor);
  store_be(table, index * 16 + 8, entry.subclusters);
}

Writer::Entry Writer::data_entry(uint64_t host) {
  return {.descriptor = entry_copied | host, .subclusters = all_subclusters_allocated};
}

void Writer::remember_tail(const Placement& placement) {
  const uint64_t rest = round_up(placement.stored, cluster_size_) - placement.stored;
  if (rest > 0 && placement.file == 0 && !setup_.target_is_zero) tail_ = {placement.host + placement.stored, rest};
}

Result<void> Writer::begin() {
  if (auto fits = header(); !fits) return failure(fits);
  if (auto forgotten = forget_old_image(file_, cluster_size_, setup_.target_is_zero); !forgotten) return forgotten;
  if (auto begun = clusters_.begin(); !begun) return begun;
  if (l1_.count() > 0) {
    const auto host = clusters_.allocate(l1_.count() * l1_entry_size);
    if (!host) return std::unexpected(host.error());
    l1_offset_ = *host;
  }
  if (data_file_) {
    if (auto begun = begin_data_file(); !begun) return begun;
  }
  return setup_.options.preallocation == Preallocation::off ? Result<void>() : preallocate_all();
}

Result<void> Writer::begin_data_file() {
  fixed_base_ = 0;
  fixed_reads_zero_ = true;
  if (data_file_->size() > 0) {
    if (auto emptied = data_file_->resize(0); !emptied) return emptied;
  }
  return data_file_->resize(size_);
}

// All L2 tables in a row, then all data, so that a place is a matter of addition.
Result<void> Writer::preallocate_all() {
  if (l1_.count() == 0) return {};
  const auto first_table = clusters_.allocate(l1_.count() * cluster_size_);
  if (!first_table) return std::unexpected(first_table.error());
  if (!data_file_) {
    const auto host = clusters_.allocate(size_);
    if (!host) return std::unexpected(host.error());
    fixed_base_ = *host;
    fixed_reads_zero_ = setup_.target_is_zero || setup_.options.preallocation == Preallocation::full ||
                        setup_.options.extended_l2;  // subclusters that are not allocated
  }
  const uint64_t clusters = divide_up(size_, cluster_size_);
  for (uint64_t index = 0; index < l1_.count(); ++index) {
    const uint64_t table = *first_table + index * cluster_size_;
    l1_.set(index, entry_copied | table);
    if (auto added = tables_.add(table); !added) return failure(added);
    const Span span{index * l2_entries_, std::min(clusters, (index + 1) * l2_entries_)};
    Entry entry = data_entry(*fixed_base_ + span.first * cluster_size_);
    entry.subclusters = 0;  // whatever the backing image has, until data comes
    if (auto mapped = map(span, entry, cluster_size_); !mapped) return mapped;
  }
  mapped_ = true;
  BlockDevice& data = data_file_ ? *data_file_ : file_;
  return preallocate(data, {*fixed_base_, size_}, setup_.options.preallocation);
}

Result<std::vector<std::byte>> Writer::header() const {
  const CreateOptions& options = setup_.options;
  Header header{.version = options.version,
                .cluster_bits = options.cluster_bits,
                .size = size_,
                .l1_size = setup_.l1_entries,
                .l1_table_offset = l1_offset_,
                .refcount_table_offset = clusters_.table_offset(),
                .refcount_table_clusters = clusters_.table_clusters(),
                .refcount_order = options.refcount_order,
                .compression_type = options.compression_type,
                .backing_file = options.backing_file,
                .backing_format = options.backing_format,
                .data_file = options.data_file};
  if (data_file_) header.incompatible_features |= incompatible_data_file;
  if (options.compression_type != CompressionType::zlib) header.incompatible_features |= incompatible_compression_type;
  if (options.extended_l2) header.incompatible_features |= incompatible_extended_l2;
  if (options.lazy_refcounts) header.compatible_features |= compatible_lazy_refcounts;
  if (options.data_file_raw) header.autoclear_features |= autoclear_data_file_raw;
  // QEMU leaves the names out of small clusters, where they would take the backing file name's room.
  if (options.version >= 3 && cluster_size_ > 4096) {
    const auto names = known_feature_names();
    header.feature_names.assign(names.begin(), names.end());
  }
  return header.encode();
}

// Until its first sector is there the file is no image, so nothing before it needs an order of its own.
Result<void> Writer::finish(bool durable) {
  const std::lock_guard lock(mutex_);
  auto header_bytes = header();
  if (!header_bytes) return failure(header_bytes);
  const Bytes head(*header_bytes);
  const Bytes first_sector = head.first(std::min<size_t>(sector_size, head.size()));
  const Bytes rest = head.subspan(first_sector.size());

  if (tail_) {
    if (auto cleared = write_zeroes_now(file_, *tail_); !cleared) return cleared;
  }
  if (auto written = tables_.write_all(); !written) return written;
  const uint64_t l1_stored = round_up(l1_.count() * l1_entry_size, cluster_size_);
  if (auto written = l1_.write(file_, l1_offset_, l1_stored, setup_.target_is_zero); !written) return written;
  if (auto written = clusters_.write_table(setup_.target_is_zero); !written) return written;
  if (!rest.empty()) {
    if (auto written = file_.write_now(first_sector.size(), rest); !written) return written;
  }
  if (auto cut = cut_file(file_, clusters_.used_bytes()); !cut) return cut;
  if (durable) {
    if (data_file_) {
      if (auto flushed = data_file_->flush_now(); !flushed) return flushed;
    }
    if (auto flushed = file_.flush_now(); !flushed) return flushed;
  }
  if (auto written = file_.write_now(0, first_sector); !written) return written;
  return durable ? file_.flush_now() : Result<void>();
}

Result<std::unique_ptr<ImageWriter>> create(const CreateRequest& request) {
  auto options = parse_options(request.options);
  if (!options) return failure(options);
  if (!request.backing_file.empty()) options->backing_file = request.backing_file;
  if (!request.backing_format.empty()) options->backing_format = request.backing_format;
  if (auto fit = check_combination(*options); !fit) return failure(fit);
  // QEMU reads a raw data file and the tables alike: they must agree from the start.
  if (options->data_file_raw && options->preallocation == Preallocation::off)
    options->preallocation = Preallocation::metadata;
  if (options->data_file.empty() != (request.data_file == nullptr))
    return failure(ErrorKind::invalid, "create", "option data_file: the file and its name come together");
  if (request.compress && options->preallocation != Preallocation::off)
    return failure(ErrorKind::invalid, "create", "option preallocation: not together with compression");
  if (request.compress && request.data_file)
    return failure(ErrorKind::unsupported, "create", "a data file cannot hold compressed clusters");
  if (request.level < 0 || request.level > max_level(options->compression_type))
    return failure(ErrorKind::invalid, "create",
                   fmt::format("the compression level must be 1 to {}", max_level(options->compression_type)));
  const auto size = checked_add<uint64_t>(request.size, sector_size);  // it is rounded up
  if (!size) return failure(ErrorKind::invalid, "create", "the disk is too large");
  const auto entries = l1_entries(request.size, *options);
  if (!entries) return std::unexpected(entries.error());

  const int level =
      request.level != 0 ? request.level : default_level(options->compression_type, options->cluster_size());
  auto writer = std::make_unique<Writer>(*request.file, request.data_file,
                                         Writer::Setup{.options = *std::move(options),
                                                       .given_size = request.size,
                                                       .l1_entries = *entries,
                                                       .compress = request.compress,
                                                       .level = level,
                                                       .target_is_zero = request.target_is_zero});
  if (auto begun = writer->begin(); !begun) return failure(begun);
  return writer;
}

}  // namespace disklathe::qcow2
