// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace disklathe::test {

// A block device over a file, detached with its partitions when it goes. Needs root and the loop driver.
class LoopDevice {
 public:
  // Null where there can be none; why_not() says why.
  static std::unique_ptr<LoopDevice> attach(const std::string& file, uint32_t sector_size, bool read_only = false);
  static const char* why_not() { return "no loop devices here: needs root and /dev/loop-control"; }
  LoopDevice(const LoopDevice&) = delete;
  LoopDevice& operator=(const LoopDevice&) = delete;
  ~LoopDevice();

  // Puts another file behind the same name and number, as a stick that is pulled out and another put in. False where
  // somebody else was faster.
  bool replace(const std::string& file, uint32_t sector_size);

  // Takes over the backing file's size of now. An emptied file makes a device that is gone but for its node.
  void follow_size();

  const std::string& path() const { return path_; }
  std::string name() const { return path_.substr(path_.rfind('/') + 1); }  // "loop0"

 private:
  LoopDevice(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::string path_;
  int fd_;
};

}  // namespace disklathe::test
