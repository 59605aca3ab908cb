// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sentences.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "app/cli/exit_codes.h"
#include "app/cli/size_text.h"

namespace disklathe::cli {
namespace {

std::string in_quotes(std::string_view name) { return name.empty() ? std::string() : fmt::format(" '{}'", name); }

std::string place(const Error& error) {
  return error.offset ? fmt::format(" at byte {} ({})", *error.offset, human_size(*error.offset)) : std::string();
}

// The reason: the format's words, else the kernel's, else those of the kind.
std::string reason(const Error& error, std::string_view otherwise) {
  std::string kernel = error.os_error ? std::generic_category().message(error.os_error) : std::string();
  // "Is a directory", but not "I/O error".
  if (kernel.size() > 1 && std::islower(static_cast<unsigned char>(kernel[1]))) kernel[0] |= 0x20;
  if (error.cause.empty()) return kernel.empty() ? std::string(otherwise) : kernel;
  return kernel.empty() ? error.cause : fmt::format("{} ({})", error.cause, kernel);
}

// Bytes free to this user where the file is, or would be.
std::string free_space(const std::string& path) {
  struct statvfs space{};
  const std::string folder = std::filesystem::path(path).parent_path();
  if (statvfs(path.c_str(), &space) != 0 && statvfs(folder.empty() ? "." : folder.c_str(), &space) != 0) return {};
  return fmt::format(" ({} free)", human_size(uint64_t{space.f_bavail} * space.f_frsize));
}

std::string cannot(const Error& error, std::string_view otherwise) {
  const std::string_view operation = error.operation.empty() ? "use" : std::string_view(error.operation);
  return fmt::format("cannot {}{}{}: {}", operation, in_quotes(error.subject), place(error), reason(error, otherwise));
}

// What block devices mean by their numbers (Linux: block/blk-core.c, blk_errors).
Error with_meaning(Error error) {
  if (!error.cause.empty()) return error;
  switch (error.os_error) {
    case ENODATA: error.cause = "the medium is bad there"; break;
    case EREMOTEIO: error.cause = "the device reports a failure of its own"; break;
    case EILSEQ: error.cause = "what it holds there does not match its checksum"; break;
    case ETIMEDOUT: error.cause = "the device did not answer in time"; break;
    case ENOLINK: error.cause = "the connection to the device failed"; break;
    case EBADE: error.cause = "another machine has reserved it"; break;
    default: break;
  }
  return error;
}

std::string with_advice(std::string text, std::string_view advice) { return fmt::format("{}. {}", text, advice); }

std::string raw_sentence(const Error& error) {
  const bool device = error.subject.starts_with("/dev/") && !error.subject.starts_with("/dev/shm/");
  const std::string thing = error.subject.empty() ? "the file" : fmt::format("'{}'", error.subject);
  switch (error.kind) {
    case ErrorKind::not_found:
      // What is not found is in the file, or is none.
      if (!error.os_error && !error.cause.empty()) return cannot(error, "");
      return with_advice(cannot(error, "no such file or directory"), "Check the name, and that its folder exists");
    case ErrorKind::permission:
      if (!error.os_error && !error.cause.empty()) return cannot(error, "");
      if (error.os_error == EROFS) return with_advice(cannot(error, ""), "Choose another place");
      return with_advice(cannot(error, "permission denied"),
                         device ? "Devices are root's: run this as root, or have your user allowed to use it"
                                : "Run this as somebody who may, or change the permissions");
    case ErrorKind::busy:
      // A cause of our own says what would free it.
      if (!error.os_error && !error.cause.empty()) return cannot(error, "");
      return with_advice(cannot(error, "it is in use"),
                         device ? "Unmount it, or stop what uses it" : "Stop what uses it, then try again");
    case ErrorKind::no_space:
      // Without the kernel's number it is a target of a fixed size that is too small.
      if (!error.os_error) return cannot(error, "no space left");
      if (error.os_error == EFBIG)
        return with_advice(cannot(error, "it would be too large"),
                           "Raise the limit (ulimit -f), or choose a file system that takes files of that size");
      return device ? with_advice(cannot(error, "no space left"),
                                  "It has gone away, or it is thin and there is no more behind it: dmesg says which")
                    : with_advice(cannot(error, "no space left") + free_space(error.subject),
                                  "Make room, or choose another place");
    case ErrorKind::vanished:
      if (!error.os_error && !error.cause.empty()) return fmt::format("{} went away: {}", thing, error.cause);
      return with_advice(fmt::format("{} went away{}: {}", thing, place(error), reason(error, "no such device")),
                         "Check the cable or the connection, then start again");
    case ErrorKind::changed:
      return with_advice(fmt::format("{} changed while it was being read{}: {}", thing, place(error),
                                     reason(error, "it is not what it was at the start")),
                         "Stop what writes to it, then start again");
    case ErrorKind::corrupt:
      return fmt::format("{} is damaged{}, or not of its format: {}", thing, place(error),
                         reason(error, "it breaks its format's rules"));
    case ErrorKind::unsupported: return cannot(error, "this program cannot do that");
    case ErrorKind::io:
      // Without the kernel's number the cause is all there is to go by.
      return error.os_error || error.cause.empty()
                 ? with_advice(cannot(device ? with_meaning(error) : error, "input/output error"),
                               "The medium or the connection may be failing: dmesg says more")
                 : cannot(error, "");
    case ErrorKind::refused:
      // Of streams: more memory than a stream may ask for.
      if (error.operation == "decode") return with_advice(cannot(error, ""), "--max-window allows it more memory");
      [[fallthrough]];
    case ErrorKind::differs:
      if (error.operation == "verify")
        return fmt::format(
            "{}: what was read back is not what was written, {}. Do not use it: its medium or this "
            "computer's memory may be failing",
            thing, reason(error, "somewhere"));
      [[fallthrough]];
    case ErrorKind::invalid:
      // These are told best in their own words.
      if (error.os_error || error.cause.empty()) return cannot(error, "that makes no sense");
      return error.subject.empty() ? error.cause : fmt::format("{}: {}", thing, error.cause);
    case ErrorKind::stopped: return "stopped";
    case ErrorKind::crashed:
      return fmt::format(
          "the process that did the work ended before it was done ({}). What it read may be damaged, or made to do "
          "harm; it was locked in and could touch nothing else",
          reason(error, "for no reason that it gave"));
  }
  return cannot(error, "it failed");
}

void print(std::string_view prefix, std::string_view text) {
  // Not fmt::print: that throws when stderr cannot be written.
  std::fputs(fmt::format("disklathe: {}{}\n", prefix, printable(text)).c_str(), stderr);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f)
      out += fmt::format("\\x{:02x}", code);
    else
      out += c;
  }
  return out;
}

std::string sentence(const Error& error) { return printable(raw_sentence(error)); }

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::io: return "io";
    case ErrorKind::not_found: return "not_found";
    case ErrorKind::permission: return "permission";
    case ErrorKind::busy: return "busy";
    case ErrorKind::no_space: return "no_space";
    case ErrorKind::vanished: return "vanished";
    case ErrorKind::changed: return "changed";
    case ErrorKind::corrupt: return "corrupt";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::invalid: return "invalid";
    case ErrorKind::refused: return "refused";
    case ErrorKind::differs: return "differs";
    case ErrorKind::stopped: return "stopped";
    case ErrorKind::crashed: return "crashed";
  }
  return "other";
}

void print_message(std::string_view text) { print("", text); }
int report(const Error& error) {
  print("", raw_sentence(error));
  return exit_code_of(error.kind);
}
void print_warning(std::string_view text) { print("warning: ", text); }

}  // namespace disklathe::cli
