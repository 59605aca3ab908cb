// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace disklathe {

// Reading /sys, /proc and /run/udev. Every path goes through a root in front of it: "" on a real machine, a folder of
// its own in a test. A file that is missing or not readable is nullopt or empty: the kernel shows less to some.

// The first `most` bytes, or nullopt.
std::optional<std::string> read_small_file(const std::string& path, size_t most = 1 << 20);
// One sysfs attribute without the line end; nullopt when it is not there.
std::optional<std::string> read_attribute(const std::string& path);
// A decimal attribute; nullopt when it is not there, or is no number.
std::optional<uint64_t> read_number(const std::string& path);
// The names in a folder, in the order a person counts: sda2 before sda10.
std::vector<std::string> list_folder(const std::string& path);
bool path_exists(const std::string& path);
// The last part of a symbolic link's target ("subsystem" -> "usb"); empty when it is none.
std::string link_name(const std::string& path);
// Symbolic links followed to the end; empty when it does not exist.
std::string real_path(const std::string& path);

// "8:1" as the kernel writes device numbers.
std::optional<dev_t> parse_device_number(std::string_view text);
std::string device_number_text(dev_t number);

// Text a device says of itself (model, serial, label), fit to be shown: valid UTF-8 without control, invisible and
// direction-changing characters, runs of blanks as one, none at the ends. What a device says must not be able to make a
// line look like another device's.
std::string device_text(std::string_view raw);

// "\x20" and "\040": how udev and /proc write the characters that would break their lines.
std::string unescape_hex(std::string_view text);
std::string unescape_octal(std::string_view text);

bool counts_before(std::string_view a, std::string_view b);

}  // namespace disklathe
