// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>

#include "app/cli/exit_codes.h"
#include "app/cli/sentences.h"
#include "app/cli/verbs.h"
#include "core/base/version.h"

namespace disklathe::cli {
namespace {

constexpr Verb all_verbs[] = {
    {"attach", "an image, made a block device of this machine", run_attach},
    {"check", "whether an image's metadata is whole", run_check},
    {"checksum", "digests of what images hold", run_checksum},
    {"compare", "whether two images hold the same", run_compare},
    {"convert", "an image into another format, a file or a device", run_convert},
    {"create", "an empty image", run_create},
    {"detach", "what attach made, ended", run_detach},
    {"devices", "the disks of this machine, and who uses them", run_devices},
    {"info", "what an image is", run_info},
    {"jobs", "conversions that go on by themselves", run_jobs},
    {"limits", "what a device asks of requests, and what follows", run_limits},
    {"map", "where the bytes of an image are", run_map},
    {"measure", "how large an image file will be", run_measure},
    {"serve", "an image or a device to NBD clients", run_serve},
    {"sweep", "what a device makes of the size of requests", run_sweep},
    {"zero", "a device or file, made to read as zeroes", run_zero},
};

void print_help() {
  fmt::print("disklathe {} converts disk images. Usage: disklathe VERB [OPTIONS] FILES\n\n", version());
  for (const Verb& verb : all_verbs) fmt::print("  {:<8}  {}\n", verb.name, verb.summary);
  fmt::print(
      "\nVERB --help shows its options, qemu-img's where it has them. Sizes: 512, 64k, 1.5G, 2TiB.\n"
      "Ends with 0, else: 2 command line, 10 I/O, 11 not found, 12 no permission, 13 in use,\n"
      "14 no space, 15 gone, 16 source changed, 17 damaged, 18 unsupported, 19 refused until\n"
      "allowed, 20 verify differs, 21 worker died, 130 Ctrl-C, 143 SIGTERM. As qemu-img: compare\n"
      "1 differs, 2-4 cannot open, map, read; check 1 not done, 2 damaged, 3 leaks, 63 has none.\n");
}

int run(Arguments words) {
  if (words.empty()) {
    print_message("a verb is missing: disklathe --help lists them");
    return exit_usage;
  }
  const std::string_view word = words[0];
  if (word == "-h" || word == "--help" || (word == "help" && words.size() == 1)) {
    print_help();
    return exit_ok;
  }
  if (word == "-V" || word == "--version") {
    fmt::print("disklathe {}\n", version());
    return exit_ok;
  }
  const bool help = word == "help";
  const std::string_view name = help ? words[1] : words[0];
  const auto verb = std::ranges::find(all_verbs, name, &Verb::name);
  if (verb == std::end(all_verbs)) {
    print_message(fmt::format("there is no verb '{}': disklathe --help lists them", name));
    return exit_usage;
  }
  std::string its_help = "--help";
  char* const help_words[] = {its_help.data()};
  return verb->run(help ? Arguments(help_words) : words.subspan(1));
}

// What the program counts on, whoever started it.
void settle() {
  // Started with standard streams closed, it would get their numbers for images, and print into those. Opened the wrong
  // way round, so that what is printed still fails.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  // A file that may not grow that large (ulimit -f) is an error to report, not an end without a word.
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace
}  // namespace disklathe::cli

int main(int count, char** words) {
  using namespace disklathe::cli;
  settle();
  int code = exit_other;
  // The core reports errors as values; the libraries that print and parse may still throw.
  try {
    code = run(Arguments(words, static_cast<size_t>(count)).subspan(1));
  } catch (const std::system_error& error) {
    if (!std::ferror(stdout)) print_message(error.what());
    code = exit_io;
  } catch (const std::exception& error) {
    print_message(error.what());
  }
  // Output that did not arrive (a full disk behind a redirection) is no success.
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    const int why = errno;
    print_message(fmt::format("cannot write the output: {}", std::generic_category().message(why)));
    return code ? code : exit_io;
  }
  return code;
}
