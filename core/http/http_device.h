// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/device/block_device.h"
#include "core/http/transfers.h"

namespace disklathe::http {

// A file on a web server that gives parts of it (RFC 9110, 14), to be read anywhere. Each part is checked to be one of
// the file that was there when it was opened, by its tag and date as far as the server tells them, and by its size.
class HttpDevice final : public BlockDevice {
 public:
  // `unsupported` where the server gives it only from front to back.
  static Result<std::unique_ptr<HttpDevice>> open(const std::string& url);
  static Result<std::unique_ptr<HttpDevice>> over(Resource resource);

  std::string_view name() const override { return resource_.name; }
  uint64_t size() const override { return *resource_.size; }
  const Limits& limits() const override { return limits_; }
  IoMode io_mode() const override { return IoMode::queued; }
  Task<Result<void>> readv(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> writev(Ring& ring, uint64_t at, std::span<const iovec> vectors) override;
  Task<Result<void>> zero(Ring& ring, Range range, ZeroMethod method) override;
  Task<Result<void>> flush(Ring& ring) override;
  Result<void> read_now(uint64_t at, MutableBytes into) override;
  Result<void> write_now(uint64_t at, Bytes from) override;
  Result<void> flush_now() override;
  Result<Allocation> allocation(uint64_t at) override;
  Result<void> resize(uint64_t size) override;

 private:
  explicit HttpDevice(Resource resource) : resource_(std::move(resource)) {}
  Result<void> gate(Range range) const;
  std::unexpected<Error> read_only(std::string_view operation) const;
  // The pieces have begun.
  void begin(OutsideCall& call, uint64_t at, std::span<const iovec> vectors,
             std::vector<std::unique_ptr<Piece>>& pieces);
  static Result<void> result_of(const std::vector<std::unique_ptr<Piece>>& pieces);

  const Resource resource_;
  Limits limits_;
  std::unique_ptr<Transfers> transfers_;
  std::mutex recent_mutex_;
  std::vector<std::byte> recent_;  // what was read last for metadata
  uint64_t recent_at_ = 0;
};

}  // namespace disklathe::http
