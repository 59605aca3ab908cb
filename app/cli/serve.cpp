// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "app/cli/command_line.h"
#include "app/cli/exit_codes.h"
#include "app/cli/helper_worker.h"
#include "app/cli/image_options.h"
#include "app/cli/sentences.h"
#include "app/cli/serve_keeper.h"
#include "app/cli/serve_seal.h"
#include "app/cli/serve_status.h"
#include "app/cli/serving.h"
#include "app/cli/signals.h"
#include "app/cli/verbs.h"
#include "core/nbd/control.h"
#include "core/nbd/status.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view help =
    R"(disklathe serve [OPTIONS] IMAGE|DEVICE       or with --export NAME=IMAGE ...
disklathe serve --status [URI|SOCKET|PROCESS] [--output human|json] [--revoke N]

Serves a disk to NBD clients, to read unless --rw or --cow; prints its URI when it is
ready; ends on SIGTERM and Ctrl-C. --status: who reads what; --revoke: client N out.

  -f, --format FORMAT         what the images are; otherwise that is looked at
      --export NAME=IMAGE     under this name; may be given more than once
      --rw                    clients may write: raw images, devices, qcow2
      --cow                   they may, to a layer in $TMPDIR (/var/tmp) that ends with it
      --yes-erase ID          what is on the device may go; ID as devices has it
      --socket PATH           a Unix socket (default: in the runtime folder)
      --tcp [ADDRESS:]PORT    default address 127.0.0.1; port 0: any free one
      --tls-certificates DIR, --tls-psk FILE     nothing is served without TLS
      --tls-verify-clients    who has a certificate;  --no-tls: beyond loopback
      --run COMMAND           serve while it runs; it finds the URI in $uri
      --once                  end when the first client has left
  -l, --snapshot TAG          an internal snapshot instead of the disk
      --partition N           one partition;  --offset N --length N: any part
  -t, --cache MODE            auto, none, writeback, directsync or unsafe
      --max-connections N     at a time (64)  --pid-file PATH  written when ready
      --idle-timeout SECONDS  of clients;  --expires SECONDS   end after so long
      --backing POLICY, --data-file POLICY, -U, --force-share: as with map
      --allow-file FILE       opened if an image names it, whatever the policy
)";

constexpr unsigned most_connections = 10'000;
constexpr unsigned most_clients = 1'000'000'000;
constexpr unsigned most_seconds = 100'000'000;

// "NAME=IMAGE" of --export, or the one image without.
Result<std::vector<ServedImage>> images_of(const ServedImage& like, const std::vector<std::string>& named,
                                           const std::vector<std::string>& words) {
  std::vector<ServedImage> images;
  const auto add = [&](std::string name, std::string path) {
    images.push_back(like);
    images.back().name = std::move(name);
    images.back().path = std::move(path);
  };
  for (const std::string& word : named) {
    const size_t equals = word.find('=');
    if (equals > nbd::max_string || equals + 1 == word.size())
      return failure(ErrorKind::invalid, "serve", fmt::format("--export takes NAME=IMAGE, not '{}'", word));
    add(word.substr(0, equals), word.substr(equals + 1));
  }
  for (const std::string& path : words) add("", path);
  if (images.empty()) return failure(ErrorKind::invalid, "serve", "an image is missing (see disklathe serve --help)");
  for (size_t i = 0; i < images.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (images[i].name == images[j].name)
        return failure(ErrorKind::invalid, "serve", fmt::format("two exports have the name '{}'", images[i].name));
  return images;
}

// Null: without TLS.
Result<std::unique_ptr<nbd::TlsCredentials>> credentials_of(const Serving& serving) {
  if (!serving.certificates.empty() && !serving.keys.empty())
    return failure(ErrorKind::invalid, "serve", "--tls-certificates and --tls-psk exclude each other");
  if (!serving.certificates.empty())
    return nbd::TlsCredentials::from_certificates(serving.certificates, serving.verify_clients);
  if (serving.verify_clients)
    return failure(ErrorKind::invalid, "serve", "--tls-verify-clients goes with --tls-certificates");
  if (!serving.keys.empty()) return nbd::TlsCredentials::from_keys(serving.keys);
  return nullptr;
}

}  // namespace

Descriptor timer_of(unsigned seconds) {
  Descriptor timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const itimerspec when{.it_value = {.tv_sec = seconds}};
  timerfd_settime(timer.get(), 0, &when, nullptr);
  return timer;
}

Result<void> write_pid_file(const std::string& path) {
  if (path.empty()) return {};
  std::ofstream file(path, std::ios::trunc);
  file << getpid() << "\n" << std::flush;
  if (!file) return failure(os_failure(errno ? errno : EIO, "write", path));
  return {};
}

Result<void> is_no_danger(const Serving& serving, const ServePlace& place, bool tls) {
  if (!place.beyond_this_machine() || tls || serving.in_the_clear) return {};
  return failure(ErrorKind::refused, "serve",
                 "other machines reach this address, and nothing would ask who they are: --tls-certificates or "
                 "--tls-psk does, --no-tls serves all the same");
}

namespace {

nbd::ServedPlace described(const Serving& serving, const ServePlace& place, bool tls,
                           const std::vector<nbd::Export*>& exports) {
  nbd::ServedPlace served;
  for (size_t i = 0; i < exports.size(); ++i) {
    const ServedImage& image = serving.images[i];
    served.exports.push_back({.name = image.name,
                              .uri = place.uri(image.name, tls),
                              .path = image.path,
                              .size = exports[i]->info().size,
                              .writable = image.writable || image.layered});
  }
  std::error_code error;
  if (const std::string socket = place.socket_path(); !socket.empty())
    served.socket = std::filesystem::absolute(socket, error);
  return served;
}

ServeKeeper::Duties duties_of(const Serving& serving, const ServePlace& place, const nbd::ServedPlace& served,
                              const std::string& control) {
  ServeKeeper::Duties duties{
      .names = {}, .command = serving.command, .uri = served.exports[0].uri, .socket = place.socket_path()};
  std::error_code error;
  for (const std::string& name : {serving.pid_file, control})
    if (!name.empty()) duties.names.push_back(std::filesystem::absolute(name, error));
  std::ranges::copy(place.names(), std::back_inserter(duties.names));
  return duties;
}

Result<int> serve(const Serving& serving) {
  if (std::ranges::any_of(serving.images, [](const ServedImage& one) { return needs_helper(one.path, one.writable); }))
    return serve_by_helper(serving);
  auto credentials = credentials_of(serving);
  if (!credentials) return failure(credentials);
  const nbd::TlsCredentials* tls = credentials->get();
  std::vector<std::unique_ptr<nbd::Export>> exports;
  std::vector<nbd::Export*> shown;
  for (const ServedImage& image : serving.images) {
    auto made = open_export(image, serving.policy);
    if (!made) return failure(made);
    exports.push_back(std::move(*made));
    shown.push_back(exports.back().get());
  }
  auto place = ServePlace::open(serving.place);
  if (!place) return failure(place);
  if (auto harmless = is_no_danger(serving, *place, tls != nullptr); !harmless) return failure(harmless);
  auto server = nbd::Server::create(shown, serving.limits, tls);
  if (!server) return failure(server);

  // A client that goes away while it is sent to is no reason to end.
  std::signal(SIGPIPE, SIG_IGN);
  SignalWatch signals;
  std::vector<nbd::Server::Event> events;
  events.push_back({signals.descriptor(), [&] {
                      const auto signal = signals.take();
                      return signal && *signal != SIGUSR1;
                    }});
  auto control = nbd::ControlSocket::create();
  const nbd::ServedPlace served = described(serving, *place, tls, shown);
  if (control)
    events.push_back({control->descriptor(), [&] {
                        control->answer(
                            [&](std::string_view question) { return nbd::answer_about(**server, served, question); });
                        return false;
                      }});
  else
    print_warning(fmt::format("--status will not find this server: {}", sentence(control.error())));
  Descriptor timer;
  if (serving.expires > 0) {
    timer = timer_of(serving.expires);
    events.push_back({timer.get(), [] { return true; }});
  }
  if (auto written = write_pid_file(serving.pid_file); !written) return failure(written);
  auto keeper = ServeKeeper::start(duties_of(serving, *place, served, control ? control->path() : std::string()));
  if (!keeper) return failure(keeper);
  events.push_back({keeper->descriptor(), [] { return true; }});
  if (auto locked = lock_in(serving, shown); !locked) return failure(locked);
  if (serving.command.empty()) {
    for (const nbd::ServedPlace::Export& one : served.exports) fmt::print("{}\n", one.uri);
    std::fflush(stdout);
  }
  (*server)->run(place->listeners(), events, serving.once);
  Result<void> all;  // each is finished, whatever became of the others
  for (const auto& one : exports) {
    if (auto finished = one->finish(); !finished) all = failure(finished);
  }
  const int code = keeper->finish();
  if (!all) return failure(all);
  return code;
}

}  // namespace

int run_serve(Arguments arguments) {
  Serving serving;
  ImageOptions options;
  std::string output = "human";
  std::vector<std::string> named, words;
  unsigned idle = 0, revoke = 0;
  bool status = false;
  CommandLine line("serve", help);
  options.add_to(line);
  line.flag("--status", status);
  line.number("--revoke", revoke, 1, most_clients);
  line.choice("--output", output, {"human", "json"});
  line.texts("--export", named);
  line.text("--socket", serving.place.socket);
  line.text("--tcp", serving.place.tcp);
  line.text("--tls-certificates", serving.certificates);
  line.flag("--tls-verify-clients", serving.verify_clients);
  line.text("--tls-psk", serving.keys);
  line.flag("--no-tls", serving.in_the_clear);
  line.text("--run", serving.command);
  line.flag("--once", serving.once);
  line.number("--max-connections", serving.limits.connections, 1, most_connections);
  line.text("--pid-file", serving.pid_file);
  line.number("--idle-timeout", idle, 1, most_seconds);
  line.number("--expires", serving.expires, 1, most_seconds);
  line.words(words, 0, 1, "one image");
  if (const auto code = line.parse(arguments)) return *code;
  if (status || revoke)
    return run_serve_status({.which = words.empty() ? "" : words[0],
                             .client = revoke ? std::optional(revoke) : std::nullopt,
                             .json = output == "json"});
  serving.limits.idle = std::chrono::seconds(idle);
  serving.policy = options.policy();
  const auto image = options.image();
  if (!image) return report(image.error());
  auto images = images_of(*image, named, words);
  if (!images) return report(images.error());
  serving.images = std::move(*images);
  for (const ServedImage& one : serving.images) serving.policy.named.push_back(one.path);
  const auto code = serve(serving);
  return code ? *code : report(code.error());
}

}  // namespace disklathe::cli
