// SPDX-License-Identifier: GPL-3.0-or-later
//
// disklathe-helper: root, started by D-Bus, gone after ten idle seconds. polkit has said yes before a slot is called.
// A slot reads the request, looks at who asks, starts disklathe-opener, and is done: it waits for nobody, as whatever
// else is asked of the helper waits for it. No path, no command and no environment comes from the caller, and no byte
// of an image or a disk comes here. What becomes of a request is told on the socket that came with it, as KAuth's
// replies go to everybody on the bus.
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>
#include <KAuth/ActionReply>
#include <KAuth/HelperSupport>
#include <QCoreApplication>
#include <QObject>
#include <QSet>
#include <QVariantMap>
#include <csignal>
#include <string>
#include <vector>

#include "helper/request.h"

namespace disklathe::helper {
namespace {

enum Refusal : int { wrong_arguments = 1, wrong_socket, token_seen, cannot_start };

KAuth::ActionReply refuse(Refusal why, const QString& text) {
  KAuth::ActionReply reply = KAuth::ActionReply::HelperErrorReply(why);
  reply.setErrorDescription(text);
  return reply;
}

// Whose socket it is; nothing: not one that the caller made. Root has no use for this helper, and KAuth takes a caller
// who has left the bus for root: it is nobody here.
std::optional<ucred> owner_of(int socket) {
  ucred peer{};
  int domain = 0, type = 0;
  const auto ask = [socket](int option, auto& into) {
    socklen_t length = sizeof into;
    return getsockopt(socket, SOL_SOCKET, option, &into, &length) == 0 && length == sizeof into;
  };
  if (!ask(SO_DOMAIN, domain) || !ask(SO_TYPE, type) || domain != AF_UNIX || type != SOCK_STREAM) return std::nullopt;
  const auto caller = static_cast<uid_t>(KAuth::HelperSupport::callerUid());
  if (!ask(SO_PEERCRED, peer) || caller == 0 || peer.uid != caller) return std::nullopt;
  return peer;
}

// The program that opens devices: beside this one, or where it is installed.
std::string opener_program() {
  const std::string beside = QCoreApplication::applicationDirPath().toStdString() + "/disklathe-opener";
  return access(beside.c_str(), X_OK) == 0 ? beside : DISKLATHE_LIBEXEC "/disklathe-opener";
}

// With the socket as descriptor 3 and nothing else of this process. It goes on when this one ends.
bool start_opener(int socket, std::vector<std::string> words) {
  const std::string program = opener_program();
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  char* no_environment[] = {nullptr};
  sigset_t all;
  sigfillset(&all);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, socket, 3);  // first: it may be one of the others
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_addclosefrom_np(&files, 4);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), &files, &attributes, argv.data(), no_environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error == 0;
}

}  // namespace

class Helper : public QObject {
  Q_OBJECT
 public Q_SLOTS:
  KAuth::ActionReply convert(const QVariantMap& arguments) { return start("convert", arguments); }
  KAuth::ActionReply convert_read(const QVariantMap& arguments) { return start("convert.read", arguments); }
  KAuth::ActionReply zero(const QVariantMap& arguments) { return start("zero", arguments); }
  KAuth::ActionReply export_read(const QVariantMap& arguments) { return start("export.read", arguments); }
  KAuth::ActionReply export_write(const QVariantMap& arguments) { return start("export.write", arguments); }
  KAuth::ActionReply inspect(const QVariantMap& arguments) { return start("inspect", arguments); }
  KAuth::ActionReply sweep_read(const QVariantMap& arguments) { return start("sweep.read", arguments); }
  KAuth::ActionReply sweep_write(const QVariantMap& arguments) { return start("sweep.write", arguments); }
  KAuth::ActionReply flush(const QVariantMap& arguments) { return start("flush", arguments); }
  KAuth::ActionReply tune(const QVariantMap& arguments) { return start("tune", arguments); }

 private:
  KAuth::ActionReply start(const std::string& action, const QVariantMap& arguments) {
    const auto request = read_request(arguments, action == "tune");
    if (!request) return refuse(wrong_arguments, QStringLiteral("wrong argument: %1").arg(request.error()));
    const auto owner = owner_of(request->socket);
    if (!owner) return refuse(wrong_socket, QStringLiteral("the socket is not the caller's"));
    // A request that is issued again because its answer was lost must not start twice.
    if (tokens_.contains(request->token)) return refuse(token_seen, QStringLiteral("this token was used before"));
    if (tokens_.size() >= most_tokens) tokens_.clear();
    tokens_.insert(request->token);
    std::vector<std::string> words{action, std::to_string(owner->uid), std::to_string(owner->gid),
                                   std::to_string(request->max_sectors_kib)};
    words.insert(words.end(), request->device.begin(), request->device.end());
    if (!start_opener(request->socket, std::move(words)))
      return refuse(cannot_start, QStringLiteral("disklathe-opener cannot be started"));
    return KAuth::ActionReply::SuccessReply();
  }

  static constexpr qsizetype most_tokens = 100'000;
  QSet<QString> tokens_;
};

}  // namespace disklathe::helper

int main(int count, char** words) {
  std::signal(SIGCHLD, SIG_IGN);  // nobody waits for the openers
  disklathe::helper::Helper helper;
  return KAuth::HelperSupport::helperMain(count, words, "org.disklathe.helper", &helper);
}

#include "helper.moc"
