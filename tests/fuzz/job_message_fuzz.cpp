// SPDX-License-Identifier: GPL-3.0-or-later
//
// What either end of a job's connection may be told by the other: whatever is accepted is the same after it was written
// and read again, and bounded.
#include "core/job/frame.h"
#include "core/job/message.h"

using namespace disklathe;
using namespace disklathe::job;

namespace {

template <class Message>
void round_trip(Bytes input, Result<Message> (*decode)(Bytes)) {
  const auto message = decode(input);
  if (!message) return;
  if (descriptors_of(*message) > most_descriptors) __builtin_trap();
  const auto bytes = encode(*message);
  const auto again = decode(bytes);
  if (!again || encode(*again) != bytes) __builtin_trap();
}

void through_frames(Bytes input) {
  FrameReader reader;
  for (size_t at = 0; at < input.size(); at += 64) {
    reader.add(input.subspan(at, std::min<size_t>(64, input.size() - at)));
    while (true) {
      const auto frame = reader.take();
      if (!frame) return;
      if (!*frame) break;
      round_trip<FromClient>((*frame)->bytes, decode_from_client);
      round_trip<FromWorker>((*frame)->bytes, decode_from_worker);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes input(reinterpret_cast<const std::byte*>(data), size);
  round_trip<FromClient>(input, decode_from_client);
  round_trip<FromWorker>(input, decode_from_worker);
  through_frames(input);
  return 0;
}
