// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sweep.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstring>

#include "core/base/arithmetic.h"
#include "core/engine/latency_histogram.h"
#include "core/io/aligned_buffer.h"
#include "core/io/ring.h"

namespace disklathe {
namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds(SteadyClock::duration time) { return std::chrono::duration<double>(time).count(); }

struct CpuTime {
  double user = 0, system = 0;

  static CpuTime now() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto of = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return {.user = of(used.ru_utime), .system = of(used.ru_stime)};
  }
};

// splitmix64: noise that nothing can compress.
void fill_with_noise(MutableBytes bytes) {
  uint64_t state = 0x9e3779b97f4a7c15;
  for (size_t at = 0; at + sizeof state <= bytes.size(); at += sizeof state) {
    uint64_t word = state += 0x9e3779b97f4a7c15;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    word ^= word >> 31;
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
}

// Makes each block different from all others, for storage that keeps equal blocks once.
void stamp(MutableBytes bytes, uint64_t number) {
  for (size_t at = 0; at + sizeof number <= bytes.size(); at += 4096) {
    ++number;
    std::memcpy(bytes.data() + at, &number, sizeof number);
  }
}

// Requests of one size for a while. `from` is where the next one goes: it stays for the next slice.
struct Slice {
  BlockDevice& device;
  const SweepRequest& request;
  const Stop& stop;
  uint64_t size;
  uint64_t& from;
  SteadyClock::time_point until;
  uint64_t most;  // requests
  LatencyHistogram& latencies;
  uint64_t begun = 0, done = 0;
  bool failed = false;

  uint64_t take() {
    if (from + size > request.area) from = 0;
    ++begun;
    return std::exchange(from, from + size);
  }
  bool over(SteadyClock::time_point now) const { return failed || begun >= most || now >= until || stop.requested(); }
};

Task<Result<void>> keep_one_in_flight(Ring& ring, Slice& slice, MutableBytes buffer) {
  const iovec vector{buffer.data(), slice.size};
  SteadyClock::time_point now = SteadyClock::now();
  while (!slice.over(now)) {
    const uint64_t at = slice.take();
    if (slice.request.write) stamp(buffer.first(slice.size), at);
    const SteadyClock::time_point begun = slice.request.write ? SteadyClock::now() : now;
    Result<void> result = slice.request.write ? co_await slice.device.writev(ring, at, {&vector, 1})
                                              : co_await slice.device.readv(ring, at, {&vector, 1});
    if (!result) {
      slice.failed = true;
      co_return failure(result);
    }
    now = SteadyClock::now();
    ++slice.done;
    slice.latencies.add(now - begun);
  }
  co_return Result<void>{};
}

Task<void> run_slice(Ring& ring, Slice& slice, std::span<AlignedBuffer> buffers, Result<void>& result) {
  std::vector<Task<Result<void>>> slots;
  for (AlignedBuffer& buffer : buffers) slots.push_back(keep_one_in_flight(ring, slice, buffer.bytes()));
  result = co_await when_all(std::move(slots));
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// What is gathered of one size.
struct Series {
  SweepPoint point;
  std::vector<double> rates;
  LatencyHistogram latencies;
};

class Sweep {
 public:
  Sweep(BlockDevice& device, const SweepRequest& request, const Stop& stop)
      : device_(device), request_(request), stop_(stop) {
    for (unsigned i = 0; i < request.depth; ++i) {
      buffers_.emplace_back(request.sizes.back(), device.limits().opt_mem_align);
      fill_with_noise(buffers_.back().bytes());  // for reads too: memory is there before the clock runs
    }
    series_.resize(request.sizes.size());
    for (size_t i = 0; i < series_.size(); ++i) series_[i].point.size = request.sizes[i];
  }

  Result<void> measure(Ring& ring, size_t index) {
    Series& series = series_[index];
    const uint64_t size = series.point.size;
    from_ = round_up(from_, size);
    const SteadyClock::time_point start = SteadyClock::now();
    const CpuTime before = CpuTime::now();
    Slice slice{.device = device_,
                .request = request_,
                .stop = stop_,
                .size = size,
                .from = from_,
                .until = start + request_.time_per_size / request_.rounds,
                .most = std::max<uint64_t>(divide_up(request_.bytes_per_size / request_.rounds, size), 1),
                .latencies = series.latencies};
    Result<void> result;
    ring.spawn(run_slice(ring, slice, buffers_, result));
    ring.run();
    if (!result) return result;
    const CpuTime after = CpuTime::now();
    const double took = seconds(SteadyClock::now() - start);
    series.point.requests += slice.done;
    series.point.seconds += took;
    series.point.user_seconds += after.user - before.user;
    series.point.system_seconds += after.system - before.system;
    series.rates.push_back(static_cast<double>(size) * static_cast<double>(slice.done) / took);
    return {};
  }

  std::vector<SweepPoint> points() const {
    std::vector<SweepPoint> points;
    for (const Series& series : series_) {
      points.push_back(series.point);
      points.back().rate = median(series.rates);
      points.back().p50 = series.latencies.percentile(0.50);
      points.back().p99 = series.latencies.percentile(0.99);
      if (series.rates.empty()) continue;
      points.back().least_rate = std::ranges::min(series.rates);
      points.back().most_rate = std::ranges::max(series.rates);
    }
    return points;
  }

 private:
  BlockDevice& device_;
  const SweepRequest& request_;
  const Stop& stop_;
  std::vector<AlignedBuffer> buffers_;  // one a request in flight
  std::vector<Series> series_;
  uint64_t from_ = 0;
};

Result<std::unique_ptr<Ring>> ring_for(const BlockDevice& device) {
  return Ring::create(device.io_mode() == IoMode::immediate ? RingKind::immediate : RingKind::automatic);
}

}  // namespace

Result<std::vector<SweepPoint>> sweep(BlockDevice& device, const SweepRequest& request, const Stop& stop,
                                      const SweepWatch& watch) {
  if (request.sizes.empty() || request.sizes.back() > request.area || request.area > device.size())
    return failure(ErrorKind::invalid, "sweep", "no request of that size fits");
  if (request.depth > 1 && device.io_mode() == IoMode::immediate)
    return failure(ErrorKind::unsupported, "sweep", "it answers one request at a time");
  auto ring = ring_for(device);
  if (!ring) return failure(ring);
  Sweep run(device, request, stop);
  for (unsigned round = 0; round < request.rounds; ++round) {
    for (size_t step = 0; step < request.sizes.size(); ++step) {
      const size_t index = round % 2 ? request.sizes.size() - 1 - step : step;
      if (watch) watch(request.sizes[index], round + 1, request.rounds);
      if (auto measured = run.measure(**ring, index); !measured) return failure(measured);
      if (stop.requested()) return failure(ErrorKind::stopped, "sweep", {});
    }
  }
  return run.points();
}

Result<void> make_room(BlockDevice& file, uint64_t area) {
  auto room = file.allocate_now({0, area});
  return !room && room.error().kind == ErrorKind::unsupported ? file.resize(area) : room;
}

Result<void> lay_out(BlockDevice& device, uint64_t area, const Stop& stop) {
  const uint64_t size = std::min<uint64_t>(area, 1 << 20);
  if (size == 0) return {};
  const SweepRequest once{.sizes = {size},
                          .write = true,
                          .area = area,
                          .time_per_size = std::chrono::hours(24),
                          .bytes_per_size = area,
                          .rounds = 1};
  if (auto written = sweep(device, once, stop); !written) return failure(written);
  return {};
}

std::optional<size_t> knee_of(std::span<const SweepPoint> points) {
  const auto best = std::ranges::max_element(points, {}, &SweepPoint::rate);
  if (best == points.end() || best->rate <= 0) return std::nullopt;
  const auto knee =
      std::ranges::find_if(points, [&](const SweepPoint& point) { return point.rate >= knee_share * best->rate; });
  return static_cast<size_t>(knee - points.begin());
}

}  // namespace disklathe
