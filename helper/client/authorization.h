// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QVariantMap>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/device/descriptor.h"
#include "core/device/identity.h"
#include "core/job/client.h"

class QDBusPendingCallWatcher;

namespace disklathe::helper {

// What the helper can be asked for; which kind of job the worker then does, and in which role it has the device.
enum class Action : uint8_t {
  convert,       // Kind::convert, target
  convert_read,  // Kind::convert, source
  zero,          // Kind::zero, target
  inspect,       // Kind::inspect, source
  sweep_read,    // Kind::sweep, source
  sweep_write,   // Kind::sweep, target
  export_read,   // Kind::export_, source
  export_write,  // Kind::export_, target
  flush,         // no worker: Hello means that it is done
  tune,          // no worker: Hello means that it is so, until the client is gone
};
std::string_view name_of(Action action);  // "convert.read"
std::optional<Action> action_of(std::string_view name);

// The device is granted: add this to the Handover.
job::GivenFile granted_file(Action action, std::string name);

struct Request {
  Action action = Action::convert;
  Identity device;
  uint64_t max_sectors_kib = 0;  // of tune
};

// The cause of the error when polkit, or the person, said no; and what was being done where the helper could not be
// asked at all.
inline constexpr std::string_view not_authorised = "it was not authorised", to_ask = "ask for";

// Asks the helper, which asks polkit, which may ask the person: that takes as long as it takes. What becomes of it is
// told on the socket: a worker says hello, or `failed` comes (`permission`: it was not allowed). Who gives up closes
// the other end; then nothing is opened any more, whatever the person answers. One request at a time is made for each
// object; while the helper is busy with somebody else's question the same request is made again, with the same token.
class Authorization : public QObject {
  Q_OBJECT
 public:
  // socket: the worker's end. It has to be made by this user.
  Authorization(const Request& request, Descriptor socket, QObject* parent = nullptr);

  // For who has an event loop: the client of the job, to be begun when it likes, e.g. at once.
  static Result<std::unique_ptr<job::Client>> ask(const Request& request, QObject* parent);

 Q_SIGNALS:
  // The helper has answered; the rest is on the socket.
  void answered();

 private:
  void issue();
  void take_answer(QDBusPendingCallWatcher* call);
  void fail(ErrorKind kind, std::string_view operation, const QString& cause);

  const QString action_;
  QVariantMap arguments_;
  Descriptor socket_;
  std::chrono::milliseconds pause_;
};

}  // namespace disklathe::helper
