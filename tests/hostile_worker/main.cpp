// SPDX-License-Identifier: GPL-3.0-or-later
//
// A worker as it is once an image has got hold of it: sealed like the real one, it does what its source is called.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/job/serve.h"

using namespace disklathe;
using namespace disklathe::job;

namespace {

constexpr int socket_descriptor = 3;  // as launch_worker() numbers them

void crash() {
  volatile int* nothing = nullptr;
  *nothing = 1;  // NOLINT
}

[[noreturn]] void loop() {
  volatile uint64_t round = 0;
  while (true) round = round + 1;
}

[[noreturn]] void bomb() {
  for (std::vector<char*> taken;;) {
    taken.push_back(new char[16 << 20]);
    std::memset(taken.back(), 1, 16 << 20);
  }
}

void babble() {
  const std::string noise(100, '\xff');
  while (write(socket_descriptor, noise.data(), noise.size()) > 0) continue;
}

Result<Outcome> misbehave(Host& host, Progress& progress, const Stop& stop) {
  const std::string& what = host.spec().files.front().name;
  progress.phase = Phase::write;
  if (what == "crash") crash();
  if (what == "loop") loop();
  if (what == "bomb") bomb();
  if (what == "babble") babble();
  if (what == "exec") execl("/bin/true", "true", nullptr);
  if (what == "vanish") _exit(EXIT_SUCCESS);
  if (what == "ask") {
    auto stolen = host.ask({.image = "/etc/image", .reference = {.name = "shadow"}, .path = "/etc/shadow"});
    return stolen ? failure(ErrorKind::io, "steal", "it was given") : failure(stolen);
  }
  if (what == "ask-elsewhere") {
    auto stolen = host.ask({.image = what, .reference = {.name = "beside"}, .path = "/etc/shadow"});
    return stolen ? failure(ErrorKind::io, "steal", "it was given") : failure(stolen);
  }
  if (what == "lie") return Zeroed{};
  return perform(host, progress, stop);
}

}  // namespace

int main(int count, char** words) {
  const auto options = read_worker_options(std::span(words, static_cast<size_t>(count)).subspan(1));
  _exit(options ? serve(*options, misbehave) : EXIT_FAILURE);  // as the real one
}
