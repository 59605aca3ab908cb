// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace disklathe::cli {

// The largest size qemu-img and this program take: images are addressed with signed 64-bit offsets.
inline constexpr uint64_t max_size = INT64_MAX;

// "1536", "0x600", "1.5K", "64k", "3Gi", "2GiB": bytes. K, M, G, T, P and E mean powers of 1024 with or without the i,
// as everywhere in qemu-img; b means bytes. nullopt: not a size, or above max_size.
std::optional<uint64_t> parse_size(std::string_view text);

// Three significant digits and a unit, as qemu-img prints it: "3 MiB", "0.977 KiB".
std::string human_size(uint64_t bytes);

// "3 MiB (3145728 bytes)"
std::string exact_size(uint64_t bytes);

// "298 MiB/s"; "-" when nothing is known yet.
std::string human_rate(double bytes_per_second);

// "0:07", "12:34", "3:02:01"
std::string human_duration(double seconds);

}  // namespace disklathe::cli
