// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/device/block_device.h"
#include "core/format/image_reader.h"
#include "core/format/registry.h"

namespace disklathe {

// Opens files for the images that name them. Passed in by whoever has the right to open things: the command opens paths
// with the caching the user chose, a worker hands out descriptors it was given.
struct FileOpener {
  // A file the user named.
  std::function<Result<std::unique_ptr<BlockDevice>>(const std::string& path)> open;
  // May a name found inside `image_path` be opened? Returns nothing for yes, or the error that says how to allow it.
  std::function<Result<void>(const std::string& image_path, const Reference& reference, const std::string& resolved)>
      allow;
};

struct ImageRequest {
  std::string path;
  std::string format;    // empty: probe
  std::string snapshot;  // internal, of the top image
  bool backing = true;   // false: the top layer alone, its holes read as holes
  // false: external data files and extents stay closed; facts are there, map() refuses
  bool data_file = true;
  // true: data that a sparse file does not hold (preallocated clusters) is said to be zero, for whoever would read it.
  // false: what the image says, and nothing of its file, as qemu-img shows and counts it.
  bool file_holes = false;
  // true: the top image is to be changed, and what is opened of it is open for writing. editor() then is there, where
  // its format has one.
  bool edit = false;
};

struct Layer {
  std::string path;
  const Format* format = nullptr;
  bool format_probed = false;  // from content alone
  uint16_t first_file = 0;     // its files are [first_file, first_file + file_count) of the image
  uint16_t file_count = 1;
  std::unique_ptr<ImageReader> reader;
};

// An image with its whole backing chain as one reader: map() looks a hole up in the next layer, until one answers; what
// no layer has reads as zero (Kind::hole stays, with file = the last layer asked).
class Image : public ImageReader {
 public:
  // Opens the file and, one after the other, those that it and its backing images name: relative names from the folder
  // of the image that names them, in the format it gives (only an image that gives none is probed). Errors, operation
  // "open", subject the image: corrupt for a chain that comes back to itself; unsupported for one that is too long, for
  // a format nobody knows, and for names that are no paths (json:, nbd:...); and whatever opener.allow() answers.
  static Result<std::unique_ptr<Image>> open(const ImageRequest& request, const FileOpener& opener);
  // An image on top of another, that is to be changed: `file` is one of this format which stands on some backing image,
  // whatever its name.
  static Result<std::unique_ptr<Image>> open_on(std::unique_ptr<Image> base, std::unique_ptr<BlockDevice> file,
                                                const Format& format);

  uint64_t size() const override;
  Result<void> map(Range want, std::vector<Extent>& out) override;
  uint64_t decode_unit() const override;
  Result<void> decode(const Extent& extent, Bytes in, MutableBytes out) const override;
  Result<void> map_bitmap(size_t index, Range want, std::vector<BitmapRun>& out) const override;  // of the top layer
  const ImageFacts& facts() const override;                                                       // likewise
  const std::vector<Reference>& references() const override;                                      // of the top layer

  const std::vector<Layer>& layers() const { return layers_; }  // top first
  ImageEditor* editor() const { return editor_; }               // of the top layer; null: it is not changed
  BlockDevice& file(uint16_t index) const { return *files_[index]; }
  size_t file_count() const { return files_.size(); }
  // The layer (depth) that a file belongs to.
  size_t layer_of(uint16_t file) const { return layer_of_file_[file]; }

 private:
  class Opening;
  class Walk;

  Image() = default;
  Result<void> append_without_file_holes(const std::vector<Extent>& extents, std::vector<Extent>& out) const;

  std::vector<std::unique_ptr<BlockDevice>> files_;
  std::vector<Layer> layers_;
  std::vector<uint16_t> layer_of_file_;
  bool file_holes_ = false;
  ImageEditor* editor_ = nullptr;
};

// An error of kind `changed` when one of its files is not what it was when it was opened.
Result<void> unchanged_since_open(const Image& image);

// The longest chain that is opened.
inline constexpr size_t max_chain_depth = 200;

}  // namespace disklathe
