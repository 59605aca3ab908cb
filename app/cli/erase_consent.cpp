// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/erase_consent.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "app/cli/device_words.h"
#include "app/cli/sentences.h"

namespace disklathe::cli {
namespace {

std::string size_words(uint64_t bytes) { return fmt::format("{} ({} bytes)", gigabytes(bytes), bytes); }

bool is_touched(const Partition& partition, const EraseRequest& request) {
  return request.ranges.empty() || std::ranges::any_of(request.ranges, [&](const Range& range) {
           return !intersection(range, {partition.start, partition.size}).empty();
         });
}

uint64_t touched_bytes(const ChosenDevice& chosen, const EraseRequest& request) {
  if (request.ranges.empty()) return chosen.identity.size;
  uint64_t bytes = 0;
  for (const Range& range : request.ranges) bytes += range.length;
  return bytes;
}

// Members of something larger that is not active now: "part of the RAID 'home:0', not started".
void add_members(const ChosenDevice& chosen, const std::string& name, std::string& line) {
  for (const Hold& hold : chosen.usage.holds)
    if (hold.chain.front() == name) line += fmt::format(", {}", words_of(hold));
}

// One line from the terminal; nothing when it ended.
std::optional<std::string> typed_line() {
  std::string line;
  for (int c = std::getchar(); c != '\n'; c = std::getchar()) {
    if (c == EOF) return std::nullopt;
    if (line.size() < 4096) line += static_cast<char>(c);
  }
  const size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
  return first == std::string::npos ? std::string() : line.substr(first, last - first + 1);
}

std::unexpected<Error> refused(const ChosenDevice& chosen, std::string cause) {
  return failure(Error{.kind = ErrorKind::refused,
                       .operation = "write to",
                       .subject = chosen.path,
                       .cause = std::move(cause) + "; nothing was written"});
}

}  // namespace

std::vector<std::string> lines_of(const ChosenDevice& chosen, const EraseRequest& request) {
  const BlockNode& node = chosen.node();
  const std::string what = chosen.whole() ? words_of(chosen.disk) : words_of(node.content);
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}  {}  {}", node.node, size_words(node.size), what));
  add_members(chosen, node.name, lines.back());
  if (!chosen.whole()) {
    lines.push_back(fmt::format("  a partition of {}  {}", chosen.disk.node, words_of(chosen.disk)));
    if (chosen.usage.shares_system_disk) lines.emplace_back("  this system runs from another part of that disk");
  } else {
    for (const Partition& partition : chosen.disk.partitions) {
      lines.push_back(
          fmt::format("  {}  {}  {}", partition.name, gigabytes(partition.size), words_of(partition.content)));
      add_members(chosen, partition.name, lines.back());
      if (!is_touched(partition, request)) lines.back() += " (not overwritten)";
    }
  }
  if (const uint64_t bytes = touched_bytes(chosen, request); bytes < node.size)
    lines.push_back(fmt::format("  {} of it will be overwritten, the rest stays as it is", size_words(bytes)));
  return lines;
}

std::vector<std::string> opener_warnings(const ChosenDevice& chosen) {
  std::vector<std::string> warnings;
  for (const Opener& opener : chosen.openers) {
    const std::string who = fmt::format("{} (process {})", opener.program, opener.process);
    warnings.push_back(
        opener.writes
            ? fmt::format("'{}' is open for writing in {}: what that writes meanwhile spoils the result, and what is "
                          "written here spoils what it works on. End it first",
                          chosen.path, who)
            : fmt::format("'{}' is open in {}, which will find other bytes on it", chosen.path, who));
  }
  return warnings;
}

Result<void> confirm_erase(const ChosenDevice& chosen, const EraseRequest& request) {
  for (const std::string& warning : opener_warnings(chosen)) print_warning(warning);
  if (!request.yes_erase.empty()) {
    if (request.yes_erase == chosen.id) return {};
    return refused(chosen, fmt::format("--yes-erase says '{}', but its ID is '{}'", request.yes_erase, chosen.id));
  }
  print_message("what is on this device will be lost:");
  for (const std::string& line : lines_of(chosen, request)) fmt::print(stderr, "  {}\n", printable(line));
  if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
    return refused(chosen, fmt::format("its ID was not typed and --yes-erase does not say it. It is '{}'", chosen.id));
  }
  fmt::print(stderr, "Type {} (its ID) to overwrite it: ", printable(chosen.id));
  std::fflush(stderr);
  const auto answer = typed_line();
  if (!answer) return refused(chosen, "its ID was not typed");
  if (*answer == chosen.id) return {};
  return refused(chosen, fmt::format("what was typed is not its ID, '{}'", chosen.id));
}

}  // namespace disklathe::cli
