// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "core/base/range.h"
#include "core/base/result.h"
#include "core/format/layers.h"
#include "core/nbd/export.h"

namespace disklathe {

// How an image is offered to NBD clients.
struct ExportRequest {
  std::string name;         // empty: the default export
  std::string description;  // for people
  Range part;               // of the guest's disk; of no length: from there to its end
  bool writable = false;    // it is raw or has an editor, and its files are open for writing
  bool changes = false;     // somebody else may write to the files meanwhile: nothing of what is known of them is kept
};

// Where on the guest's disk a partition is. `not_found`: it has none of that number.
Result<Range> partition_of(Image& image, unsigned number);

// The guest's disk of an image as an export. `invalid` where the part does not lie inside the disk; `unsupported` where
// it cannot be written to in place.
Result<std::unique_ptr<nbd::Export>> make_export(std::unique_ptr<Image> image, const ExportRequest& request);

}  // namespace disklathe
