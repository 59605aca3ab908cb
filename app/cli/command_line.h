// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace disklathe::cli {

// The options of one verb and where their values go. Names as CLI11 takes them: "-f,--format". The variables must stay
// until parse() is done; an option that is not given leaves its variable alone.
class CommandLine {
 public:
  // help: the whole text of --help, at most 24 lines. It must name every option: a test looks.
  CommandLine(std::string_view verb, std::string_view help);
  ~CommandLine();

  void flag(const char* names, bool& into);
  void text(const char* names, std::string& into);
  void texts(const char* names, std::vector<std::string>& into);  // may be given more than once
  void size(const char* names, std::optional<uint64_t>& into);    // 64k, 1.5G, ...
  void number(const char* names, unsigned& into, unsigned least, unsigned most);
  void choice(const char* names, std::string& into, std::vector<std::string> values);
  // Without "=value" it is the first of them.
  void optional_choice(const char* names, std::string& into, std::vector<std::string> values);
  // What is no option: between `least` and `most` words, called `what` when there are too few or too many.
  void words(std::vector<std::string>& into, size_t least, size_t most, std::string what);

  // Nothing: go on. Otherwise what to exit with: help was asked for, or something was wrong and has been said.
  std::optional<int> parse(std::span<char* const> arguments);

  // For the test that compares them with the help.
  std::vector<std::string> option_names() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace disklathe::cli
