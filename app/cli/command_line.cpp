// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "app/cli/exit_codes.h"
#include "app/cli/sentences.h"
#include "app/cli/size_text.h"

namespace disklathe::cli {

// CLI11 splits the words; what a value may be is checked here, in sentences of our own.
struct CommandLine::State {
  CLI::App app;
  std::string verb, help;
  // Run after parsing; an empty text means the value is good.
  std::vector<std::function<std::string()>> checks;

  CLI::Option* value(const char* names, std::string& into) {
    return app.add_option(names, into)->take_last()->expected(1)->allow_extra_args(false);
  }

  void must_be_one_of(const CLI::Option* option, std::string& into, std::vector<std::string> values) {
    checks.push_back([option, &into, values = std::move(values)]() -> std::string {
      if (option->count() == 0 || std::ranges::find(values, into) != values.end()) return {};
      return fmt::format("{} takes {}, not '{}'", long_name(option), fmt::join(values, ", "), into);
    });
  }

  // "--format"
  static std::string long_name(const CLI::Option* option) {
    const auto& longs = option->get_lnames();
    return longs.empty() ? "-" + option->get_snames().front() : "--" + longs.front();
  }
};

CommandLine::CommandLine(std::string_view verb, std::string_view help) : state_(std::make_unique<State>()) {
  state_->verb = verb;
  state_->help = help;
  state_->app.set_help_flag("-h,--help");
}
CommandLine::~CommandLine() = default;

void CommandLine::flag(const char* names, bool& into) { state_->app.add_flag(names, into); }

void CommandLine::text(const char* names, std::string& into) { state_->value(names, into); }

void CommandLine::texts(const char* names, std::vector<std::string>& into) {
  state_->app.add_option(names, into)->expected(1)->allow_extra_args(false)->take_all();
}

void CommandLine::size(const char* names, std::optional<uint64_t>& into) {
  auto given = std::make_shared<std::string>();
  const CLI::Option* option = state_->value(names, *given);
  state_->checks.push_back([option, given, &into]() -> std::string {
    if (option->count() == 0) return {};
    into = parse_size(*given);
    return into ? std::string()
                : fmt::format("{} takes a size such as 64k, 1.5G or 4096, not '{}'", State::long_name(option), *given);
  });
}

void CommandLine::number(const char* names, unsigned& into, unsigned least, unsigned most) {
  auto given = std::make_shared<std::string>();
  const CLI::Option* option = state_->value(names, *given);
  state_->checks.push_back([option, given, &into, least, most]() -> std::string {
    if (option->count() == 0) return {};
    const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), into);
    if (error == std::errc() && end == given->data() + given->size() && into >= least && into <= most) return {};
    return fmt::format("{} takes a number from {} to {}, not '{}'", State::long_name(option), least, most, *given);
  });
}

void CommandLine::choice(const char* names, std::string& into, std::vector<std::string> values) {
  state_->must_be_one_of(state_->value(names, into), into, std::move(values));
}

void CommandLine::optional_choice(const char* names, std::string& into, std::vector<std::string> values) {
  // CLI11's spelling of a flag that means a value: "-p{line},--progress{line}".
  std::string meaning;
  for (const char c : std::string(names) + ',') meaning += c == ',' ? "{" + values[0] + "}," : std::string(1, c);
  meaning.pop_back();
  CLI::Option* option = state_->app.add_flag(meaning, into)->take_last();
  state_->must_be_one_of(option, into, std::move(values));
}

void CommandLine::words(std::vector<std::string>& into, size_t least, size_t most, std::string what) {
  // An option that was misspelt must not pass for a file; "--" and "./" are there for files of such names.
  state_->app.add_option("words", into)->expected(0, 1 << 20);
  state_->checks.push_back([&into, least, most, what = std::move(what)]() -> std::string {
    if (std::ranges::find(into, "") != into.end()) return "a name is empty";
    if (into.size() < least) return fmt::format("{} expected, {} given", what, into.size());
    if (into.size() > most) return fmt::format("{} expected; '{}' is one word too many", what, into[most]);
    return {};
  });
}

std::optional<int> CommandLine::parse(std::span<char* const> arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  std::string wrong;
  try {
    state_->app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", state_->help);
    return exit_ok;
  } catch (const CLI::ExtrasError&) {
    wrong = fmt::format("there is no option '{}'", state_->app.remaining().empty() ? "" : state_->app.remaining()[0]);
  } catch (const CLI::ArgumentMismatch& error) {
    wrong = fmt::format("a value is missing: {}", error.what());
  } catch (const CLI::ParseError& error) {
    wrong = error.what();
  }
  for (size_t check = 0; wrong.empty() && check < state_->checks.size(); ++check) wrong = state_->checks[check]();
  if (wrong.empty()) return std::nullopt;
  print_message(fmt::format("{} (see disklathe {} --help)", wrong, state_->verb));
  return exit_usage;
}

std::vector<std::string> CommandLine::option_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : state_->app.get_options()) {
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace disklathe::cli
