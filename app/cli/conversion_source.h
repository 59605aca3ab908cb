// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <vector>

#include "app/cli/conversion.h"
#include "app/cli/target.h"
#include "core/format/partition_table.h"
#include "core/job/outcome.h"
#include "core/job/spec.h"

namespace disklathe::cli {

// What is converted, and where that is done: an image that can be read anywhere or a stream, in this process or in a
// worker.
class ConversionSource {
 public:
  virtual ~ConversionSource() = default;

  // Of the disk, where it is known already.
  virtual std::optional<uint64_t> size() const = 0;
  virtual std::vector<SourceFile> files() const = 0;
  // The block devices among what it is read from.
  virtual std::vector<dev_t> devices() const = 0;
  // On the disk. Of a stream, before it is converted.
  virtual Result<PartitionTable> partitions() = 0;
  // All but opening the target before, and giving it its name after. Nothing: it goes on by itself, and the target is
  // the job's.
  virtual Result<std::optional<job::Converted>> convert_into(const job::Convert& asked, Target& target, Job& job) = 0;
};

Result<std::unique_ptr<ConversionSource>> open_source(const Conversion& conversion, Job& job);

// The same with every byte of the source read by a worker, and every one of the target written.
Result<std::unique_ptr<ConversionSource>> open_source_for_worker(const Conversion& conversion, Job& job);

std::vector<dev_t> block_devices_of(const std::vector<SourceFile>& files);

// The target as somebody else would find it: for reading, from the medium where that can be had.
Result<std::unique_ptr<FileDevice>> reopen_for_reading(FileDevice& written);

}  // namespace disklathe::cli
