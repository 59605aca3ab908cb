// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/conversion_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "app/cli/notes.h"
#include "app/cli/stream_file.h"
#include "core/device/sg_device.h"
#include "core/engine/read_guest.h"
#include "core/job/convert.h"

namespace disklathe::cli {
namespace {

class LocalSource final : public ConversionSource {
 public:
  LocalSource(std::unique_ptr<Image> image, std::optional<StreamFile> stream, const OpenPolicy& policy)
      : image_(std::move(image)), stream_(std::move(stream)), policy_(policy) {}

  std::optional<uint64_t> size() const override { return image_ ? image_->size() : stream_->source->size(); }

  std::vector<SourceFile> files() const override {
    std::vector<SourceFile> files;
    if (stream_ && stream_->file) files.push_back({.file = stream_->file.get()});
    for (uint16_t index = 0; image_ && index < image_->file_count(); ++index) {
      const auto* file = dynamic_cast<const FileDevice*>(&image_->file(index));
      if (file) files.push_back({.file = file, .backing = image_->layer_of(index) > 0});
    }
    return files;
  }

  std::vector<dev_t> devices() const override {
    std::vector<dev_t> devices = block_devices_of(files());
    for (uint16_t index = 0; image_ && index < image_->file_count(); ++index) {
      const auto* commands = dynamic_cast<const SgDevice*>(&image_->file(index));
      if (commands && commands->disk()) devices.push_back(*commands->disk());
    }
    return devices;
  }

  Result<PartitionTable> partitions() override {
    std::vector<std::byte> head;
    if (image_) {
      head.resize(std::min<uint64_t>(image_->size(), partition_table_head));
      if (auto read = read_guest(*image_, 0, head); !read) return failure(read);
    } else {
      const auto decoded = stream_->source->head(partition_table_head);
      if (!decoded) return std::unexpected(decoded.error());
      head.assign(decoded->begin(), decoded->end());
    }
    return read_partition_table(head, size());
  }

  Result<std::optional<job::Converted>> convert_into(const job::Convert& asked, Target& target, Job& job) override {
    auto converted = job::convert(asked,
                                  {.image = image_.get(),
                                   .stream = stream_ ? stream_->source.get() : nullptr,
                                   .target = &target.medium(),
                                   .data = target.data ? &target.data->device() : nullptr,
                                   .reopen = [&] { return reopen(asked, target); },
                                   .unchanged = [this] { return unchanged(); },
                                   .note = print_note},
                                  job.progress, job.stop);
    if (!converted) return failure(converted);
    return *converted;
  }

 private:
  // A source that changed while it was read gave an image of no moment.
  Result<void> unchanged() const {
    if (image_) return unchanged_since_open(*image_);
    return stream_->file ? stream_->file->unchanged_since_open() : Result<void>();
  }

  // What the target names (its backing and data file) was named on the command line.
  Result<std::unique_ptr<Image>> reopen(const job::Convert& asked, Target& target) const {
    // The block device's cache has seen nothing of what went past it.
    if (target.passthrough) target.existing->drop_cache();
    OpenPolicy policy = policy_;
    policy.named.push_back(target.path);
    FileOpener opener = make_opener(policy);
    opener.allow = [](const std::string&, const Reference&, const std::string&) { return Result<void>(); };
    const auto open_named = opener.open;
    opener.open = [&, open_named](const std::string& path) -> Result<std::unique_ptr<BlockDevice>> {
      FileDevice* written = path == target.path                       ? target.file()
                            : target.data && path == target.data_path ? &target.data->device()
                                                                      : nullptr;
      if (!written) return open_named(path);
      return reopen_for_reading(*written);
    };
    return Image::open({.path = target.path, .format = asked.format, .file_holes = true}, opener);
  }

  std::unique_ptr<Image> image_;  // or:
  std::optional<StreamFile> stream_;
  const OpenPolicy& policy_;
};

}  // namespace

std::vector<dev_t> block_devices_of(const std::vector<SourceFile>& files) {
  std::vector<dev_t> devices;
  for (const SourceFile& source : files) {
    struct stat status{};
    if (source.file->is_block_device() && fstat(source.file->descriptor(), &status) == 0)
      devices.push_back(status.st_rdev);
  }
  return devices;
}

Result<std::unique_ptr<FileDevice>> reopen_for_reading(FileDevice& written) {
  written.drop_cache();
  // A fresh target has no name of its own yet; its descriptor leads to it all the same.
  const int fd = ::open(fmt::format("/proc/self/fd/{}", written.descriptor()).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failure(os_failure(errno, "open", written.name()));
  return FileDevice::adopt(fd, std::string(written.name()), false, CacheMode::none);
}

Result<std::unique_ptr<ConversionSource>> open_source(const Conversion& conversion, Job& job) {
  const StreamRequest asked{
      .path = conversion.source.path, .format = conversion.source.format, .most_window = conversion.most_window};
  auto stream = open_stream(asked, conversion.policy, [&job] {
    job.progress.waits_for_input = true;
    return job.stop.requested();
  });
  if (!stream) return failure(stream);
  if (*stream) {
    if (!conversion.source.snapshot.empty())
      return failure(ErrorKind::invalid, "convert", "-l names a snapshot; a stream has none");
    if (auto raw = must_hold_raw(asked, **stream); !raw) return failure(raw);
    job.progress.waits_for_input = false;
    return std::make_unique<LocalSource>(nullptr, std::move(*stream), conversion.policy);
  }
  if (conversion.size)
    return failure(ErrorKind::invalid, "convert", "--size is for streams; the size of this image is known, and kept");
  ImageRequest request = conversion.source;
  request.file_holes = true;
  auto image = open_image(request, conversion.policy);
  if (!image) return failure(image);
  return std::make_unique<LocalSource>(std::move(*image), std::nullopt, conversion.policy);
}

}  // namespace disklathe::cli
