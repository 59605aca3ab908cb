// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/registry.h"

namespace disklathe::qed {

Format format();  // the registry's row

}  // namespace disklathe::qed
