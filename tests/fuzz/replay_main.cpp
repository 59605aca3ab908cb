// SPDX-License-Identifier: GPL-3.0-or-later
//
// Plays kept inputs back through a fuzz target without libFuzzer: replay FOLDER-OR-FILE...
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void play(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  std::printf("%s (%zu bytes)\n", path.c_str(), bytes.size());
  std::fflush(stdout);  // names the input that crashes
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  LLVMFuzzerTestOneInput(nullptr, 0);
  for (const char* argument : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    if (!std::filesystem::is_directory(argument)) {
      if (std::filesystem::exists(argument)) play(argument);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argument))
      if (entry.is_regular_file()) play(entry.path());
  }
}
