// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/made_image.h"

#include "tests/support/memory_device.h"
#include "tests/support/program.h"
#include "tests/support/write_guest.h"

namespace disklathe::test {

std::string describe(const Error& error) {
  return error.operation + " " + error.subject + ": " + error.cause + " errno " + std::to_string(error.os_error) +
         (error.offset ? " at " + std::to_string(*error.offset) : "");
}

std::string_view as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string MadeImage::make(const std::vector<std::byte>& guest, CreateRequest request) {
  return create(guest.size(), std::move(request), &guest);
}

std::string MadeImage::make_empty(uint64_t size, CreateRequest request) {
  return create(size, std::move(request), nullptr);
}

std::string MadeImage::create(uint64_t size, CreateRequest request, const std::vector<std::byte>* guest) {
  MemoryDevice file, data_file;
  const auto data_name = request.options.find("data_file");
  request.file = &file;
  if (data_name != request.options.end()) {
    data_name->second = dir_.file(data_name->second);  // QEMU looks for it in the working directory
    request.data_file = &data_file;
  }
  request.size = size;
  request.target_is_zero = true;
  auto writer = find_format(format_)->create(request);
  if (!writer) return describe(writer.error());
  if (guest) {
    if (auto written = write_guest(**writer, file, &data_file, *guest); !written) return describe(written.error());
  }
  if (auto finished = (*writer)->finish(true); !finished) return describe(finished.error());
  write_file(path_, as_text(file.content()));
  if (request.data_file) write_file(data_name->second, as_text(data_file.content()));
  return {};
}

std::string MadeImage::check() const {
  const auto result = run_program({"qemu-img", "check", "-f", format_, path_});
  const bool clean = result.status == 0 && result.output.contains("No errors were found");
  return clean ? "" : result.output + result.errors;
}

std::string MadeImage::compare(const std::vector<std::byte>& guest) const {
  write_file(dir_.file("guest.raw"), as_text(guest));
  const auto result = run_program({"qemu-img", "compare", "-f", format_, "-F", "raw", path_, dir_.file("guest.raw")});
  return result.status == 0 ? "" : result.output + result.errors;
}

}  // namespace disklathe::test
