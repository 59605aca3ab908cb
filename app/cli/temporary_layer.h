// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/format/layers.h"

namespace disklathe::cli {

// The image with a layer on top that takes all that is written: a file without a name in $TMPDIR, else in /var/tmp,
// gone with the program. Says where it lies and how large it may become.
Result<std::unique_ptr<Image>> with_temporary_layer(std::unique_ptr<Image> image);

}  // namespace disklathe::cli
