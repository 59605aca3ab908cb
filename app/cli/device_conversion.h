// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/job.h"
#include "core/base/result.h"
#include "core/device/after_write.h"
#include "core/device/target_guard.h"
#include "core/format/partition_table.h"
#include "core/job/spec.h"

namespace disklathe::cli {

// What `convert` does besides when its target is a block device.

struct DeviceOptions {
  std::string yes_erase;               // --yes-erase
  bool allow_sector_mismatch = false;  // --allow-sector-mismatch
};

// The image that is to be written, as far as the device has a say in it.
struct DeviceSource {
  std::optional<uint64_t> size;  // nothing: a stream that does not say
  PartitionTable table;          // on it
  std::vector<dev_t> devices;    // block devices that it is read from
};

struct DeviceTarget {
  ChosenDevice chosen;
  PartitionTable table;  // of the image
};

// Refuses, before anybody is asked and a byte is written: a device that is in use, too small, made of other sectors
// than the image is for, or read from by this very job. Then asks for consent; meanwhile the job draws nothing.
Result<DeviceTarget> choose_for_conversion(const std::string& path, const DeviceSource& source,
                                           const DeviceOptions& options, Job& job);

// How well it is known that the device holds the image now.
enum class DeviceGrade : uint8_t { handed_over, flushed, read_back };

struct DeviceReport {
  std::string path;
  DeviceGrade grade = DeviceGrade::handed_over;
  std::optional<CacheLeft> cache;  // of a read-back: what may have answered instead of the medium
  TableReread table = TableReread::none;
  std::vector<std::string> notes;  // what the person should know or do now
};

// The written device's partitions are made known, and what there is to say of it is collected. image_size: bytes.
// device: null where the helper opened it for a worker, which has closed it by now.
// Error `vanished`: it is not the chosen device with the chosen medium any more, though no write has failed.
Result<DeviceReport> finish_device(const DeviceTarget& target, const FileDevice* device, DeviceGrade grade,
                                   uint64_t image_size, Job& job);

// Of a job that goes on alone: what can be said of its end already; empty: nothing.
std::string note_beforehand(const DeviceTarget& target, uint64_t image_size);

// The device that a kept job has written, as its spec knows it: for finish_device(). What was on the image is not
// known any more.
Result<DeviceTarget> device_written_by(const job::GivenFile& file);

DeviceGrade grade_of(const job::Convert& work);

void say(const DeviceReport& report, bool quiet);

// "'/dev/sdb' was written, flushed, read back and found the same; ..."
std::string words_of(const DeviceReport& report);
nlohmann::ordered_json json_of(const DeviceReport& report);

// Who may change the device while it is read, as a warning; empty: nobody is seen that could.
std::string writer_of_source(dev_t device);

}  // namespace disklathe::cli
