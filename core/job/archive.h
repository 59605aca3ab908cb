// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace disklathe::job {

template <class E>
using Names = std::span<const std::pair<std::string_view, E>>;

// One object of a message, written or read by the same list of its members: void describe(Archive&, T&) names each once
// with the bounds it is held to. Reading is strict: a member that is missing, of another type or out of bounds, and one
// that nobody asked for is refused by its name. Optional members may be absent.
class Archive {
 public:
  // `problem` is that of the whole message: empty as long as nothing was wrong.
  Archive(nlohmann::json& object, bool reading, std::string& problem)
      : object_(object), reading_(reading), problem_(problem) {
    if (!reading_) object_ = nlohmann::json::object();
    if (reading_ && !object_.is_object()) refuse("", "is no object");
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  bool reading() const { return reading_; }

  template <std::unsigned_integral T>
  void number(std::string_view key, T& value, uint64_t least, uint64_t most) {
    if (!reading_) return put(key, static_cast<uint64_t>(value));
    if (const nlohmann::json* found = take(key)) value = static_cast<T>(whole(key, *found, least, most));
  }
  template <std::unsigned_integral T>
  void number(std::string_view key, std::optional<T>& value, uint64_t least, uint64_t most) {
    if (!reading_) return value ? put(key, static_cast<uint64_t>(*value)) : void();
    if (const nlohmann::json* found = take(key, true)) value = static_cast<T>(whole(key, *found, least, most));
  }
  void number(std::string_view key, int& value, int least, int most);
  void real(std::string_view key, double& value);  // finite, not negative
  void flag(std::string_view key, bool& value);
  void flag(std::string_view key, std::optional<bool>& value);
  void text(std::string_view key, std::string& value, size_t most);

  template <class E>
  void choice(std::string_view key, E& value, Names<std::type_identity_t<E>> names) {
    std::string word;
    for (const auto& [name, named] : names)
      if (named == value) word = name;
    text(key, word, 64);
    if (!reading_) return;
    for (const auto& [name, named] : names) {
      if (name != word) continue;
      value = named;
      return;
    }
    refuse(key, "is none of those there are");
  }
  template <class E>
  void choice(std::string_view key, std::optional<E>& value, Names<std::type_identity_t<E>> names) {
    if (reading_ ? !has(key) : !value) return;
    E one = value.value_or(names.front().second);
    choice(key, one, names);
    value = one;
  }

  template <class T>
  void object(std::string_view key, T& value) {
    nlohmann::json* member = reading_ ? take(key) : &object_[std::string(key)];
    if (!member) return;
    Archive inner(*member, reading_, problem_);
    describe(inner, value);
    inner.finish();
  }
  template <class T>
  void object(std::string_view key, std::optional<T>& value) {
    if (reading_ ? !has(key) : !value) return;
    if (!value) value.emplace();
    object(key, *value);
  }

  template <class T>
  void list(std::string_view key, std::vector<T>& values, size_t most) {
    if (!reading_) {
      nlohmann::json list = nlohmann::json::array();
      for (T& value : values) {
        if (list.size() == most) break;  // as with texts: what an image says has no bounds
        Archive inner(list.emplace_back(), false, problem_);
        describe(inner, value);
      }
      return put(key, std::move(list));
    }
    nlohmann::json* found = take(key);
    if (!found) return;
    if (!found->is_array() || found->size() > most) return refuse(key, "is no list, or a longer one than is taken");
    values.clear();
    for (nlohmann::json& one : *found) {
      Archive inner(one, true, problem_);
      describe(inner, values.emplace_back());
      inner.finish();
    }
  }
  void numbers(std::string_view key, std::vector<uint64_t>& values, size_t most);
  void texts(std::string_view key, std::map<std::string, std::string, std::less<>>& values, size_t most);
  void texts(std::string_view key, std::vector<std::string>& values, size_t most);

  bool has(std::string_view key) const { return object_.is_object() && object_.contains(key); }
  // For rules between members.
  void refuse(std::string_view key, std::string_view why);
  // Reading: whatever is left was not expected.
  void finish();

 private:
  template <class T>
  void put(std::string_view key, T&& value) {
    object_[std::string(key)] = std::forward<T>(value);
  }
  // The member to read; null where there is none, which is a problem unless it may be absent.
  nlohmann::json* take(std::string_view key, bool optional = false);
  uint64_t whole(std::string_view key, const nlohmann::json& value, uint64_t least, uint64_t most);

  nlohmann::json& object_;
  const bool reading_;
  std::string& problem_;
  std::vector<std::string_view> taken_;
};

// A whole message from its encoding, or `invalid` with what is wrong with it; and the way back.
template <class T>
Result<T> read_object(nlohmann::json object) {
  T value;
  std::string problem;
  Archive archive(object, true, problem);
  describe(archive, value);
  archive.finish();
  if (!problem.empty()) return failure(ErrorKind::invalid, "receive", std::move(problem));
  return value;
}
template <class T>
nlohmann::json written_object(T value) {
  nlohmann::json object;
  std::string problem;
  Archive archive(object, false, problem);
  describe(archive, value);
  return object;
}

inline constexpr size_t most_text = 4096;  // a path, a cause

}  // namespace disklathe::job
