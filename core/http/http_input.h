// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/http/exchange.h"
#include "core/stream/input.h"

namespace disklathe::http {

// A file on a web server from front to back, by one request. Where the server gives parts, one that breaks is gone on
// with, and it has a size (as stream::Input means that); where it does not, the end of the connection is the end of it.
Result<std::unique_ptr<stream::Input>> make_http_input(Resource resource);

}  // namespace disklathe::http
