// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/job/client.h"

namespace disklathe::job {

// Jobs that go on without their client: each listens on a socket in the user's runtime folder, which nobody else can
// enter; both ends look who the other is, besides.

// A socket for Client::keep(), and the id under which the job will be found.
struct KeptPlace {
  std::string id;
  Descriptor listening;
};
Result<KeptPlace> make_kept_place();

// The ids of those that still run.
std::vector<std::string> kept_jobs();

// To be followed by Hello and Attached; nothing comes while another client is attached. `not_found` when there is none
// of that id any more.
Result<std::unique_ptr<Client>> attach(const std::string& id);

// After the Done of a job that was attached to: gives the files it made their names; then Client::taken() may be said.
// What a client before, that has ended in the middle of it, has done already is not done again. descriptors: those of
// Client::take_attached(). An error of kind `refused` when another file has taken a name meanwhile.
Result<void> commit_attached(const Spec& spec, const std::vector<Descriptor>& descriptors);

// Of one that was stopped: nothing is left of the files it made.
void discard_attached(const Spec& spec, const std::vector<Descriptor>& descriptors);

// Once its result is taken.
void forget_kept_job(const std::string& id);

}  // namespace disklathe::job
