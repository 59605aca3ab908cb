// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "app/cli/size_text.h"
#include "core/device/file_device.h"

namespace disklathe::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr uint64_t largest_report = 1 << 20;  // bytes of a saved sweep
constexpr double megabyte = 1e6, gigabyte = 1e9;

std::string time_text(std::chrono::nanoseconds time) {
  const double us = static_cast<double>(time.count()) / 1e3;
  if (us < 1e3) return fmt::format("{:.3g} us", us);
  return us < 1e6 ? fmt::format("{:.3g} ms", us / 1e3) : fmt::format("{:.3g} s", us / 1e6);
}

// Seconds of processor time for 10^9 bytes.
double cpu_per_gigabyte(const SweepPoint& point) {
  return point.requests ? point.cpu_seconds() / point.bytes() * gigabyte : 0;
}

double percent(double part) { return part * 100; }

std::string knee_text(const SweepReport& report) {
  const auto knee = knee_of(report.points);
  if (!knee) return {};
  const auto best = std::ranges::max_element(report.points, {}, &SweepPoint::rate);
  const SweepPoint& point = report.points[*knee];
  std::string text = fmt::format("\nknee: {}", human_size(point.size));
  if (&point == &*best)
    text += ", the fastest";
  else
    text += fmt::format(", {:.0f} % of the fastest ({})", percent(point.rate / best->rate), human_size(best->size));
  text += "\n";
  const SweepPoint& largest = report.points.back();
  if (const double share = largest.rate / best->rate; share < knee_share)
    text += fmt::format("larger is not faster: {} requests are {:.0f} % slower than {}\n", human_size(largest.size),
                        percent(1 - share), human_size(best->size));
  return text;
}

// A number of a saved sweep: finite and not negative.
bool take(const json& from, const char* key, double& into) {
  const auto found = from.find(key);
  if (found == from.end() || !found->is_number()) return false;
  into = found->get<double>();
  return into >= 0 && into < 1e18;
}

bool take(const json& from, const char* key, uint64_t& into) {
  const auto found = from.find(key);
  if (found == from.end() || !found->is_number_unsigned()) return false;
  into = found->get<uint64_t>();
  return true;
}

bool take(const json& from, const char* key, std::chrono::nanoseconds& into) {
  double value = 0;
  if (!take(from, key, value)) return false;
  into = std::chrono::nanoseconds(static_cast<int64_t>(value));
  return true;
}

bool take(const json& from, SweepPoint& point) {
  return from.is_object() && take(from, "size", point.size) && point.size > 0 &&
         take(from, "requests", point.requests) && take(from, "seconds", point.seconds) &&
         take(from, "bytes_per_second", point.rate) && take(from, "p50_ns", point.p50) &&
         take(from, "p99_ns", point.p99) && take(from, "user_seconds", point.user_seconds) &&
         take(from, "system_seconds", point.system_seconds);
}

bool take(const json& from, SweepReport& report) {
  uint64_t depth = 0;
  if (!from.is_object() || from.value("kind", json()) != "disklathe-sweep" || !take(from, "depth", depth)) return false;
  const json target = from.value("target", json()), mode = from.value("mode", json()),
             points = from.value("points", json());
  if (!target.is_string() || !points.is_array() || (mode != "read" && mode != "write")) return false;
  report.target = target.get<std::string>();
  report.write = mode == "write";
  report.depth = static_cast<unsigned>(std::min<uint64_t>(depth, UINT32_MAX));
  report.points.resize(points.size());
  for (size_t i = 0; i < points.size(); ++i)
    if (!take(points[i], report.points[i])) return false;
  return true;
}

std::string change_text(double from, double to) {
  return from > 0 ? fmt::format("{:+.1f} %", percent(to / from - 1)) : std::string("-");
}

std::string heading_of(const SweepReport& report) {
  return fmt::format("{}, {}, depth {}", report.target, report.write ? "write" : "read", report.depth);
}

}  // namespace

std::string table_of(const SweepReport& report) {
  std::string text = fmt::format("{:<8} {:>9} {:>9} {:>9} {:>9} {:>8} {:>9}\n", "SIZE", "MB/S", "IOPS", "P50", "P99",
                                 "CPU S", "CPU S/GB");
  for (const SweepPoint& point : report.points)
    text += fmt::format("{:<8} {:>9.1f} {:>9.0f} {:>9} {:>9} {:>8.2f} {:>9.3f}\n", human_size(point.size),
                        point.rate / megabyte, point.requests_per_second(), time_text(point.p50), time_text(point.p99),
                        point.cpu_seconds(), cpu_per_gigabyte(point));
  return text + knee_text(report);
}

std::string csv_of(const SweepReport& report) {
  std::string text = "size,bytes_per_second,iops,p50_ns,p99_ns,requests,seconds,user_seconds,system_seconds\n";
  for (const SweepPoint& point : report.points)
    text += fmt::format("{},{:.0f},{:.2f},{},{},{},{:.6f},{:.6f},{:.6f}\n", point.size, point.rate,
                        point.requests_per_second(), point.p50.count(), point.p99.count(), point.requests,
                        point.seconds, point.user_seconds, point.system_seconds);
  return text;
}

ordered_json json_of(const SweepReport& report) {
  ordered_json object{{"kind", "disklathe-sweep"}, {"target", report.target}, {"mode", report.write ? "write" : "read"},
                      {"direct", report.direct},   {"depth", report.depth},   {"area", report.area}};
  if (report.max_sectors_kb) object["max_sectors_kb"] = *report.max_sectors_kb;
  object["points"] = ordered_json::array();
  for (const SweepPoint& point : report.points)
    object["points"].push_back({{"size", point.size},
                                {"bytes_per_second", point.rate},
                                {"iops", point.requests_per_second()},
                                {"p50_ns", point.p50.count()},
                                {"p99_ns", point.p99.count()},
                                {"requests", point.requests},
                                {"seconds", point.seconds},
                                {"user_seconds", point.user_seconds},
                                {"system_seconds", point.system_seconds}});
  const auto knee = knee_of(report.points);
  object["knee"] = knee ? ordered_json(report.points[*knee].size) : ordered_json();
  return object;
}

Result<SweepReport> read_sweep(const std::string& path) {
  auto file = FileDevice::open({.path = path, .cache = CacheMode::writeback});
  if (!file) return failure(file);
  const auto wrong = [&] {
    return failure(Error{
        .kind = ErrorKind::corrupt, .operation = "read", .subject = path, .cause = "it is no sweep saved as JSON"});
  };
  if ((*file)->size() > largest_report) return wrong();
  std::string text((*file)->size(), '\0');
  if (auto read = (*file)->read_now(0, std::as_writable_bytes(std::span(text))); !read) return failure(read);
  SweepReport report;
  if (!take(json::parse(text, nullptr, false), report)) return wrong();
  return report;
}

std::string comparison_of(const SweepReport& first, const SweepReport& second) {
  std::string text = fmt::format("A: {}\nB: {}\n\n", heading_of(first), heading_of(second));
  text += fmt::format("{:<8} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9}\n", "SIZE", "A MB/S", "B MB/S", "B TO A",
                      "A P99", "B P99", "A CPU/GB", "B CPU/GB");
  for (const SweepPoint& a : first.points) {
    const auto b = std::ranges::find(second.points, a.size, &SweepPoint::size);
    if (b == second.points.end()) continue;
    text += fmt::format("{:<8} {:>9.1f} {:>9.1f} {:>8} {:>9} {:>9} {:>9.3f} {:>9.3f}\n", human_size(a.size),
                        a.rate / megabyte, b->rate / megabyte, change_text(a.rate, b->rate), time_text(a.p99),
                        time_text(b->p99), cpu_per_gigabyte(a), cpu_per_gigabyte(*b));
  }
  return text;
}

}  // namespace disklathe::cli
