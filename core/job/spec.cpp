// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/device/identity_words.h"
#include "core/job/describe.h"

namespace disklathe::job {
namespace {

template <class E, size_t N>
using Table = std::array<std::pair<std::string_view, E>, N>;

constexpr Table<Kind, 8> kinds{{{"inspect", Kind::inspect},
                                {"map", Kind::map},
                                {"convert", Kind::convert},
                                {"zero", Kind::zero},
                                {"compare", Kind::compare},
                                {"sweep", Kind::sweep},
                                {"checksum", Kind::checksum},
                                {"export", Kind::export_}}};
constexpr Table<Role, 6> roles{{{"source", Role::source},
                                {"other", Role::other},
                                {"target", Role::target},
                                {"data", Role::data},
                                {"listener", Role::listener},
                                {"control", Role::control}}};
constexpr Table<CacheMode, 5> caches{{{"auto", CacheMode::automatic},
                                      {"none", CacheMode::none},
                                      {"writeback", CacheMode::writeback},
                                      {"directsync", CacheMode::directsync},
                                      {"unsafe", CacheMode::unsafe}}};
constexpr Table<ZeroMethod, 3> zero_methods{
    {{"punch", ZeroMethod::punch}, {"write-zeroes", ZeroMethod::write_zeroes}, {"buffers", ZeroMethod::buffers}}};

constexpr uint64_t largest_window = 4ULL << 30;
constexpr size_t most_name = 64, most_options = 32, most_ranges = 256, most_sizes = 64, most_files = 8;

template <class E, size_t N>
std::string_view name_in(const Table<E, N>& table, E value) {
  const auto found = std::ranges::find(table, value, &Table<E, N>::value_type::second);
  return found == table.end() ? std::string_view() : found->first;
}

template <class E, size_t N>
std::optional<E> value_in(const Table<E, N>& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Table<E, N>::value_type::first);
  if (found == table.end()) return std::nullopt;
  return found->second;
}

template <size_t... I>
void make_alternative(Work& work, size_t index, std::index_sequence<I...>) {
  (void)((I == index ? (work.emplace<I>(), true) : false) || ...);
}

std::unexpected<Error> wrong(Role role, const char* what) {
  return failure(ErrorKind::invalid, "start", fmt::format("the file \"{}\" {}", name_of(role), what));
}

struct Needed {
  Role role;
  bool writable;
  bool optional = false, several = false;
};

std::vector<Needed> needed_by(const Spec& spec) {
  switch (spec.kind()) {
    case Kind::inspect:
    case Kind::map:
    case Kind::checksum: return {{Role::source, false}};
    case Kind::convert: return {{Role::source, false}, {Role::target, true}, {Role::data, true, true}};
    case Kind::zero: return {{Role::target, true}};
    case Kind::compare: return {{Role::source, false}, {Role::other, false}};
    case Kind::sweep: {
      const bool write = std::get<Sweep>(spec.work).write;
      return {{write ? Role::target : Role::source, write}};
    }
    case Kind::export_: {
      const bool write = std::get<Export>(spec.work).writable;
      return {{write ? Role::target : Role::source, write},
              {Role::listener, false, false, true},
              {Role::control, false, true}};
    }
  }
  return {};
}

}  // namespace

// Static, not in the nameless namespace: Archive has to find them.
static void describe(Archive& archive, GivenFile& file) {
  archive.choice("role", file.role, roles);
  archive.text("name", file.name, most_text);
  archive.flag("writable", file.writable);
  archive.choice("cache", file.cache, caches);
  archive.flag("direct", file.direct);
  archive.number("replaces", file.replaces, 0, UINT64_MAX);
  archive.texts("device", file.device, identity_word_count);
  archive.flag("granted", file.granted);
  if (!archive.reading()) return;
  if (!file.device.empty() && !identity_of_words(file.device)) archive.refuse("device", "identifies none");
  if (is_socket(file.role) && (file.direct || file.granted))
    archive.refuse("role", "is that of a socket, which is given as one");
}

static void describe(Archive& archive, Inspect& work) {
  archive.text("format", work.format, most_name);
  archive.text("snapshot", work.snapshot, most_text);
  archive.flag("chain", work.chain);
  archive.flag("identify", work.identify);
  archive.number("most_window", work.most_window, 0, largest_window);
}

static void describe(Archive& archive, Map& work) {
  archive.text("format", work.format, most_name);
  archive.text("snapshot", work.snapshot, most_text);
  archive.object("range", work.range);
  archive.flag("file_holes", work.file_holes);
}

static void describe(Archive& archive, Convert& work) {
  archive.text("source_format", work.source_format, most_name);
  archive.text("snapshot", work.snapshot, most_text);
  archive.text("format", work.format, most_name);
  archive.texts("options", work.options, most_options);
  archive.flag("compress", work.compress);
  archive.number("level", work.level, 0, 100);
  archive.text("backing_file", work.backing_file, most_text);
  archive.text("backing_format", work.backing_format, most_name);
  archive.flag("existing", work.existing);
  archive.flag("target_is_zero", work.target_is_zero);
  archive.number("sparse_size", work.sparse_size, 0, 16 << 20);
  archive.flag("verify", work.verify);
  archive.flag("durable", work.durable);
  archive.number("size", work.size, 0, INT64_MAX);
  archive.number("most_window", work.most_window, 0, largest_window);
  if (archive.reading() && work.sparse_size % 512 != 0) archive.refuse("sparse_size", "is no multiple of 512");
}

static void describe(Archive& archive, Zero& work) {
  archive.list("ranges", work.ranges, most_ranges);
  archive.choice("method", work.method, zero_methods);
  archive.flag("discard", work.discard);
  archive.flag("verify", work.verify);
  archive.number("seed", work.seed, 0, UINT32_MAX);
  if (!archive.reading()) return;
  if (work.discard && work.method) archive.refuse("method", "excludes \"discard\"");
  for (uint64_t end = 0; const Range& range : work.ranges) {
    if (range.at < end || range.empty()) return archive.refuse("ranges", "are not in order, or overlap");
    end = range.end();
  }
}

static void describe(Archive& archive, Compare& work) {
  archive.text("source_format", work.source_format, most_name);
  archive.text("source_snapshot", work.source_snapshot, most_text);
  archive.text("other_format", work.other_format, most_name);
  archive.flag("strict", work.strict);
  archive.number("limit", work.limit, 0, UINT64_MAX);
}

static void describe(Archive& archive, Checksum& work) {
  archive.text("format", work.format, most_name);
  archive.text("snapshot", work.snapshot, most_text);
  archive.flag("sha256", work.sha256);
  archive.flag("xxh128", work.xxh128);
  archive.number("most_window", work.most_window, 0, largest_window);
}

static void describe(Archive& archive, Sweep& work) {
  archive.numbers("sizes", work.sizes, most_sizes);
  archive.flag("write", work.write);
  archive.flag("lay_out", work.lay_out);
  archive.number("depth", work.depth, 1, 32);
  archive.number("area", work.area, 1, INT64_MAX);
  archive.number("nanoseconds_per_size", work.nanoseconds_per_size, 1, 3600'000'000'000);
  archive.number("bytes_per_size", work.bytes_per_size, 1, UINT64_MAX);
  archive.number("rounds", work.rounds, 1, 100);
  if (!archive.reading()) return;
  if (work.lay_out && !work.write) archive.refuse("lay_out", "needs \"write\"");
  if (work.sizes.empty() || !std::ranges::is_sorted(work.sizes)) archive.refuse("sizes", "are not in order");
  for (const uint64_t size : work.sizes)
    if (size < 512 || size > 64 << 20 || size % 512 != 0 || size > work.area)
      return archive.refuse("sizes", "has one that is out of bounds");
}

static void describe(Archive& archive, Export& work) {
  archive.text("format", work.format, most_name);
  archive.text("snapshot", work.snapshot, most_text);
  archive.text("name", work.name, most_text);
  archive.text("description", work.description, most_text);
  archive.flag("writable", work.writable);
  archive.flag("changes", work.changes);
  archive.object("part", work.part);
  archive.number("partition", work.partition, 0, 1024);
  archive.number("connections", work.connections, 1, most_export_clients);
  archive.number("idle_seconds", work.idle_seconds, 0, UINT32_MAX);
  archive.flag("once", work.once);
  if (!archive.reading()) return;
  // What clients write becomes the head of a raw disk: its content must not say what it is.
  if (work.writable && work.format.empty()) archive.refuse("format", "of what is written has to be said");
}

std::string_view name_of(Kind kind) { return name_in(kinds, kind); }
std::optional<Kind> kind_of(std::string_view name) { return value_in(kinds, name); }
std::string_view name_of(Role role) { return name_in(roles, role); }
std::optional<Role> role_of(std::string_view name) { return value_in(roles, name); }

Names<Kind> kind_names() { return kinds; }
Names<CacheMode> cache_names() { return caches; }
Names<ZeroMethod> zero_method_names() { return zero_methods; }

void describe(Archive& archive, Range& range) {
  archive.number("at", range.at, 0, UINT64_MAX);
  archive.number("length", range.length, 0, UINT64_MAX);
  if (archive.reading() && range.length > UINT64_MAX - range.at) archive.refuse("length", "is out of bounds");
}

void describe(Archive& archive, Spec& spec) {
  Kind kind = spec.kind();
  archive.choice("kind", kind, kinds);
  if (archive.reading())
    make_alternative(spec.work, static_cast<size_t>(kind), std::make_index_sequence<std::variant_size_v<Work>>());
  archive.list("files", spec.files, most_files);
  std::visit([&](auto& work) { archive.object("work", work); }, spec.work);
}

const GivenFile* Spec::file(Role role) const {
  const auto found = std::ranges::find(files, role, &GivenFile::role);
  return found == files.end() ? nullptr : &*found;
}

size_t descriptors_of(const Spec& spec) {
  size_t count = 0;
  for (const GivenFile& file : spec.files) count += file.granted ? 0 : file.direct ? 2 : 1;
  return count;
}

Result<void> check_files(const Spec& spec) {
  const std::vector<Needed> needed = needed_by(spec);
  for (const Needed& one : needed) {
    const GivenFile* file = spec.file(one.role);
    if (!file && one.optional) continue;
    if (!file) return wrong(one.role, "is missing");
    if (file->writable != one.writable)
      return wrong(one.role, one.writable ? "is to be written" : "is to be read only");
  }
  for (const GivenFile& file : spec.files) {
    if (!std::ranges::contains(needed, file.role, &Needed::role)) return wrong(file.role, "has no use here");
    const bool several = std::ranges::find(needed, file.role, &Needed::role)->several;
    if (!several && std::ranges::count(spec.files, file.role, &GivenFile::role) > 1)
      return wrong(file.role, "comes twice");
  }
  return {};
}

}  // namespace disklathe::job
