// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace disklathe::test {

// A system bus and a polkitd of their own, in mount and PID namespaces that end with the test: nothing outside them
// changes. Users there are alice and bob, who may do all that the helper offers, carol, who may after typing her
// password ("sesame"), and dave, who may not. program() is where a program of this build is.
class PrivateBus {
 public:
  // Goes on in the namespaces, in a process of its own; the one that calls it waits there and ends with what that ends
  // with. Before there is a second thread. Returns why it cannot be done here; empty: done.
  static std::string enter();

  // Empty, or why not.
  std::string start();
  ~PrivateBus();

  static std::string program(const char* name);
  static constexpr const char* test_programs = "/run/rig/tests/bin";
  static constexpr const char* folder = "/run/rig";  // for files of the test, everybody's

 private:
  std::vector<pid_t> servers_;
};

inline constexpr uid_t alice = 2001, bob = 2002, carol = 2003, dave = 2004;

}  // namespace disklathe::test
