// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace disklathe::test {

// A folder of its own, removed with all that is in it.
class TempDir {
 public:
  // On disk (TMPDIR, else /var/tmp: a file system that knows direct I/O) or in memory (/dev/shm: tmpfs).
  enum class Where { disk, memory };
  explicit TempDir(Where where = Where::disk);
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  // Names in it, sorted, the hidden ones too.
  std::vector<std::string> names() const;

 private:
  std::string path_;
};

void write_file(const std::string& path, std::string_view content);
std::string read_file(const std::string& path);

}  // namespace disklathe::test
