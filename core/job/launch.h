// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/spec.h"

namespace disklathe::job {

// How a worker is started. It gets the socket and what is granted, /dev/null for the standard streams, no environment,
// a session of its own, and nothing else of its parent's.
struct Launch {
  std::string program;  // of the worker; empty: worker_program()
  int socket = -1;      // the worker's end of a socket pair (make_socket_pair() in channel.h); stays the caller's

  // For a launcher that is root: the worker becomes this user, for good, before it reads the first message.
  std::optional<uid_t> uid;
  gid_t gid = 0;

  // What the launcher lets the spec be, whoever writes that; nothing: any kind. Who opened a file for one purpose with
  // rights that the client lacks has to say so: the spec comes from the client.
  std::optional<Kind> only;
  // Files that the launcher opened for the spec's GivenFile::granted. They stay the caller's.
  struct Grant {
    Role role = Role::target;
    int fd = -1;
    int direct_fd = -1;  // the same file O_DIRECT; -1: none
  };
  std::vector<Grant> grants;

  // Not the caller's child: it goes on when the caller ends, and leaves no zombie.
  bool orphan = false;
};

// Its process id; 0 of an orphan. An error says why it could not be started; whatever happens later is told on the
// socket.
Result<pid_t> launch_worker(const Launch& launch);

// Beside this program, or where it is installed.
std::string worker_program();

}  // namespace disklathe::job
