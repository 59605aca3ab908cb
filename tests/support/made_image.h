// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/format/registry.h"
#include "tests/support/temp_dir.h"

namespace disklathe::test {

// Images in files of a folder of their own, for qemu-img to look at. Each returns what went wrong as text, empty: fine.
class MadeImage {
 public:
  explicit MadeImage(std::string format) : format_(std::move(format)) {}

  // Writes the guest's disk into a new image. A data file that the options name lies in the folder too.
  std::string make(const std::vector<std::byte>& guest, CreateRequest request);
  // An image with nothing placed in it.
  std::string make_empty(uint64_t size, CreateRequest request);

  // qemu-img check: errors and leaks both count.
  std::string check() const;
  // Whether qemu-img reads the guest's disk from it.
  std::string compare(const std::vector<std::byte>& guest) const;

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return dir_.file(name); }

 private:
  std::string create(uint64_t size, CreateRequest request, const std::vector<std::byte>* guest);

  std::string format_;
  TempDir dir_{TempDir::Where::memory};
  std::string path_ = dir_.file("image");
};

// An error as a test prints it.
std::string describe(const Error& error);
std::string_view as_text(const std::vector<std::byte>& bytes);

}  // namespace disklathe::test
