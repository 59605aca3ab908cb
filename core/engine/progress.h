// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

#include "core/engine/tuner.h"

namespace disklathe {

// measure: a stream is decoded to learn its size.
enum class Phase : uint8_t { prepare, measure, write, flush, verify, done };

// What a running job tells whoever looks, from any thread. Bytes of the guest's disk; each only grows, and
// read, zero and skipped never exceed total together.
struct Progress {
  std::atomic<Phase> phase{Phase::prepare};
  std::atomic<uint64_t> total{0};  // of this phase: bytes to go through
  // False while a stream has not said how large it is: then `input` tells how far it is, where input_total is not 0.
  std::atomic<bool> total_known{true};
  std::atomic<uint64_t> input{0}, input_total{0};  // stored bytes of the stream taken, and of all of it
  std::atomic<bool> waits_for_input{false};        // a stream's next bytes have not come yet

  std::atomic<uint64_t> submitted{0};  // data bytes handed to the target
  std::atomic<uint64_t> completed{0};  // data bytes the target has acknowledged
  std::atomic<uint64_t> zeroed{0};     // bytes that became zero by a command or by never being written
  std::atomic<uint64_t> skipped{0};    // bytes that needed nothing: holes of the source on a target known to be zero
  std::atomic<uint64_t> flushed{0};    // bytes known durable
  std::atomic<uint64_t> verified{0};   // bytes read back and compared

  // The request size of the copy, bytes, and why it is that one.
  std::atomic<uint64_t> request_size{0};
  std::atomic<Tuner::Reason> request_reason{Tuner::Reason::start};

  // Bytes of the current phase gone through.
  uint64_t position() const {
    if (phase.load() >= Phase::verify) return verified.load();
    return completed.load() + zeroed.load() + skipped.load();
  }
};

}  // namespace disklathe
