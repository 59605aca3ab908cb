// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/handshake.h"

#include <algorithm>

#include "core/base/endian.h"

namespace disklathe::nbd {
namespace {

constexpr size_t option_header = 16;
constexpr uint32_t max_option = Handshake::max_message - option_header;
// Longer options are read past, so that the client hears why; from here on it only wants to keep us busy.
constexpr uint32_t max_skipped = 1 << 20;
constexpr unsigned max_options = 1000;
constexpr size_t most_output = 256 << 10;  // before it must be sent

void append(std::vector<std::byte>& to, auto value) {
  const size_t at = to.size();
  to.resize(at + sizeof value);
  store_be(MutableBytes(to), at, value);
}

void append_text(std::vector<std::byte>& to, std::string_view text) {
  const Bytes bytes = std::as_bytes(std::span(text));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void reply(std::vector<std::byte>& output, Option option, OptionReply type, Bytes data = {}) {
  append(output, option_reply_magic);
  append(output, static_cast<uint32_t>(option));
  append(output, static_cast<uint32_t>(type));
  append(output, static_cast<uint32_t>(data.size()));
  output.insert(output.end(), data.begin(), data.end());
}

// Errors may say why, for a person.
void refuse(std::vector<std::byte>& output, Option option, OptionReply type, std::string_view why) {
  reply(output, option, type, std::as_bytes(std::span(why)));
}

// Reads an option's data front to back; nothing once it would go past the end.
class Fields {
 public:
  explicit Fields(Bytes data) : data_(data) {}

  template <class T>
  std::optional<T> number() {
    if (data_.size() < sizeof(T)) return std::nullopt;
    const T value = load_be<T>(data_);
    data_ = data_.subspan(sizeof(T));
    return value;
  }
  // With its length before it.
  std::optional<std::string_view> text() {
    const auto length = number<uint32_t>();
    if (!length || *length > data_.size() || *length > max_string) return std::nullopt;
    const std::string_view text(reinterpret_cast<const char*>(data_.data()), *length);
    data_ = data_.subspan(*length);
    return text;
  }
  bool at_end() const { return data_.empty(); }

 private:
  Bytes data_;
};

}  // namespace

uint16_t transmission_flags(const ExportInfo& info, Dialect dialect) {
  // One process and one page cache stand behind all connections: a flush on one is a flush on all.
  unsigned flags = has_flags | send_flush | send_fua | can_multi_conn | send_cache;
  if (dialect != Dialect::simple) flags |= send_df;
  if (info.rotational) flags |= rotational;
  flags |= info.writable ? send_trim | send_write_zeroes | send_fast_zero : read_only;
  return static_cast<uint16_t>(flags);
}

std::vector<std::byte> Handshake::greeting() {
  std::vector<std::byte> bytes;
  append(bytes, greeting_magic);
  append(bytes, option_magic);
  append(bytes, static_cast<uint16_t>(fixed_newstyle | no_zeroes));
  return bytes;
}

size_t Handshake::advance(Bytes input, std::vector<std::byte>& output) {
  size_t taken = 0;
  while (state_ == State::negotiating && output.size() < most_output) {
    const size_t step = take(input.subspan(taken), output);
    if (step == 0) break;
    taken += step;
  }
  return taken;
}

void Handshake::tls_started() {
  secure_ = true;
  agreement_ = {};
  meta_export_.reset();
  state_ = State::negotiating;
}

size_t Handshake::take(Bytes input, std::vector<std::byte>& output) {
  if (skipping_ > 0) {
    const size_t step = std::min<uint64_t>(skipping_, input.size());
    skipping_ -= step;
    if (skipping_ == 0) refuse(output, skipped_, OptionReply::too_big, "the option is too long");
    return step;
  }
  if (!greeted_) {
    if (input.size() < 4) return 0;
    const auto flags = load_be<uint32_t>(input);
    if ((flags & ~uint32_t{fixed_newstyle | no_zeroes}) != 0) state_ = State::closing;
    sends_zeroes_ = (flags & no_zeroes) == 0;
    greeted_ = true;
    return 4;
  }
  if (input.size() < option_header) return 0;
  const auto option = static_cast<Option>(load_be<uint32_t>(input, 8));
  const auto length = load_be<uint32_t>(input, 12);
  const bool hostile = load_be<uint64_t>(input) != option_magic || length > max_skipped || ++options_ > max_options;
  if (hostile || (option == Option::export_name && length > max_string)) {
    state_ = State::closing;
    return option_header;
  }
  if (length > max_option) {
    skipping_ = length;
    skipped_ = option;
    return option_header;
  }
  if (input.size() - option_header < length) return 0;
  answer(option, input.subspan(option_header, length), output);
  return option_header + length;
}

void Handshake::answer(Option option, Bytes data, std::vector<std::byte>& output) {
  if (tls_ == TlsMode::required && !secure_ && option != Option::start_tls && option != Option::abort) {
    if (option == Option::export_name)
      state_ = State::closing;
    else
      refuse(output, option, OptionReply::tls_required, "this server speaks only TLS");
    return;
  }
  switch (option) {
    case Option::export_name: return answer_export_name(data, output);
    case Option::abort:
      reply(output, option, OptionReply::ack);
      state_ = State::closing;
      return;
    case Option::list: return answer_list(data, output);
    case Option::start_tls:
      if (tls_ == TlsMode::none) return refuse(output, option, OptionReply::policy, "this server has no TLS");
      if (secure_ || !data.empty()) return reply(output, option, OptionReply::invalid);
      reply(output, option, OptionReply::ack);
      state_ = State::start_tls;
      return;
    case Option::info:
    case Option::go: return answer_info(option, data, output);
    case Option::structured_reply:
    case Option::extended_headers: return answer_dialect(option, data, output);
    case Option::list_meta_context:
    case Option::set_meta_context: return answer_meta_context(option, data, output);
  }
  reply(output, option, OptionReply::unsupported);
}

std::optional<size_t> Handshake::find_export(std::string_view name) const {
  const auto found =
      std::ranges::find(exports_, name, [](const ExportInfo* info) { return std::string_view(info->name); });
  if (found == exports_.end()) return std::nullopt;
  return static_cast<size_t>(found - exports_.begin());
}

void Handshake::begin_transmission(size_t export_index) {
  agreement_.export_index = export_index;
  if (meta_export_ != export_index) agreement_.contexts.clear();
  state_ = State::transmitting;
}

// There is no way to answer an error to this one.
void Handshake::answer_export_name(Bytes data, std::vector<std::byte>& output) {
  const auto found = find_export({reinterpret_cast<const char*>(data.data()), data.size()});
  if (!found || agreement_.dialect == Dialect::extended) {
    state_ = State::closing;
    return;
  }
  append(output, exports_[*found]->size);
  append(output, transmission_flags(*exports_[*found], agreement_.dialect));
  if (sends_zeroes_) output.resize(output.size() + 124);
  begin_transmission(*found);
}

void Handshake::answer_list(Bytes data, std::vector<std::byte>& output) const {
  if (!data.empty()) return reply(output, Option::list, OptionReply::invalid);
  for (const ExportInfo* info : exports_) {
    std::vector<std::byte> entry;
    append(entry, static_cast<uint32_t>(info->name.size()));
    append_text(entry, info->name);
    append_text(entry, info->description);
    reply(output, Option::list, OptionReply::server, entry);
  }
  reply(output, Option::list, OptionReply::ack);
}

void Handshake::answer_info(Option option, Bytes data, std::vector<std::byte>& output) {
  Fields fields(data);
  const auto name = fields.text();
  const auto count = name ? fields.number<uint16_t>() : std::nullopt;
  if (!count) return reply(output, option, OptionReply::invalid);
  bool wants_name = false, wants_description = false;
  for (unsigned i = 0; i < *count; ++i) {
    const auto wanted = fields.number<uint16_t>();
    if (!wanted) return reply(output, option, OptionReply::invalid);
    wants_name |= *wanted == static_cast<uint16_t>(Info::name);
    wants_description |= *wanted == static_cast<uint16_t>(Info::description);
  }
  if (!fields.at_end()) return reply(output, option, OptionReply::invalid);
  const auto found = find_export(*name);
  if (!found) return refuse(output, option, OptionReply::unknown, "there is no export of that name");

  const ExportInfo& info = *exports_[*found];
  const auto inform = [&](Info type, auto&& fill) {
    std::vector<std::byte> payload;
    append(payload, static_cast<uint16_t>(type));
    fill(payload);
    reply(output, option, OptionReply::info, payload);
  };
  inform(Info::export_, [&](auto& payload) {
    append(payload, info.size);
    append(payload, transmission_flags(info, agreement_.dialect));
  });
  // Asked for or not: it binds only those who asked, the others may still heed it.
  inform(Info::block_size, [&](auto& payload) {
    append(payload, info.minimum_block);
    append(payload, std::max(preferred_block, info.minimum_block));
    append(payload, max_payload);
  });
  if (wants_name) inform(Info::name, [&](auto& payload) { append_text(payload, info.name); });
  if (wants_description && !info.description.empty())
    inform(Info::description, [&](auto& payload) { append_text(payload, info.description); });
  reply(output, option, OptionReply::ack);
  if (option == Option::go) begin_transmission(*found);
}

void Handshake::answer_dialect(Option option, Bytes data, std::vector<std::byte>& output) {
  if (!data.empty()) return reply(output, option, OptionReply::invalid);
  const bool extended = option == Option::extended_headers;
  if (!extended && agreement_.dialect == Dialect::extended)
    return reply(output, option, OptionReply::extended_required);
  agreement_.dialect = extended ? Dialect::extended : Dialect::structured;
  reply(output, option, OptionReply::ack);
}

void Handshake::answer_meta_context(Option option, Bytes data, std::vector<std::byte>& output) {
  const bool set = option == Option::set_meta_context;
  if (set) {  // also when it fails
    agreement_.contexts.clear();
    meta_export_.reset();
  }
  Fields fields(data);
  const auto name = fields.text();
  const auto count = name ? fields.number<uint32_t>() : std::nullopt;
  if (!count || agreement_.dialect == Dialect::simple) return reply(output, option, OptionReply::invalid);
  const auto found = find_export(*name);
  if (!found) return refuse(output, option, OptionReply::unknown, "there is no export of that name");

  const std::vector<std::string>& contexts = exports_[*found]->contexts;
  std::vector<bool> chosen(contexts.size(), !set && *count == 0);
  for (uint32_t i = 0; i < *count; ++i) {
    const auto query = fields.text();
    if (!query) return reply(output, option, OptionReply::invalid);
    // To list, a name that ends with its colon stands for all that begin so; to set, it selects nothing.
    const bool all = !set && query->ends_with(':');
    for (size_t index = 0; index < contexts.size(); ++index) {
      if (contexts[index] == *query || (all && contexts[index].starts_with(*query))) chosen[index] = true;
    }
  }
  if (!fields.at_end()) return reply(output, option, OptionReply::invalid);
  for (uint32_t index = 0; index < contexts.size(); ++index) {
    if (!chosen[index]) continue;
    std::vector<std::byte> entry;
    append(entry, set ? index + 1 : 0);
    append_text(entry, contexts[index]);
    reply(output, option, OptionReply::meta_context, entry);
    if (set) agreement_.contexts.push_back(index);
  }
  if (set) meta_export_ = found;
  reply(output, option, OptionReply::ack);
}

}  // namespace disklathe::nbd
