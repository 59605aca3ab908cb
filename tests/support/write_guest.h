// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/image_writer.h"
#include "core/format/registry.h"

namespace disklathe::test {

// Puts a whole guest's disk through a writer as the engine does, without the engine: units of zeroes go to
// place_zero(), the others are placed a piece at a time, in order, and written. data_file: null without one.
// Does not finish().
Result<void> write_guest(ImageWriter& writer, BlockDevice& file, BlockDevice* data_file, Bytes guest,
                         uint64_t piece_size = 1 << 20);

// A disk of runs of zeroes, of repeated bytes, of text and of noise, in lengths from a few bytes to some hundred KiB;
// the same for the same seed.
std::vector<std::byte> mixed_guest(uint64_t size, uint32_t seed = 1);

// A whole image of a format in `file`; fresh: every byte of it reads as zero before.
Result<void> make_image(std::string_view format, BlockDevice& file, const std::vector<std::byte>& guest,
                        const FormatOptions& options, bool fresh);
// Whether the content of a file is taken for an image of the format.
bool is_image(std::string_view format, const std::vector<std::byte>& content);
// The guest as formats that have nothing but whole sectors hold it.
std::vector<std::byte> padded(std::vector<std::byte> guest);

}  // namespace disklathe::test
