// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/edited_disk.h"

#include <algorithm>

#include "tests/support/guest.h"
#include "tests/support/made_image.h"
#include "tests/support/program.h"
#include "tests/support/run_task.h"
#include "tests/support/wrapped_device.h"
#include "tests/support/write_guest.h"

namespace disklathe::test {

namespace {

// A device under the name that it was asked for by: by their names an image's files are told apart.
class NamedDevice final : public WrappedDevice {
 public:
  NamedDevice(BlockDevice& inner, std::string name) : WrappedDevice(inner), name_(std::move(name)) {}
  std::string_view name() const override { return name_; }

 private:
  const std::string name_;
};

}  // namespace

std::vector<std::byte> as_bytes(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

ImageToEdit::ImageToEdit(Kind kind) : kind_(std::move(kind)) { make(); }

void ImageToEdit::run(std::vector<std::string> words) {
  if (!wrong_.empty()) return;
  const auto done = run_program(words);
  if (done.status != 0) wrong_ = words[0] + " " + words[1] + ": " + done.output + done.errors;
}

void ImageToEdit::make() {
  std::string options = kind_.options;
  // QEMU looks for it in the working directory.
  if (const auto at = options.find("data_file=data"); at != std::string::npos)
    options.replace(at, 14, "data_file=" + dir_.file("data"));
  std::vector<std::string> create{"qemu-img", "create", "-q", "-f", "qcow2"};
  if (!options.empty()) create.insert(create.end(), {"-o", options});
  if (kind_.backing) {
    base_ = mixed_guest(kind_.size - (512 << 10), 5);  // shorter than the image
    write_file(dir_.file("base"), as_text(base_));
    create.insert(create.end(), {"-b", dir_.file("base"), "-F", "raw"});
  }
  create.insert(create.end(), {path(), std::to_string(kind_.size)});
  run(create);
  std::vector<std::string> fill{"qemu-io", "-f", "qcow2", path()};
  const auto command = [&](const std::string& words) { fill.insert(fill.end(), {"-c", words}); };
  command("write -P 17 0 200k");
  if (kind_.compressed) command("write -c -P 33 2M 128k");
  command("write -P 18 600k 70k");
  command("write -z 256k 128k");
  command("write -P 19 1M 300k");
  command("discard 1M 128k");
  if (kind_.filled > 0) command("write -P 21 2M " + std::to_string(kind_.filled));
  run(fill);
  if (kind_.snapshot) {
    run({"qemu-img", "snapshot", "-c", "one", path()});
    run({"qemu-io", "-f", "qcow2", "-c", "write -P 20 100k 300k", "-c", "write -z 1200k 64k", path()});
    snapshot_ = content_of("one");
  }
  guest_ = content_of("");
}

std::vector<std::byte> ImageToEdit::content_of(const std::string& snapshot) const {
  std::vector<std::string> words{"qemu-img", "convert", "-f", "qcow2", "-O", "raw"};
  if (!snapshot.empty()) words.insert(words.end(), {"-l", "snapshot.name=" + snapshot});
  words.insert(words.end(), {path(), dir_.file("content")});
  if (run_program(words).status != 0) return {};
  return as_bytes(read_file(dir_.file("content")));
}

std::vector<std::byte> ImageToEdit::image() const { return as_bytes(read_file(path())); }

std::vector<std::byte> ImageToEdit::data_file() const {
  return has_data_file() ? as_bytes(read_file(dir_.file("data"))) : std::vector<std::byte>();
}

void ImageToEdit::replace(const std::vector<std::byte>& image, const std::vector<std::byte>& data_file) {
  write_file(path(), as_text(image));
  if (has_data_file()) write_file(dir_.file("data"), as_text(data_file));
}

std::string ImageToEdit::check() const {
  const auto result = run_program({"qemu-img", "check", "-f", "qcow2", path()});
  const bool clean = result.status == 0 && result.output.contains("No errors were found");
  return clean ? "" : result.output + result.errors;
}

std::string ImageToEdit::compare(const std::vector<std::byte>& guest) const {
  const auto now = content_of("");
  const auto [found, expected] = std::ranges::mismatch(now, guest);
  if (found != now.end() || expected != guest.end())
    return "the disk differs at " + std::to_string(found - now.begin()) + " of " + std::to_string(guest.size());
  if (kind_.snapshot && content_of("one") != snapshot_) return "the snapshot is another";
  // QEMU rounds its size up to whole clusters.
  if (kind_.options.contains("data_file_raw") && !as_text(data_file()).starts_with(as_text(guest)))
    return "the data file is no raw image";
  return {};
}

Result<EditedDisk> EditedDisk::open(const Files& files) {
  FileOpener opener;
  opener.open = [&](const std::string& path) -> Result<std::unique_ptr<BlockDevice>> {
    BlockDevice* const device = path == "image" ? files.image : path.ends_with("/data") ? files.data_file : files.base;
    if (!device) return failure(ErrorKind::not_found, "open", path);
    return std::make_unique<NamedDevice>(*device, path);
  };
  opener.allow = [](const std::string&, const Reference&, const std::string&) -> Result<void> { return {}; };
  auto image = Image::open({.path = "image", .format = "qcow2", .edit = true}, opener);
  if (!image) return failure(image);
  EditedDisk disk;
  disk.image_ = std::move(*image);
  disk.in_place_ = std::make_unique<EditInPlace>(*disk.image_);
  return disk;
}

Result<void> EditedDisk::to_the_end(Task<Result<void>> task) { return run_task(*ring_, std::move(task)); }

Result<void> EditedDisk::write(uint64_t at, Bytes from) { return to_the_end(in_place_->write(*ring_, at, from)); }
Result<void> EditedDisk::zero(Range range, bool keep, bool fast) {
  return to_the_end(in_place_->zero(*ring_, range, keep, fast));
}
Result<void> EditedDisk::trim(Range range) { return to_the_end(in_place_->trim(*ring_, range)); }
Result<void> EditedDisk::flush() { return to_the_end(in_place_->flush(*ring_)); }
Result<void> EditedDisk::finish() { return to_the_end(in_place_->finish(*ring_)); }
Result<std::vector<std::byte>> EditedDisk::read(Range range) {
  return read_guest(*image_, range, [this](uint16_t index) -> BlockDevice& { return image_->file(index); });
}

}  // namespace disklathe::test
