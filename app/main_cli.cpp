// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include "core/base/version.h"

int main() { fmt::print("disklathe {}\n", disklathe::version()); }
