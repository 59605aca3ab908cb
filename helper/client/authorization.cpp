// SPDX-License-Identifier: GPL-3.0-or-later
//
// KAuth's own client takes the answer to a request from a signal that goes to everybody and is matched by the action's
// name, and never hears that the helper was busy. So the helper's method is called as KAuth does, and the answer taken
// from the reply to this very call (docs/adr/0018).
#include "helper/client/authorization.h"

#include <poll.h>

#include <KAuth/ActionReply>
#include <QDBusConnection>
#include <QDBusMetaType>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusUnixFileDescriptor>
#include <QDataStream>
#include <QIODevice>
#include <QRandomGenerator>
#include <QTimer>
#include <algorithm>
#include <array>
#include <chrono>
#include <climits>

#include "core/device/identity_words.h"
#include "core/job/channel.h"

namespace disklathe::helper {
namespace {

// Between two requests to a helper that is busy, twice as long each time: with somebody else's request for some
// milliseconds, or with a question that a person thinks about.
constexpr std::chrono::milliseconds first_pause{10}, longest_pause{200};
constexpr int no_timeout = INT_MAX;  // the person may be away

constexpr std::array<std::string_view, 10> names{"convert",     "convert.read", "zero",         "inspect", "sweep.read",
                                                 "sweep.write", "export.read",  "export.write", "flush",   "tune"};

using Descriptors = QMap<QString, QDBusUnixFileDescriptor>;

QString new_token() {
  std::array<quint64, 2> random{};
  QRandomGenerator::system()->fillRange(random.data(), random.size());
  return QStringLiteral("%1%2").arg(random[0], 16, 16, QLatin1Char('0')).arg(random[1], 16, 16, QLatin1Char('0'));
}

bool writes(Action action) {
  return action == Action::convert || action == Action::zero || action == Action::sweep_write ||
         action == Action::export_write;
}

}  // namespace

std::string_view name_of(Action action) { return names[static_cast<size_t>(action)]; }

std::optional<Action> action_of(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Action>(found - names.begin());
}

job::GivenFile granted_file(Action action, std::string name) {
  return {.role = writes(action) ? job::Role::target : job::Role::source,
          .name = std::move(name),
          .writable = writes(action),
          .direct = true,
          .granted = true};
}

Authorization::Authorization(const Request& request, Descriptor socket, QObject* parent)
    : QObject(parent),
      action_(QStringLiteral("org.disklathe.helper.") + QString::fromLatin1(name_of(request.action).data())),
      socket_(std::move(socket)),
      pause_(first_pause) {
  qDBusRegisterMetaType<Descriptors>();
  QStringList device;
  for (const std::string& word : words_of(request.device)) device.push_back(QString::fromStdString(word));
  arguments_ = {{QStringLiteral("token"), new_token()}, {QStringLiteral("device"), device}};
  if (request.action == Action::tune)
    arguments_.insert(QStringLiteral("max_sectors_kib"), QVariant::fromValue<qulonglong>(request.max_sectors_kib));
  issue();
}

Result<std::unique_ptr<job::Client>> Authorization::ask(const Request& request, QObject* parent) {
  auto sockets = job::make_socket_pair();
  if (!sockets) return failure(sockets);
  auto* asking = new Authorization(request, std::move(sockets->worker), parent);
  connect(asking, &Authorization::answered, asking, &QObject::deleteLater);
  return job::Client::connect(std::move(sockets->client));
}

void Authorization::issue() {
  // Who has given up while the helper was busy asks no more.
  pollfd watched{.fd = socket_.get(), .events = POLLRDHUP, .revents = 0};
  if (poll(&watched, 1, 0) != 0) {
    Q_EMIT answered();
    return;
  }
  QByteArray arguments;
  {
    QDataStream stream(&arguments, QIODevice::WriteOnly);
    stream << arguments_;
  }
  const QDBusConnection bus = QDBusConnection::systemBus();
  if (!bus.isConnected()) {  // a call would never finish
    fail(ErrorKind::permission, to_ask, QStringLiteral("there is no system bus here"));
    QTimer::singleShot(0, this, &Authorization::answered);
    return;
  }
  QDBusMessage call =
      QDBusMessage::createMethodCall(QStringLiteral("org.disklathe.helper"), QStringLiteral("/"),
                                     QStringLiteral("org.kde.kf6auth"), QStringLiteral("performAction"));
  const Descriptors descriptors{{QStringLiteral("socket"), QDBusUnixFileDescriptor(socket_.get())}};
  call.setArguments({action_, bus.baseService().toUtf8(), QVariantMap(), arguments, QVariant::fromValue(descriptors)});
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call, no_timeout), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, &Authorization::take_answer);
}

void Authorization::take_answer(QDBusPendingCallWatcher* call) {
  using Reply = KAuth::ActionReply;
  call->deleteLater();
  const QDBusPendingReply<QByteArray> reply = *call;
  const Reply answer = reply.isError() ? Reply::DBusErrorReply() : Reply::deserialize(reply.value());
  const bool of_kauth = answer.type() == Reply::KAuthErrorType;
  if (of_kauth && answer.errorCode() == Reply::HelperBusyError) {
    QTimer::singleShot(pause_, this, &Authorization::issue);
    pause_ = std::min(2 * pause_, longest_pause);
    return;
  }
  if (reply.isError() && reply.error().type() == QDBusError::ServiceUnknown)
    fail(ErrorKind::permission, to_ask, QStringLiteral("disklathe-helper is not installed"));
  else if (reply.isError())
    fail(ErrorKind::permission, to_ask,
         QStringLiteral("disklathe-helper does not answer: %1").arg(reply.error().message()));
  else if (of_kauth && answer.errorCode() == Reply::AuthorizationDeniedError)
    fail(ErrorKind::permission, "open", QLatin1String(not_authorised));
  else if (of_kauth)
    fail(ErrorKind::permission, to_ask, QStringLiteral("KAuth says %1").arg(answer.error()));
  else if (answer.type() == Reply::HelperErrorType)
    fail(ErrorKind::invalid, "open", answer.errorDescription());
  socket_ = {};
  Q_EMIT answered();
}

void Authorization::fail(ErrorKind kind, std::string_view operation, const QString& cause) {
  // The worker's end is still this process's: it says what no worker will.
  job::WorkerChannel channel(std::move(socket_));
  [[maybe_unused]] const auto told =
      channel.send(job::Failed{{.kind = kind, .operation = std::string(operation), .cause = cause.toStdString()}});
}

}  // namespace disklathe::helper
