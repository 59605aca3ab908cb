// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVariantMap>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace disklathe::helper {

// What a caller asks, after the strictest reading: each key is there, of its own type and in its bounds, and no other.
//   token            text    32 hexadecimal digits
//   socket           fd      the worker's end of a socket pair that the caller made
//   device           texts   core/device/identity_words.h
//   max_sectors_kib  uint64  for tune, and only there: 4 to 1048576
struct Request {
  QString token;
  int socket = -1;  // lives as long as the arguments
  std::vector<std::string> device;
  uint64_t max_sectors_kib = 0;
};

// Or which key is wrong.
std::expected<Request, QString> read_request(QVariantMap arguments, bool tunes);

}  // namespace disklathe::helper
