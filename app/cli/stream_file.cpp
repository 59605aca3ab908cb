// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/stream_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "core/format/registry.h"
#include "core/http/http_device.h"
#include "core/http/http_input.h"
#include "core/job/convert.h"

namespace disklathe::cli {
namespace {

constexpr std::string_view standard_input = "standard input";

std::unexpected<Error> no(ErrorKind kind, const std::string& subject, std::string cause) {
  return failure(Error{.kind = kind, .operation = "read", .subject = subject, .cause = std::move(cause)});
}

// An input, and what has to stay open for it.
struct OpenedInput {
  StreamFile stream;
  std::unique_ptr<stream::Input> input;
};

Result<OpenedInput> open_standard_input(const OpenPolicy& policy) {
  OpenedInput opened;
  struct stat status{};
  if (isatty(STDIN_FILENO))
    return no(ErrorKind::invalid, "",
              "'-' is standard input, and that is this terminal: redirect a file or a pipe into it");
  if (fstat(STDIN_FILENO, &status) != 0) return failure(os_failure(errno, "read", standard_input));
  if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) {
    opened.input = stream::make_pipe_input(STDIN_FILENO, std::string(standard_input));
    return opened;
  }
  const off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
  const int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  if (fd < 0 || at < 0) return failure(os_failure(errno, "read", standard_input));
  auto file = FileDevice::adopt(fd, std::string(standard_input), false, policy.cache);
  if (!file) return failure(file);
  opened.stream.file = std::move(*file);
  opened.input = stream::make_file_input(*opened.stream.file, static_cast<uint64_t>(at));
  return opened;
}

Result<OpenedInput> open_pipe(const std::string& path) {
  OpenedInput opened;
  // Without O_NONBLOCK it would wait here, deaf to signals, for somebody to write.
  opened.stream.pipe = Descriptor(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!opened.stream.pipe.open()) return failure(os_failure(errno, "open", path));
  opened.input = stream::make_pipe_input(opened.stream.pipe.get(), path);
  return opened;
}

Result<OpenedInput> open_file(const std::string& path, const OpenPolicy& policy) {
  OpenedInput opened;
  auto file = open_for_reading(path, policy);
  if (!file) return failure(file);
  opened.stream.file = std::move(*file);
  opened.input = stream::make_file_input(*opened.stream.file);
  return opened;
}

Result<std::unique_ptr<stream::Source>> source_of(std::unique_ptr<stream::Input> input, const StreamRequest& request) {
  return stream::Source::open(std::move(input),
                              {.format = request.format, .limits = {.most_window = request.most_window}});
}

Result<void> can_be_read_forward(const StreamRequest& request, std::string_view what) {
  if (stream::find_encoding(request.format) || request.format.empty() || request.format == "raw") return {};
  if (auto known = format_named(request.format); !known) return failure(Error(known.error()));
  return no(ErrorKind::unsupported, request.path,
            fmt::format("{} images are read at many places, {} only from front to back: save it to a file first",
                        request.format, what));
}

// A file on a web server. Where the server gives parts of it, and it is not compressed, it is an image.
Result<std::optional<StreamFile>> open_web_stream(const StreamRequest& request, std::function<bool()> halted) {
  auto resource = http::look_at(request.path);
  if (!resource) return failure(resource);
  if (resource->ranges && !stream::find_encoding(request.format)) {
    if (!request.format.empty()) return std::nullopt;
    auto device = http::HttpDevice::over(*resource);
    if (!device) return failure(device);
    std::vector<std::byte> head(std::min<uint64_t>((*device)->size(), 512));
    if (auto read = (*device)->read_now(0, head); !read) return failure(read);
    if (!stream::detect_encoding(head)) return std::nullopt;
  }
  if (auto can = can_be_read_forward(request, "what this server gives"); !can) return failure(can);
  auto input = http::make_http_input(std::move(*resource));
  if (!input) return failure(input);
  (*input)->halt_when(std::move(halted));
  auto source = source_of(std::move(*input), request);
  if (!source) return failure(source);
  StreamFile opened;
  opened.source = std::move(*source);
  return opened;
}

bool is_kind(const std::string& path, mode_t kind) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

}  // namespace

bool names_pipe(const std::string& path) { return path == "-" || is_kind(path, S_IFIFO); }

Result<std::optional<StreamFile>> open_stream(const StreamRequest& request, const OpenPolicy& policy,
                                              std::function<bool()> halted) {
  if (http::is_url(request.path)) return open_web_stream(request, std::move(halted));
  const bool pipe = names_pipe(request.path);
  const bool encoded = stream::find_encoding(request.format) != nullptr;
  if (pipe) {
    if (auto can = can_be_read_forward(request, "a pipe"); !can) return failure(can);
  }
  // What a device holds is a disk, whatever its first bytes look like, unless the user says otherwise.
  if (!pipe && !encoded && (!request.format.empty() || !is_kind(request.path, S_IFREG))) return std::nullopt;

  auto opened = request.path == "-" ? open_standard_input(policy)
                : pipe              ? open_pipe(request.path)
                                    : open_file(request.path, policy);
  if (!opened) return failure(opened);
  opened->input->halt_when(std::move(halted));
  auto source = source_of(std::move(opened->input), request);
  if (!source) return failure(source);
  if (!pipe && (*source)->format() == "raw") return std::nullopt;
  opened->stream.source = std::move(*source);
  return std::move(opened->stream);
}

Result<void> must_hold_raw(const StreamRequest& request, StreamFile& stream) {
  if (!request.format.empty()) return {};
  auto content = job::content_of(*stream.source);
  if (!content) return failure(content);
  if (content->empty()) return {};
  const std::string_view format = stream.source->format();
  const std::string advice = names_pipe(request.path) || http::is_url(request.path)
                                 ? "save that to a file first"
                                 : fmt::format("unpack it first: {}", unpacking_command(format, request.path));
  return no(ErrorKind::unsupported, std::string(stream.source->name()),
            fmt::format("what it holds is {}, which cannot be read from front to back only; {} (-f {} takes it for a "
                        "raw disk)",
                        *content, advice, format));
}

std::string unpacking_command(std::string_view format, const std::string& path) {
  const std::string_view program = format == "gz"    ? "gzip"
                                   : format == "bz2" ? "bzip2"
                                   : format == "zst" ? "zstd"
                                                     : format;
  return fmt::format("{} -dk '{}'", program, path);
}

}  // namespace disklathe::cli
