// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace disklathe::test {

// A program on a terminal of its own, as a user.
class Terminal {
 public:
  // inherited: descriptors it gets, by their own numbers.
  Terminal(uid_t user, const std::vector<std::string>& words, const std::vector<int>& inherited = {});
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();  // hangs up

  // Whether that appears on it in time.
  bool wait_for(std::string_view text, std::chrono::milliseconds patience = std::chrono::seconds(10));
  void type(std::string_view line);
  // When the terminal shows no more what is typed: who asks for a password throws away what came before. False: it
  // shows it still.
  bool type_secret(std::string_view line);
  // Its exit status; -1: it did not end in time, or was killed.
  int wait(std::chrono::milliseconds patience = std::chrono::seconds(10));
  void kill(int signal) const;

  pid_t pid() const { return pid_; }
  const std::string& shown() const { return shown_; }

 private:
  bool read_some(std::chrono::milliseconds patience);

  int master_ = -1;
  pid_t pid_ = -1;
  std::string shown_;
};

}  // namespace disklathe::test
