// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nbd/terms.h"

namespace disklathe::nbd {
namespace {

// The flags that a command may carry.
unsigned flags_of(Command command, const Terms& terms) {
  const bool structured = terms.dialect() != Dialect::simple;
  switch (command) {
    case Command::read: return fua | (structured ? df : 0);
    case Command::write: return fua | (terms.dialect() == Dialect::extended ? payload_length : 0);
    case Command::write_zeroes: return fua | no_hole | fast_zero;
    case Command::block_status: return fua | req_one;
    default: return fua;  // which clients are known to set on anything
  }
}

bool is_inside(const Request& request, uint64_t size) {
  return request.offset <= size && request.length <= size - request.offset;
}

}  // namespace

bool writes(const Request& request) {
  return request.is(Command::write) || request.is(Command::write_zeroes) || request.is(Command::trim);
}

Code check(const Request& request, const Terms& terms) {
  if (request.type > static_cast<uint16_t>(Command::block_status)) return Code::invalid;
  const auto command = static_cast<Command>(request.type);
  if ((request.flags & ~flags_of(command, terms)) != 0) return Code::invalid;
  if (command == Command::flush || command == Command::disconnect) return Code::ok;
  if (writes(request) && !terms.info.writable) return Code::not_permitted;
  if (request.length == 0) return Code::invalid;
  if (!is_inside(request, terms.info.size))
    return command == Command::write || command == Command::write_zeroes ? Code::no_space : Code::invalid;
  if (command == Command::read && request.length > max_payload)
    return terms.dialect() == Dialect::simple ? Code::invalid : Code::overflow;
  if (command == Command::write && request.length > max_payload) return Code::invalid;
  if (command == Command::block_status && terms.agreement.contexts.empty()) return Code::invalid;
  return Code::ok;
}

uint64_t payload_of(const Request& request, const Terms& terms) {
  // A write's payload comes also where the flag that extended headers ask for is missing: QEMU 10 leaves it out.
  const bool flagged = terms.dialect() == Dialect::extended && request.has(payload_length);
  return flagged || request.is(Command::write) ? request.length : 0;
}

}  // namespace disklathe::nbd
