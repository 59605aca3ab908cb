// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/device_target.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "app/cli/device_words.h"
#include "core/device/descriptor.h"
#include "core/device/zones.h"

namespace disklathe::cli {
namespace {

// "its partition sdb1 is mounted on /data and 2 more; it is free after: umount /data"
std::string held_words(const Usage& usage) {
  if (usage.holds.empty()) return "a program has it to itself; fuser -v says which";
  const Hold& first = usage.holds.front();
  std::string words = first.chain.size() < 2 ? fmt::format("it is {}", words_of(first))
                                             : fmt::format("{} on it is {}", first.chain.front(), words_of(first));
  const auto active = std::ranges::count_if(usage.holds, [](const Hold& h) { return h.kind != HoldKind::member; });
  if (active > 1) words += fmt::format(" (and {} more)", active - 1);
  return words;
}

// What of the system is on it: the hold that says so, else any.
std::string system_words(const Usage& usage) {
  const auto system = std::ranges::find_if(usage.holds, &Hold::system);
  if (system == usage.holds.end())
    return "what this system runs from cannot be told here, and it may be this device; it is never written";
  return fmt::format("this system runs from it ({}{}); it is never written",
                     system->chain.size() < 2 ? "" : system->chain.front() + " is ", words_of(*system));
}

std::string differs_words(const std::vector<IdentityPart>& differs) {
  for (const IdentityPart part : differs) {
    switch (part) {
      case IdentityPart::diskseq: break;  // the least telling: any of the others is said instead
      case IdentityPart::number: return "the name leads to another device";
      case IdentityPart::serial:
      case IdentityPart::wwn: return "a device with another serial number has its name";
      case IdentityPart::size:
      case IdentityPart::start: return "its size or place is another";
    }
  }
  return differs.empty() ? "the name leads to something else" : "it was unplugged or its medium was changed";
}

}  // namespace

Error error_of(const Denial& denial, const std::string& path) {
  const auto error = [&](ErrorKind kind, std::string cause) {
    return Error{.kind = kind, .operation = "write to", .subject = path, .cause = std::move(cause)};
  };
  switch (denial.reason) {
    case Denial::Reason::failed: {
      Error failed = denial.error;
      failed.subject = path;
      return failed;
    }
    case Denial::Reason::unlisted:
      return error(ErrorKind::busy,
                   "the kernel does not list it in /sys here, so nobody can tell whether it is in use");
    case Denial::Reason::no_medium: return error(ErrorKind::invalid, "there is no medium in it, or it is not set up");
    case Denial::Reason::read_only: return error(ErrorKind::permission, "it is read-only");
    case Denial::Reason::system: return error(ErrorKind::busy, system_words(denial.usage));
    case Denial::Reason::held: {
      const std::string release = release_commands(denial.usage);
      return error(ErrorKind::busy,
                   held_words(denial.usage) + (release.empty() ? "" : fmt::format("; it is free after: {}", release)));
    }
    case Denial::Reason::replaced:
      return error(ErrorKind::refused, fmt::format("it is not the device that was chosen any more ({}); nothing was "
                                                   "written. Look at disklathe devices and start again",
                                                   differs_words(denial.differs)));
  }
  return error(ErrorKind::refused, {});
}

namespace {

template <class T>
Result<T> in_words(Guarded<T> guarded, const std::string& path) {
  if (guarded) return std::move(*guarded);
  return failure(error_of(guarded.error(), path));
}

}  // namespace

Result<ChosenDevice> choose_target_device(const std::string& path) { return in_words(choose_device(path), path); }

Result<void> takes_any_order(const ChosenDevice& chosen, Range range) {
  const Descriptor device(open(chosen.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!device.open()) return {};  // opening it for writing will say why
  const auto sequential = first_sequential_byte(device.get(), range);
  if (!sequential) {
    Error error = sequential.error();
    error.subject = chosen.path;
    return failure(std::move(error));
  }
  if (!*sequential) return {};
  return failure(Error{.kind = ErrorKind::unsupported,
                       .operation = "write to",
                       .subject = chosen.path,
                       .cause = fmt::format("from byte {} on its zones can only be written in order (a zoned device); "
                                            "images go onto conventional zones only",
                                            **sequential)});
}

Result<std::unique_ptr<FileDevice>> open_target_device(const ChosenDevice& chosen, CacheMode cache) {
  return in_words(open_chosen(chosen, cache), chosen.path);
}

}  // namespace disklathe::cli
