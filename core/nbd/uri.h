// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace disklathe::nbd {

// NBD URIs (github.com/NetworkBlockDevice/nbd, doc/uri.md). `name` is the export's; empty: the default one.
// tls: only that is spoken there.
std::string unix_uri(std::string_view socket_path, std::string_view name, bool tls);
std::string tcp_uri(std::string_view host, uint16_t port, std::string_view name, bool tls);

}  // namespace disklathe::nbd
