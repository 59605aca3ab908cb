// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/qcow2/editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>

#include "core/base/arithmetic.h"
#include "core/base/endian.h"
#include "core/format/grow_file.h"
#include "core/format/qcow2/bitmaps.h"
#include "core/format/qcow2/check.h"
#include "core/format/qcow2/commit.h"
#include "core/format/qcow2/edited_maps.h"
#include "core/format/qcow2/header.h"
#include "core/format/qcow2/header_fields.h"
#include "core/format/qcow2/reader.h"
#include "core/format/qcow2/walkers.h"

namespace disklathe::qcow2 {
namespace {

constexpr uint64_t most_run = 2 << 20;  // bytes that are given a place at a time, where clusters are smaller

std::unexpected<Error> cannot(ErrorKind kind, std::string cause, std::optional<uint64_t> at = std::nullopt) {
  return failure(kind, "write to", std::move(cause), at);
}

class Editor final : public ImageEditor {
 public:
  Editor(const OpenSource& source, Header header, std::unique_ptr<ImageReader> reader,
         std::shared_ptr<EditedTables> tables, Occupied occupied)
      : header_(std::move(header)),
        subcluster_(header_.subcluster_size()),
        file_(*source.file),
        data_file_(source.data_file),
        reader_(std::move(reader)),
        tables_(std::move(tables)),
        occupied_(std::move(occupied)),
        refcounts_(file_, *tables_, occupied_, header_),
        maps_(file_, *tables_, refcounts_, occupied_, header_),
        commit_(file_, *tables_, refcounts_),
        facts_(reader_->facts()) {}

  uint64_t size() const override { return header_.size; }
  Result<void> map(Range want, std::vector<Extent>& out) override {
    const Walkers::Walk walk(walkers_);
    return reader_->map(want, out);
  }
  uint64_t decode_unit() const override { return reader_->decode_unit(); }
  Result<void> decode(const Extent& extent, Bytes in, MutableBytes out) const override {
    return reader_->decode(extent, in, out);
  }
  const ImageFacts& facts() const override { return facts_; }
  const std::vector<Reference>& references() const override { return reader_->references(); }
  ImageFacts& facts_to_make() { return facts_; }

  uint64_t unit() const override { return header_.cluster_size(); }
  Result<std::optional<EditRun>> in_place(Range guest) override;
  Result<EditRun> allocate(Range guest) override;
  Result<void> link(const EditRun& run) override;
  void abandon(const EditRun& run) override;
  Result<uint64_t> make_zero(Range guest) override;
  bool makes_zeroes() const override { return header_.version >= 3 || header_.backing_file.empty(); }

  uint64_t changed_bytes() const override {
    const std::scoped_lock lock(mutex_);
    // What was given up takes room in the file until a commit: the more of it, the nearer that is.
    constexpr uint64_t most_given_up = 64 << 20;
    const uint64_t given_up = dropped_.size() * header_.cluster_size();
    return tables_->changed_bytes() +
           std::max(dropped_.size() * sizeof dropped_[0], given_up / (most_given_up / most_changed));
  }
  void begin_commit() override {
    const std::scoped_lock lock(mutex_);
    for (const Range former : refcounts_.take_former_tables()) drop_later(former);
    commit_.begin(std::exchange(dropped_, {}));
  }
  Result<bool> advance() override { return commit_.advance(); }
  void cancel_commit() override {
    const std::scoped_lock lock(mutex_);
    for (const uint64_t host : commit_.cancel()) dropped_.push_back(host);
  }
  Result<std::vector<Range>> finish_commit() override {
    const std::scoped_lock lock(mutex_);
    return remember(commit_.finish());
  }
  Result<void> reuse(std::span<const Range> freed) override {
    // Nobody who looked at a table before it was given up is still looking.
    walkers_.wait_for_earlier();
    const std::scoped_lock lock(mutex_);
    for (const Range range : freed) occupied_.remove(range);
    return remember(commit_.reuse(freed));
  }
  Result<void> cut() override {
    const std::scoped_lock lock(mutex_);
    return cut_file(file_, std::min(refcounts_.used_end(), file_.size()));
  }

 private:
  Result<void> begin_changes();
  template <class T>
  Result<T> remember(Result<T> counted) {
    if (!counted && counted.error().kind == ErrorKind::corrupt) broken_ = counted.error();
    return counted;
  }
  Result<void> clear_autoclear();
  Result<EditRun> place_anew(Range guest, const EditedMaps::Table& table, const L2Entry& first);
  Result<bool> is_in_place(const L2Entry& entry, uint64_t guest, uint32_t subclusters) const;

  uint16_t file_of_data() const { return data_file_ ? 1 : 0; }
  bool stands_alone() const { return header_.backing_file.empty(); }
  uint64_t cluster_of(uint64_t guest) const { return round_down(guest, unit()); }
  uint64_t next_cluster(uint64_t guest) const { return cluster_of(guest) + unit(); }
  // Of the cluster that begins there, those that bytes of the range lie in.
  uint32_t subclusters_of(uint64_t cluster, Range guest) const {
    const Range part = intersection(guest, {cluster, unit()});
    const uint64_t first = (part.at - cluster) / subcluster_, end = divide_up(part.end() - cluster, subcluster_);
    return static_cast<uint32_t>(((uint64_t{1} << end) - 1) & ~((uint64_t{1} << first) - 1));
  }
  void drop_later(Range host) {
    for (uint64_t at = round_down(host.at, unit()); at < host.end(); at += unit()) dropped_.push_back(at);
  }
  // The places of an entry that will not have them any more.
  void drop_places(const L2Entry& entry) {
    if (entry.compressed) drop_later(entry.stream);
    if (entry.stored && !data_file_) dropped_.push_back(entry.host);
  }

  const Header header_;
  const uint64_t subcluster_;  // bytes
  BlockDevice& file_;
  BlockDevice* const data_file_;
  const std::unique_ptr<ImageReader> reader_;
  const std::shared_ptr<EditedTables> tables_;
  Walkers walkers_;
  mutable std::mutex mutex_;  // guards all below
  Occupied occupied_;
  EditedRefcounts refcounts_;
  EditedMaps maps_;
  Commit commit_;
  std::vector<uint64_t> dropped_;  // references to host clusters, an entry each, that are to be given up
  bool changing_ = false;
  std::optional<Error> broken_;  // the image was found to contradict itself: it is not changed any more
  ImageFacts facts_;
};

// Before the first change. Who does not know what an autoclear bit stands for makes it untrue by writing; of bitmaps
// we know that we do not keep them.
Result<void> Editor::begin_changes() {
  if (broken_) return failure(*broken_);
  if (changing_) return {};
  if (auto cleared = clear_autoclear(); !cleared) return cleared;
  // The last cluster may be cut off by the end of the file.
  if (file_.has_holes() && !is_multiple(file_.size(), unit())) {
    if (auto grown = file_.resize(round_up(file_.size(), unit())); !grown) return grown;
  }
  if (data_file_ && data_file_->has_holes() && data_file_->size() < size()) {
    if (auto grown = data_file_->resize(size()); !grown) return grown;
  }
  changing_ = true;
  return {};
}

Result<void> Editor::clear_autoclear() {
  if (header_.version < 3) return {};
  const uint64_t features = header_.autoclear_features & autoclear_data_file_raw;
  const uint64_t incompatible = header_.incompatible_features & ~incompatible_dirty;
  if (features == header_.autoclear_features && incompatible == header_.incompatible_features) return {};
  std::vector<std::byte> bytes(24);
  store_be(bytes, 0, incompatible);
  store_be(bytes, 8, header_.compatible_features);
  store_be(bytes, 16, features);
  if (auto written = file_.write_now(Field::incompatible_features, bytes); !written) return written;
  return file_.flush_now();
}

// Whether these subclusters of guest's cluster are where the entry says, and may be written there.
Result<bool> Editor::is_in_place(const L2Entry& entry, uint64_t guest, uint32_t subclusters) const {
  if (!entry.is_own() || (entry.allocated & subclusters) != subclusters) return false;
  const Range host{entry.host, unit()};
  if (data_file_) {
    if (host.at != cluster_of(guest))
      return cannot(ErrorKind::corrupt, "a cluster's offset in the data file is not its guest offset", guest);
    return true;
  }
  if (host.at > file_.size() || host.length > file_.size() - host.at)
    return cannot(ErrorKind::corrupt, "a cluster does not lie inside the file", host.at);
  if (occupied_.touches(host)) return cannot(ErrorKind::corrupt, "a cluster lies where a table is", host.at);
  return true;
}

Result<std::optional<EditRun>> Editor::in_place(Range guest) {
  const std::scoped_lock lock(mutex_);
  if (auto begun = begin_changes(); !begun) return failure(begun);
  const auto table = maps_.table(guest.at);
  if (!table) return std::unexpected(table.error());
  std::optional<EditRun> run;
  const uint64_t end = std::min(guest.end(), round_down(guest.at, maps_.span()) + maps_.span());
  for (uint64_t at = guest.at; at < end && table->own; at = next_cluster(at)) {
    const auto entry = maps_.entry(*table, at);
    if (!entry) return std::unexpected(entry.error());
    Range part = Range::between(at, std::min(end, next_cluster(at)));
    // Up to the first subcluster that is not there.
    const uint32_t wanted = subclusters_of(cluster_of(at), part);
    const uint32_t missing = wanted & ~entry->allocated;
    if (missing)
      part = intersection(
          part,
          Range::between(part.at, cluster_of(at) + static_cast<uint64_t>(std::countr_zero(missing)) * subcluster_));
    if (part.empty()) break;
    const auto there = is_in_place(*entry, at, subclusters_of(cluster_of(at), part));
    if (!there) return std::unexpected(there.error());
    const uint64_t host = entry->host + (at - cluster_of(at));
    if (!*there || (run && run->host + run->guest.length != host)) break;
    if (!run) run = EditRun{.guest = {guest.at, 0}, .file = file_of_data(), .host = host};
    run->guest.length += part.length;
    if (missing) break;
  }
  return run;
}

Result<EditRun> Editor::allocate(Range guest) {
  const std::scoped_lock lock(mutex_);
  if (auto begun = begin_changes(); !begun) return failure(begun);
  const auto table = maps_.own_table(guest.at, dropped_);
  if (!table) return std::unexpected(table.error());
  const auto entry = maps_.entry(*table, guest.at);
  if (!entry) return std::unexpected(entry.error());
  if (!entry->is_own()) return place_anew(guest, *table, *entry);

  // It has a place of its own, where some of the bytes are not yet.
  const uint64_t cluster = cluster_of(guest.at);
  const auto first = static_cast<uint32_t>((guest.at - cluster) / subcluster_);
  const auto wanted = static_cast<uint64_t>(std::bit_width(subclusters_of(cluster, guest)));
  const uint64_t end = std::min(wanted, first + static_cast<uint64_t>(std::countr_zero(entry->allocated >> first)));
  const auto there = is_in_place(*entry, guest.at, entry->allocated);
  if (!there) return std::unexpected(there.error());
  Range run = Range::between(cluster + first * subcluster_, cluster + end * subcluster_);
  if (data_file_) run = intersection(run, {0, size()});
  return EditRun{.guest = run,
                 .file = file_of_data(),
                 .host = entry->host + first * subcluster_,
                 .place = EditRun::Place::reserved};
}

// New places for guest.at's cluster and as many of those that follow as need one too, in a row.
Result<EditRun> Editor::place_anew(Range guest, const EditedMaps::Table& table, const L2Entry& first) {
  const uint64_t cluster = cluster_of(guest.at);
  // What is there already of a cluster that is given up moves with what is written.
  const uint32_t moved =
      subclusters_of(cluster, guest) | (first.compressed ? all_subclusters(header_.extended_l2()) : first.allocated);
  Range run{cluster, unit()};
  if (header_.extended_l2())
    run = Range::between(cluster + static_cast<uint64_t>(std::countr_zero(moved)) * subcluster_,
                         cluster + static_cast<uint64_t>(std::bit_width(moved)) * subcluster_);
  const uint64_t end =
      std::min({guest.end(), round_down(guest.at, maps_.span()) + maps_.span(), cluster + std::max(most_run, unit())});
  while (is_multiple(run.end(), unit())) {
    const uint64_t at = run.end();
    // Only whole ones where parts could have been left alone.
    if (at >= end || (header_.extended_l2() && end - at < unit())) break;
    const auto entry = maps_.entry(table, at);
    if (!entry) return std::unexpected(entry.error());
    if (entry->is_own()) break;
    run.length += unit();
  }
  const uint64_t clusters = divide_up(run.end() - cluster, unit());
  if (data_file_) {
    run = intersection(run, {0, size()});
    return EditRun{.guest = run, .file = 1, .host = run.at, .place = EditRun::Place::taken};
  }
  const auto taken = refcounts_.allocate(clusters);
  if (!taken) return std::unexpected(taken.error());
  if (taken->host.length < clusters * unit()) run = Range::between(run.at, cluster + taken->host.length);
  return EditRun{.guest = run,
                 .file = 0,
                 .host = taken->host.at + (run.at - cluster),
                 .place = EditRun::Place::taken,
                 .zeroed = taken->zeroed};
}

Result<void> Editor::link(const EditRun& run) {
  const std::scoped_lock lock(mutex_);
  const auto table = maps_.table(run.guest.at);
  if (!table) return std::unexpected(table.error());
  for (uint64_t at = run.guest.at; at < run.guest.end(); at = next_cluster(at)) {
    const auto former = maps_.entry(*table, at);
    if (!former) return std::unexpected(former.error());
    const uint32_t written = subclusters_of(cluster_of(at), run.guest);
    L2Entry entry{.stored = true,
                  .copied = true,
                  .host = run.host + (at - run.guest.at) - (at - cluster_of(at)),
                  .allocated = written,
                  .zeroes = former->zeroes & ~written};
    if (run.place == EditRun::Place::reserved) entry.allocated |= former->allocated;
    if (auto set = maps_.set(*table, at, entry); !set) return set;
    if (run.place == EditRun::Place::taken) drop_places(*former);
  }
  return {};
}

void Editor::abandon(const EditRun& run) {
  if (run.place != EditRun::Place::taken || data_file_) return;
  const std::scoped_lock lock(mutex_);
  const uint64_t end = run.host + run.guest.length;
  // What cannot be counted down is leaked.
  for (uint64_t at = round_down(run.host, unit()); at < end; at += unit()) (void)refcounts_.drop(at, 1);
}

Result<uint64_t> Editor::make_zero(Range guest) {
  const std::scoped_lock lock(mutex_);
  if (auto begun = begin_changes(); !begun) return failure(begun);
  // What follows the end of the disk is nobody's.
  const uint64_t end =
      std::min(guest.end() == size() ? round_up(guest.end(), subcluster_) : round_down(guest.end(), subcluster_),
               round_down(guest.at, maps_.span()) + maps_.span());
  if (!makes_zeroes() || !is_multiple(guest.at, subcluster_) || guest.at >= end) return 0;
  auto table = maps_.table(guest.at);
  if (!table) return std::unexpected(table.error());
  if (table->host == 0 && stands_alone()) return end - guest.at;
  uint64_t at = guest.at;
  for (; at < end; at = std::min(end, next_cluster(at))) {
    const uint64_t cluster = cluster_of(at);
    const uint32_t subclusters = subclusters_of(cluster, Range::between(at, end));
    const auto former = maps_.entry(*table, at);
    if (!former) return std::unexpected(former.error());
    const bool whole = subclusters == all_subclusters(header_.extended_l2());
    if (former->compressed && !whole) break;
    L2Entry entry;
    if (!whole) {
      entry = *former;
      entry.allocated &= ~subclusters;
    }
    if (!stands_alone() || (entry.stored && !whole)) entry.zeroes = (whole ? 0 : entry.zeroes) | subclusters;
    if (entry.stored && entry.allocated == 0) entry.stored = entry.copied = false, entry.host = 0;
    const bool changes = former->compressed || former->stored != entry.stored || former->allocated != entry.allocated ||
                         former->zeroes != entry.zeroes;
    if (!changes) continue;
    if (!table->own) table = maps_.own_table(at, dropped_);
    if (!table) return std::unexpected(table.error());
    if (auto set = maps_.set(*table, at, entry); !set) return failure(set);
    if (!entry.stored) drop_places(*former);
  }
  return at - guest.at;
}

// What stands in the way of writing to the image.
Result<void> is_writable(const OpenSource& source, const Header& header) {
  if (header.crypt_method != CryptMethod::none)
    return cannot(ErrorKind::unsupported, "encrypted images are not written");
  if (header.has_data_file() && !source.data_file)
    return cannot(ErrorKind::refused, "the external data file is not open");
  if (header.incompatible_features & incompatible_corrupt)
    return cannot(ErrorKind::refused, "it is marked as corrupt; qemu-img check -r all repairs what can be repaired");
  if (!(header.incompatible_features & incompatible_dirty)) return {};
  auto report = check({.file = source.file, .data_file = source.data_file, .extents = {}});
  if (!report) return failure(report);
  if (report->corruptions == 0 && report->check_errors == 0) return {};
  return cannot(ErrorKind::refused,
                fmt::format("it is marked as dirty, and a check finds {} errors; qemu-img check -r all repairs them",
                            report->corruptions + report->check_errors));
}

void warn_of_bitmaps(BlockDevice& file, const Header& header, ImageFacts& facts) {
  facts.bitmaps.clear();
  std::erase_if(facts.warnings, [](const std::string& warning) { return warning.starts_with("the dirty bit"); });
  if (!header.bitmaps || !(header.autoclear_features & autoclear_bitmaps)) return;
  const auto bitmaps = read_bitmaps(file, header);
  std::string names;
  for (const Bitmap& bitmap : bitmaps ? *bitmaps : std::vector<Bitmap>())
    names += fmt::format("{}'{}'", names.empty() ? " " : ", ", bitmap.name);
  facts.warnings.push_back("the first write makes its bitmaps inconsistent:" + names);
}

}  // namespace

Result<std::unique_ptr<ImageEditor>> edit(const OpenSource& source) {
  if (!source.snapshot.empty()) return cannot(ErrorKind::refused, "a snapshot stays what it is");
  auto header = read_header(*source.file);
  if (!header) return failure(header);
  if (auto writable = is_writable(source, *header); !writable) return failure(writable);
  auto tables = std::make_shared<EditedTables>(*source.file, header->cluster_size());
  auto reader = open_with(source, tables);
  if (!reader) return failure(reader);
  auto occupied = Occupied::read(*source.file, *header);
  if (!occupied) return failure(occupied);
  auto editor = std::make_unique<Editor>(source, *header, std::move(*reader), std::move(tables), std::move(*occupied));
  warn_of_bitmaps(*source.file, *header, editor->facts_to_make());
  return editor;
}

}  // namespace disklathe::qcow2
