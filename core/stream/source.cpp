// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stream/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace disklathe::stream {
namespace {

constexpr size_t buffer_size = 1 << 20;
constexpr size_t detection_size = 512;
constexpr size_t longest_magic = 10;
// Steps without progress that are no mistake: liblzma says "no" only the second time.
constexpr unsigned most_idle_steps = 3;

}  // namespace

Source::Source(std::unique_ptr<Input> input, const DecoderLimits& limits)
    : input_(std::move(input)), limits_(limits), buffer_(buffer_size, 1) {}

Result<std::unique_ptr<Source>> Source::open(std::unique_ptr<Input> input, const SourceRequest& request) {
  std::unique_ptr<Source> source(new Source(std::move(input), request.limits));
  if (request.format.empty()) {
    if (auto read = source->refill(detection_size); !read) return failure(read);
    source->encoding_ = detect_encoding(source->stored());
  } else if (request.format != "raw") {
    source->encoding_ = find_encoding(request.format);
    if (!source->encoding_) return failure(ErrorKind::invalid, "open", fmt::format("no format '{}'", request.format));
  }
  const Encoding* encoding = source->encoding_;
  if (encoding) {
    auto decoder = encoding->make_decoder(request.limits);
    if (!decoder) return failure(decoder);
    source->decoder_ = std::move(*decoder);
  }
  if (source->can_rewind()) {
    if (!encoding)
      source->size_ = source->input_->size();
    else if (encoding->decoded_size)
      source->size_ = encoding->decoded_size(*source->input_);
  }
  return source;
}

Result<void> Source::rewind() {
  input_->rewind();
  if (encoding_) {
    auto decoder = encoding_->make_decoder(limits_);
    if (!decoder) return failure(decoder);
    decoder_ = std::move(*decoder);
  }
  begin_ = end_ = head_given_ = 0;
  given_ = 0;
  head_.clear();
  input_ended_ = inside_member_ = ended_ = false;
  taken_ = 0;
  return {};
}

Result<Bytes> Source::head(size_t most) {
  if (head_.size() < most) {
    const size_t had = head_.size();
    head_.resize(most);
    auto made = decode_into(MutableBytes(head_).subspan(had));
    head_.resize(had + made.value_or(0));
    if (!made) return failure(made);
  }
  return Bytes(head_).first(std::min(most, head_.size()));
}

Result<size_t> Source::fill(MutableBytes into) {
  const Bytes left = Bytes(head_).subspan(head_given_);
  const size_t given = std::min(left.size(), into.size());
  std::ranges::copy(left.first(given), into.begin());
  head_given_ += given;
  auto made = decode_into(into.subspan(given));
  if (!made) return made;
  given_ += given + *made;
  if (auto fits = check_size(); !fits) return failure(fits);
  return given + *made;
}

Result<void> Source::check_size() const {
  if (!size_) return {};
  const auto wrong = [this](std::string cause) {
    return failure(here({.kind = ErrorKind::corrupt, .operation = "decode", .cause = std::move(cause)}));
  };
  if (given_ > *size_) return wrong(fmt::format("it holds more than the {} bytes it says", *size_));
  const bool all_given = ended_ && head_given_ == head_.size();
  if (all_given && given_ != *size_) return wrong(fmt::format("it holds {} bytes and says {}", given_, *size_));
  return {};
}

Result<size_t> Source::decode_into(MutableBytes into) {
  size_t made = 0;
  unsigned idle = 0;
  while (made < into.size() && !ended_) {
    if (begin_ == end_ && !input_ended_) {
      if (auto read = refill(1); !read) return failure(read);
    }
    if (!decoder_) {
      const size_t count = std::min(stored().size(), into.size() - made);
      std::memcpy(into.data() + made, stored().data(), count);
      took(count);
      made += count;
      ended_ = input_ended_ && begin_ == end_;
      continue;
    }
    if (!inside_member_) {
      auto another = another_member();
      if (!another) return failure(another);
      inside_member_ = *another;
      ended_ = !*another;
      continue;
    }
    auto step = decoder_->decode(stored(), into.subspan(made), input_ended_);
    if (!step) return failure(here(std::move(step.error())));
    took(step->taken);
    made += step->made;
    if (step->ended) inside_member_ = false;
    const bool moved = step->ended || step->taken > 0 || step->made > 0;
    idle = moved ? 0 : idle + 1;
    if (moved) continue;
    if (idle > most_idle_steps)
      return failure(
          here({.kind = ErrorKind::corrupt,
                .operation = "decode",
                .cause = input_ended_ ? "it ends in the middle of the compressed data" : "invalid compressed data"}));
    if (auto read = refill(std::min(stored().size() + 1, buffer_size)); !read) return failure(read);
  }
  return made;
}

Result<bool> Source::another_member() {
  if (auto read = refill(longest_magic); !read) return failure(read);
  const bool first = taken() == 0;
  if (stored().empty()) {
    if (!first) return false;
    return failure(here({.kind = ErrorKind::corrupt, .operation = "decode", .cause = "it is empty"}));
  }
  if (first || !encoding_->passes_over_garbage || encoding_->begins(stored())) return true;
  const uint64_t from = taken();
  // Zeroes are what tapes and devices fill up with.
  while (!stored().empty()) {
    if (std::ranges::any_of(stored(), [](std::byte byte) { return byte != std::byte{0}; })) {
      garbage_at_ = from;
      return false;
    }
    took(stored().size());
    if (auto read = refill(1); !read) return failure(read);
  }
  return false;
}

Result<void> Source::refill(size_t least) {
  if (end_ - begin_ >= least || input_ended_) return {};
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  while (end_ < least && !input_ended_) {
    auto count = input_->read(buffer_.bytes().subspan(end_));
    if (!count) return failure(here(std::move(count.error())));
    end_ += *count;
    input_ended_ = *count == 0;
  }
  return {};
}

void Source::took(size_t count) {
  begin_ += count;
  taken_.fetch_add(count, std::memory_order_relaxed);
}

Error Source::here(Error error) const {
  if (error.subject.empty()) error.subject = input_->name();
  if (!error.offset && error.kind != ErrorKind::stopped) error.offset = taken();
  return error;
}

}  // namespace disklathe::stream
