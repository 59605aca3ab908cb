// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/seeds.h"

#include <cstdlib>
#include <filesystem>
#include <set>

#include "tests/support/temp_dir.h"

namespace disklathe::test {
namespace fs = std::filesystem;

std::string wrong_with_seeds(const std::string& target, const std::map<std::string, std::vector<std::byte>>& seeds) {
  const char* sources = std::getenv("DISKLATHE_SOURCE_DIR");
  const fs::path folder = fs::path(sources ? sources : ".") / "tests/fuzz/corpus" / target;
  const auto files = [&] {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
      if (const std::string name = entry.path().filename(); name.starts_with("seed-")) names.insert(name);
    return names;
  };
  const auto text_of = [](const std::vector<std::byte>& bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (std::getenv("DISKLATHE_WRITE_SEEDS")) {
    fs::create_directories(folder);
    for (const std::string& name : files()) fs::remove(folder / name);
    for (const auto& [name, bytes] : seeds) write_file(folder / ("seed-" + name), text_of(bytes));
  }
  std::set<std::string> there = files();
  for (const auto& [name, bytes] : seeds) {
    if (there.erase("seed-" + name) == 0) return "seed-" + name + " is missing (DISKLATHE_WRITE_SEEDS=1)";
    if (read_file(folder / ("seed-" + name)) != text_of(bytes))
      return "seed-" + name + " is old (DISKLATHE_WRITE_SEEDS=1)";
  }
  return there.empty() ? "" : *there.begin() + " is of nothing that there is (DISKLATHE_WRITE_SEEDS=1)";
}

}  // namespace disklathe::test
