// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/jobs/job_files.h"
#include "ui/jobs/job_result.h"

namespace disklathe::ui {

// What a job has come to: gives fresh files their names, has the kernel read a disk's partitions anew, and says what is
// left of a target that failed. For a thread, as all that waits for the disk.
//
// result: so far: bytes, reached, flushed and touched, as its progress told. files: may be null.
JobResult judge(JobResult result, const JobRequest& request, JobFiles* files, Result<job::Outcome> outcome);

}  // namespace disklathe::ui
