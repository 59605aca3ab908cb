// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace disklathe::job {

using nlohmann::json;

void Archive::refuse(std::string_view key, std::string_view why) {
  if (problem_.empty()) problem_ = fmt::format("\"{}\" {}", key, why);
}

json* Archive::take(std::string_view key, bool optional) {
  if (!object_.is_object()) return nullptr;
  taken_.push_back(key);
  const auto found = object_.find(key);
  if (found != object_.end()) return &*found;
  if (!optional) refuse(key, "is missing");
  return nullptr;
}

uint64_t Archive::whole(std::string_view key, const json& value, uint64_t least, uint64_t most) {
  const auto* number = value.get_ptr<const json::number_unsigned_t*>();
  if (number && *number >= least && *number <= most) return *number;
  refuse(key, number ? "is out of bounds" : "is no whole number");
  return least;
}

void Archive::number(std::string_view key, int& value, int least, int most) {
  if (!reading_) return put(key, value);
  const json* found = take(key);
  if (!found) return;
  const auto* number = found->get_ptr<const json::number_integer_t*>();
  if (!number || *number < least || *number > most) return refuse(key, "is no whole number within bounds");
  value = static_cast<int>(*number);
}

void Archive::real(std::string_view key, double& value) {
  if (!reading_) return put(key, value);
  const json* found = take(key);
  if (!found) return;
  const auto* number = found->get_ptr<const json::number_float_t*>();
  if (!number || !std::isfinite(*number) || *number < 0) return refuse(key, "is no finite number");
  value = *number;
}

void Archive::flag(std::string_view key, bool& value) {
  if (!reading_) return put(key, value);
  const json* found = take(key);
  if (!found) return;
  const auto* flag = found->get_ptr<const json::boolean_t*>();
  if (!flag) return refuse(key, "is neither true nor false");
  value = *flag;
}

void Archive::flag(std::string_view key, std::optional<bool>& value) {
  if (reading_ ? !has(key) : !value) return;
  bool flag_value = value.value_or(false);
  flag(key, flag_value);
  value = flag_value;
}

void Archive::text(std::string_view key, std::string& value, size_t most) {
  // Ours may have been made of what an image says.
  if (!reading_) return put(key, value.substr(0, most));
  const json* found = take(key);
  if (!found) return;
  const auto* text = found->get_ptr<const json::string_t*>();
  if (!text || text->size() > most || text->contains('\0'))
    return refuse(key, "is no text, or a longer one than is taken");
  value = *text;
}

void Archive::numbers(std::string_view key, std::vector<uint64_t>& values, size_t most) {
  if (!reading_) return put(key, values);
  const json* found = take(key);
  if (!found) return;
  if (!found->is_array() || found->size() > most) return refuse(key, "is no list, or a longer one than is taken");
  values.clear();
  for (const json& one : *found) values.push_back(whole(key, one, 0, UINT64_MAX));
}

void Archive::texts(std::string_view key, std::map<std::string, std::string, std::less<>>& values, size_t most) {
  if (!reading_) return put(key, values.empty() ? json::object() : json(values));
  const json* found = take(key);
  if (!found) return;
  if (!found->is_object() || found->size() > most) return refuse(key, "is no object, or a larger one than is taken");
  for (const auto& [name, value] : found->items()) {
    const auto* text = value.get_ptr<const json::string_t*>();
    if (!text || text->size() > most_text || text->contains('\0')) return refuse(key, "holds what is no text");
    values[name] = *text;
  }
}

void Archive::texts(std::string_view key, std::vector<std::string>& values, size_t most) {
  if (!reading_) {
    json list = json::array();
    for (const std::string& value : values)
      if (list.size() < most) list.push_back(value.substr(0, most_text));
    return put(key, std::move(list));
  }
  const json* found = take(key);
  if (!found) return;
  if (!found->is_array() || found->size() > most) return refuse(key, "is no list, or a longer one than is taken");
  for (const json& one : *found) {
    const auto* text = one.get_ptr<const json::string_t*>();
    if (!text || text->size() > most_text || text->contains('\0')) return refuse(key, "holds what is no text");
    values.push_back(*text);
  }
}

void Archive::finish() {
  if (!reading_ || !object_.is_object()) return;
  for (const auto& [name, value] : object_.items()) {
    if (!std::ranges::contains(taken_, name)) return refuse(name, "is not known");
  }
}

}  // namespace disklathe::job
