// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>

#include "app/cli/erase_consent.h"
#include "app/cli/exit_codes.h"
#include "app/cli/helper_worker.h"
#include "app/cli/notes.h"
#include "app/cli/sentences.h"
#include "app/cli/served_command.h"
#include "app/cli/serving.h"
#include "app/cli/signals.h"
#include "core/nbd/control.h"

namespace disklathe::cli {
namespace {

constexpr std::chrono::milliseconds stop_patience{500};

std::unexpected<Error> no(ErrorKind kind, const std::string& path, std::string cause) {
  return failure(Error{.kind = kind, .operation = "serve", .subject = path, .cause = std::move(cause)});
}

Result<void> can_be_served(const Serving& serving) {
  const ServedImage& image = serving.images[0];
  const auto root = [&](const char* what) {
    return no(ErrorKind::unsupported, image.path,
              fmt::format("{} is not for devices that only root may open: run this as root", what));
  };
  if (serving.images.size() > 1) return root("serving several");
  if (image.layered) return root("--cow");
  if (!serving.certificates.empty() || !serving.keys.empty()) return root("TLS");
  if (image.writable && image.format != "raw")
    return no(image.format.empty() ? ErrorKind::refused : ErrorKind::unsupported, image.path,
              "a device is written to as a raw disk only: -f raw says that it is meant");
  if (serving.limits.connections > job::most_export_clients) return root("so many --max-connections");
  return {};
}

Result<Identity> identity_to_serve(const ServedImage& image) {
  if (!image.writable) return identity_of(image.path);
  auto chosen = choose_device_to_serve(image);
  if (!chosen) return failure(chosen);
  return std::move(chosen->identity);
}

job::Export work_of(const Serving& serving) {
  const ServedImage& image = serving.images[0];
  return {.format = image.format,
          .snapshot = image.snapshot,
          .name = image.name,
          .writable = image.writable,
          .changes = serving.policy.share,
          .part = {image.offset.value_or(0), image.length.value_or(0)},
          .partition = image.partition,
          .connections = serving.limits.connections,
          .idle_seconds = static_cast<uint64_t>(serving.limits.idle.count()) / 1000,
          .once = serving.once};
}

// From the question whether it may be to the end of the worker.
class Service {
 public:
  Service(const Serving& serving, HelperClient& helper, const ServePlace& place)
      : serving_(serving), helper_(helper), place_(place) {}

  Result<int> run() {
    while (!ended_) {
      while (auto event = helper_.client().take())
        if (auto taken = take(*event); !taken) return failure(taken);
      if (ended_) break;
      if (stopping_ && std::chrono::steady_clock::now() >= deadline_) break;  // its end is its worker's
      watch();
    }
    if (!serving_.pid_file.empty() && ready_) std::remove(serving_.pid_file.c_str());
    if (command_) return command_->finish();
    if (!ready_ && signal_) return exit_signal + *signal_;
    return exit_ok;
  }

 private:
  Result<void> take(job::Client::Event& event) {
    if (auto* ended = std::get_if<job::Client::Ended>(&event)) {
      ended_ = true;
      if (ended->result || stopping_) return {};
      return failure(begun_ ? std::move(ended->result.error()) : helper_.in_words(std::move(ended->result.error())));
    }
    if (std::holds_alternative<job::Hello>(event)) begun_ = true;
    if (const auto* note = std::get_if<job::Note>(&event); note && note->kind == job::Note::Kind::serving)
      return be_ready();
    (void)job::handle(helper_.client(), event, {.note = print_note, .open = opener()}, progress_);
    return {};
  }

  // What the image on the device names.
  std::function<Result<std::unique_ptr<FileDevice>>(const job::Question&)> opener() const {
    return [this](const job::Question& question) -> Result<std::unique_ptr<FileDevice>> {
      if (auto may = may_open(serving_.policy, question.image, question.reference, question.path); !may)
        return failure(may);
      return open_for_reading(question.path, serving_.policy);
    };
  }

  Result<void> be_ready() {
    ready_ = true;
    if (auto written = write_pid_file(serving_.pid_file); !written) return written;
    if (serving_.expires > 0) timer_ = timer_of(serving_.expires);
    const std::string uri = place_.uri(serving_.images[0].name, false);
    if (serving_.command.empty()) {
      fmt::print("{}\n", uri);
      std::fflush(stdout);
      return {};
    }
    auto started = ServedCommand::start(serving_.command, uri, place_.socket_path());
    if (!started) return failure(started);
    command_.emplace(std::move(*started));
    return {};
  }

  void watch() {
    pollfd watched[] = {{helper_.client().descriptor(), POLLIN, 0},
                        {signals_.descriptor(), POLLIN, 0},
                        {stopping_ ? -1 : timer_.get(), POLLIN, 0},
                        {command_ && !stopping_ ? command_->descriptor() : -1, POLLIN, 0}};
    poll(watched, std::size(watched), stopping_ ? static_cast<int>(stop_patience.count()) : -1);
    while (const auto signal = signals_.take()) {
      if (*signal == SIGUSR1) continue;
      signal_ = signal;
      stop();
    }
    if (watched[2].revents != 0 || watched[3].revents != 0) stop();
  }

  void stop() {
    if (stopping_) return;
    stopping_ = true;
    deadline_ = std::chrono::steady_clock::now() + stop_patience;
    if (!begun_) ended_ = true;                                  // nobody has answered yet, and then nothing is opened
    [[maybe_unused]] const auto told = helper_.client().stop();  // there is a deadline
  }

  const Serving& serving_;
  HelperClient& helper_;
  const ServePlace& place_;
  SignalWatch signals_;
  Progress progress_;
  Descriptor timer_;
  std::optional<ServedCommand> command_;
  std::optional<int> signal_;
  bool begun_ = false, ready_ = false, stopping_ = false, ended_ = false;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace

Result<int> serve_by_helper(const Serving& serving) {
  const ServedImage& image = serving.images[0];
  if (auto can = can_be_served(serving); !can) return failure(can);
  const auto identity = identity_to_serve(image);
  if (!identity) return std::unexpected(identity.error());
  auto place = ServePlace::open(serving.place);
  if (!place) return failure(place);
  if (auto harmless = is_no_danger(serving, *place, false); !harmless) return failure(harmless);

  job::Handover files;
  const job::Role role = image.writable ? job::Role::target : job::Role::source;
  files.add_granted(granted_file(role, image.path, *identity, serving.policy.cache));
  for (const Descriptor& listener : place->listeners())
    files.add_listener(listener.get(), place->uri(image.name, false));
  const auto control = nbd::ControlSocket::create();
  if (control)
    files.add_control(control->descriptor());
  else
    print_warning(fmt::format("--status will not find this server: {}", sentence(control.error())));
  auto helper = HelperClient::ask(
      {.action = image.writable ? "export.write" : "export.read", .path = image.path, .device = *identity});
  if (!helper) return failure(helper);
  const job::Spec spec{.files = files.files(), .work = work_of(serving)};
  if (auto begun = helper->client().begin(spec, files.descriptors());
      !begun && begun.error().kind != ErrorKind::vanished)
    return failure(begun);
  return Service(serving, *helper, *place).run();
}

}  // namespace disklathe::cli
