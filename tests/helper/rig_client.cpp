// SPDX-License-Identifier: GPL-3.0-or-later
//
// The other side of tests/helper: an unprivileged user's program, told what to do by words NAME=VALUE. What becomes of
// it is a line each on standard output.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <KAuth/ActionReply>
#include <QCoreApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusPendingReply>
#include <QDBusUnixFileDescriptor>
#include <QElapsedTimer>
#include <QIODevice>
#include <QSocketNotifier>
#include <cstdio>
#include <map>
#include <string>

#include "core/device/identity_words.h"
#include "helper/client/authorization.h"

namespace disklathe::test {
namespace {

using Words = std::map<std::string, std::string>;

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

std::string kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::permission: return "permission";
    case ErrorKind::busy: return "busy";
    case ErrorKind::refused: return "refused";
    case ErrorKind::invalid: return "invalid";
    case ErrorKind::stopped: return "stopped";
    case ErrorKind::crashed: return "crashed";
    default: return "kind " + std::to_string(static_cast<int>(kind));
  }
}

// A request as KAuth's client would make it, with whatever is wrong about it: the helper's plain answer.
int raw_request(const Words& words) {
  QVariantMap arguments;
  qDBusRegisterMetaType<QMap<QString, QDBusUnixFileDescriptor>>();
  QMap<QString, QDBusUnixFileDescriptor> descriptors;
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return 1;
  for (const auto& [name, value] : words) {
    if (name.size() < 5) continue;
    const QString key = QString::fromStdString(name.substr(4)), text = QString::fromStdString(value);
    if (name.starts_with("str:")) arguments[key] = text;
    if (name.starts_with("lst:")) arguments[key] = text.split(u',');
    if (name.starts_with("num:")) arguments[key] = text.toULongLong();
    if (name.starts_with("int:")) arguments[key] = text.toInt();
    if (name.starts_with("fds:"))
      descriptors[key] = QDBusUnixFileDescriptor(value == "own" ? sockets[1] : std::stoi(value));
  }
  QByteArray blob;
  {
    QDataStream stream(&blob, QIODevice::WriteOnly);
    stream << arguments;
  }
  const QDBusConnection bus = QDBusConnection::systemBus();
  QDBusMessage call = QDBusMessage::createMethodCall("org.disklathe.helper", "/", "org.kde.kf6auth", "performAction");
  call.setArguments({QString::fromStdString("org.disklathe.helper." + words.at("raw")), bus.baseService().toUtf8(),
                     QVariantMap(), blob, QVariant::fromValue(descriptors)});
  const QDBusPendingReply<QByteArray> reply = bus.call(call, QDBus::Block, 10000);
  if (reply.isError()) {
    say("bus " + reply.error().message().toStdString());
    return 1;
  }
  const auto answer = KAuth::ActionReply::deserialize(reply.value());
  say(fmt::format("reply {} {} {}", static_cast<int>(answer.type()), answer.error(),
                  answer.errorDescription().toStdString()));
  return 0;
}

// A job, from asking for it to its end.
class JobOfAClient {
 public:
  explicit JobOfAClient(const Words& words) : words_(words) {}

  int run() {
    const auto action = helper::action_of(words_.at("action"));
    const auto identity = words_.contains("identity") ? identity_of_words(split(words_.at("identity")))
                                                      : ok(identity_of(words_.at("device")));
    if (!action || !identity) return 1;
    clock_.start();
    auto client = helper::Authorization::ask({.action = *action, .device = *identity, .max_sectors_kib = 512},
                                             QCoreApplication::instance());
    if (!client) return 1;
    client_ = std::move(*client);
    if (!begin(*action)) return 1;
    if (words_.contains("gives-up")) {
      const auto* asking = QCoreApplication::instance()->findChild<helper::Authorization*>();
      QObject::connect(asking, &helper::Authorization::answered, [] { say("answered"), QCoreApplication::quit(); });
      QSocketNotifier told(STDIN_FILENO, QSocketNotifier::Read);
      QObject::connect(&told, &QSocketNotifier::activated, [this, &told] {
        told.setEnabled(false);
        client_.reset(), say("gave up");
      });
      return QCoreApplication::exec();
    }
    QSocketNotifier notifier(client_->descriptor(), QSocketNotifier::Read);
    QObject::connect(&notifier, &QSocketNotifier::activated, [this] { take(); });
    QSocketNotifier commands(STDIN_FILENO, QSocketNotifier::Read);
    QObject::connect(&commands, &QSocketNotifier::activated, [this, &commands] {
      char line[64];
      commands.setEnabled(read(STDIN_FILENO, line, sizeof line) > 0);
      clock_.restart();
      (void)client_->stop();
    });
    commands.setEnabled(words_.contains("stoppable"));
    return QCoreApplication::exec();
  }

 private:
  static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    for (const QString& part : QString::fromStdString(text).split(u',')) parts.push_back(part.toStdString());
    return parts;
  }
  static std::optional<Identity> ok(Result<Identity> identity) {
    return identity ? std::optional(*identity) : std::nullopt;
  }

  bool begin(helper::Action action) {
    if (action == helper::Action::flush || action == helper::Action::tune) return true;
    job::Handover files;
    job::Work work;
    files.add_granted(helper::granted_file(action, words_.at("device")));
    switch (action) {
      case helper::Action::convert:
        if (words_.contains("pipe")) {
          files.add_pipe(std::stoi(words_.at("pipe")), "pipe");
          work = job::Convert{.source_format = "raw", .existing = true};
        } else {
          source_ = *FileDevice::open({.path = words_.at("image")});
          if (!files.add(job::Role::source, *source_, false, CacheMode::automatic)) return false;
          work = job::Convert{.source_format = "raw", .existing = true, .verify = true};
        }
        break;
      case helper::Action::convert_read:
        source_ = *FileDevice::open({.path = words_.at("image"), .writable = true});
        if (!files.add(job::Role::target, *source_, true, CacheMode::automatic)) return false;
        work = job::Convert{.source_format = "raw", .existing = true};
        break;
      case helper::Action::zero: work = job::Zero{.ranges = {{0, 1 << 20}}}; break;
      case helper::Action::inspect: work = job::Inspect{}; break;
      default:
        work = job::Sweep{.sizes = {4096},
                          .write = action == helper::Action::sweep_write,
                          .area = 1 << 20,
                          .nanoseconds_per_size = 10'000'000,
                          .rounds = 1};
    }
    // What another kind of job would do with a device that was opened for this one.
    if (words_.contains("smuggle")) work = job::Zero{.ranges = {{0, 1 << 20}}};
    return client_->begin({.files = files.files(), .work = work}, files.descriptors()).has_value();
  }

  void take() {
    while (auto event = client_->take()) {
      if (const auto* hello = std::get_if<job::Hello>(&*event)) {
        std::string layers;
        for (const job::SandboxLayer& layer : hello->layers) layers += " " + layer.name + (layer.on ? "" : "(none)");
        say(fmt::format("hello {}{}", clock_.elapsed(), layers));
        if (words_.contains("no-go")) continue;
        (void)client_->go();
      } else if (const auto* reading = std::get_if<job::Reading>(&*event)) {
        say(fmt::format("total {} {}", reading->total, reading->completed));
      } else if (const auto* ended = std::get_if<job::Client::Ended>(&*event)) {
        const auto& result = ended->result;
        say(result ? fmt::format("ended well {}", clock_.elapsed())
                   : fmt::format("ended {} {} {}", kind_name(result.error().kind), clock_.elapsed(),
                                 result.error().cause));
        QCoreApplication::exit(result ? 0 : 2);
      }
    }
  }

  const Words& words_;
  QElapsedTimer clock_;
  std::unique_ptr<FileDevice> source_;
  std::unique_ptr<job::Client> client_;
};

}  // namespace
}  // namespace disklathe::test

int main(int count, char** arguments) {
  using namespace disklathe::test;
  QCoreApplication application(count, arguments);
  Words words;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    const size_t equals = word.find('=');
    words[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  if (words.contains("wait")) {
    char line[64];
    say("ready");
    if (read(STDIN_FILENO, line, sizeof line) < 0) return EXIT_FAILURE;
  }
  return words.contains("raw") ? raw_request(words) : JobOfAClient(words).run();
}
