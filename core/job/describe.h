// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/job/archive.h"
#include "core/job/message.h"

namespace disklathe::job {

// What several messages are made of. See Archive.
void describe(Archive& archive, Error& error);
void describe(Archive& archive, Range& range);
void describe(Archive& archive, Reference& reference);
void describe(Archive& archive, Spec& spec);
void describe(Archive& archive, Outcome& outcome);
void describe(Archive& archive, Note& note);
void describe(Archive& archive, MapEntry& entry);

Names<Kind> kind_names();
Names<CacheMode> cache_names();
Names<ZeroMethod> zero_method_names();

}  // namespace disklathe::job
