// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/job/message.h"

namespace disklathe::test {

// The job protocol by example, for its tests and its fuzzing: of each kind at least one, and in some of them each
// member that may be absent.
std::vector<job::Work> each_work();
std::vector<job::Outcome> each_outcome();
std::vector<job::FromClient> each_message_of_the_client();
std::vector<job::FromWorker> each_message_of_the_worker();

// Encoded, by what each is: "go", "start-convert", "done-zero", "note-2" (the second one). And "frames": several as
// they travel.
std::map<std::string, std::vector<std::byte>> encoded_messages();

}  // namespace disklathe::test
