// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/edit_in_place.h"
#include "core/format/layers.h"
#include "tests/support/memory_device.h"
#include "tests/support/temp_dir.h"

namespace disklathe::test {

// A qcow2 image that qemu-img made, with something of everything in it, and what its guest's disk holds.
class ImageToEdit {
 public:
  struct Kind {
    std::string options;     // of qemu-img create -o; a data file is called "data"
    bool backing = false;    // there is a backing image
    bool snapshot = false;   // "one" was taken, and something written after
    bool compressed = true;  // some clusters are
    uint64_t size = (3 << 20) + 1536;
    uint64_t filled = 0;  // bytes from 2 MiB on that are written, too
  };
  explicit ImageToEdit(Kind kind);

  // Empty: it was made.
  const std::string& wrong() const { return wrong_; }
  const Kind& kind() const { return kind_; }
  bool has_data_file() const { return kind_.options.contains("data_file="); }

  std::vector<std::byte> image() const;      // the bytes of the file
  std::vector<std::byte> data_file() const;  // likewise
  const std::vector<std::byte>& base() const { return base_; }
  const std::vector<std::byte>& guest() const { return guest_; }
  const std::vector<std::byte>& snapshot() const { return snapshot_; }

  // Puts other bytes into the files. Then, by qemu-img: whether the image is sound (leaks count too), its guest's disk
  // holds that, and its snapshot what it held. What is wrong, as text.
  void replace(const std::vector<std::byte>& image, const std::vector<std::byte>& data_file);
  std::string check() const;
  std::string compare(const std::vector<std::byte>& guest) const;

  std::string path() const { return dir_.file("image"); }

 private:
  void make();
  void run(std::vector<std::string> words);
  std::vector<std::byte> content_of(const std::string& snapshot) const;

  Kind kind_;
  TempDir dir_{TempDir::Where::memory};
  std::string wrong_;
  std::vector<std::byte> base_, guest_, snapshot_;
};

std::vector<std::byte> as_bytes(std::string_view text);

// An image that is open to be changed in place. The devices outlive it.
class EditedDisk {
 public:
  struct Files {
    BlockDevice* image = nullptr;
    BlockDevice* data_file = nullptr;
    BlockDevice* base = nullptr;
  };
  static Result<EditedDisk> open(const Files& files);

  Image& image() { return *image_; }
  ImageEditor& editor() { return *image_->editor(); }
  EditInPlace& in_place() { return *in_place_; }

  // Each on a ring of its own, to the end.
  Result<void> write(uint64_t at, Bytes from);
  Result<void> zero(Range range, bool keep = false, bool fast = false);
  Result<void> trim(Range range);
  Result<void> flush();
  Result<void> finish();
  Result<std::vector<std::byte>> read(Range range);

 private:
  EditedDisk() = default;
  Result<void> to_the_end(Task<Result<void>> task);

  std::unique_ptr<Ring> ring_ = std::move(*Ring::create(RingKind::immediate));
  std::unique_ptr<Image> image_;
  std::unique_ptr<EditInPlace> in_place_;
};

}  // namespace disklathe::test
