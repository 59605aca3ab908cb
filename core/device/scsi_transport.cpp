// SPDX-License-Identifier: GPL-3.0-or-later
// SG_IO, version 3 of the interface (Linux, drivers/scsi/sg.c).
#include "core/device/scsi_transport.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/major.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <semaphore>
#include <utility>

#include "core/device/descriptor.h"
#include "core/device/system_files.h"

namespace disklathe {
namespace {

// The kernel takes no more from one descriptor at a time (SG_MAX_QUEUE).
constexpr std::ptrdiff_t most_at_once = 16;

class SgTransport final : public ScsiTransport {
 public:
  explicit SgTransport(Descriptor node) : node_(std::move(node)) {}

  Result<ScsiOutcome> execute(const ScsiCommand& command) override {
    ScsiOutcome outcome;
    scsi::Cdb cdb = command.cdb;
    sg_io_hdr_t header{};
    header.interface_id = 'S';
    header.dxfer_direction = direction_of(command.direction);
    header.cmd_len = cdb.length;
    header.cmdp = cdb.bytes.data();
    header.dxfer_len = static_cast<unsigned>(command.data.size());
    header.dxferp = command.data.data();
    header.sbp = reinterpret_cast<unsigned char*>(outcome.sense.data());
    header.mx_sb_len = static_cast<unsigned char>(outcome.sense.size());
    header.timeout = static_cast<unsigned>(command.timeout.count());
    header.flags = SG_FLAG_DIRECT_IO;  // without a copy, where the kernel is set to allow that
    places_.acquire();
    int result = 0;
    do {
      result = ioctl(node_.get(), SG_IO, &header);
    } while (result != 0 && errno == EINTR);
    const int error = errno;
    places_.release();
    if (result != 0) return failure(os_failure(error, "send a command to", {}));
    outcome.status = header.status;
    outcome.host_status = header.host_status;
    outcome.residual = header.resid > 0 ? static_cast<uint32_t>(header.resid) : 0;
    outcome.sense_length = std::min(header.sb_len_wr, static_cast<unsigned char>(outcome.sense.size()));
    return outcome;
  }

 private:
  static int direction_of(ScsiCommand::Direction direction) {
    switch (direction) {
      case ScsiCommand::Direction::none: return SG_DXFER_NONE;
      case ScsiCommand::Direction::in: return SG_DXFER_FROM_DEV;
      case ScsiCommand::Direction::out: return SG_DXFER_TO_DEV;
    }
    return SG_DXFER_NONE;
  }

  Descriptor node_;
  std::counting_semaphore<most_at_once> places_{most_at_once};
};

Result<SgNode> node_of(const struct stat& status, const std::string& path) {
  if (!S_ISCHR(status.st_mode) || major(status.st_rdev) != SCSI_GENERIC_MAJOR)
    return failure(Error{.kind = ErrorKind::invalid,
                         .operation = "open",
                         .subject = path,
                         .cause = "it is no SCSI generic node (/dev/sg0, /dev/sg1, ...)"});
  SgNode node{.number = status.st_rdev};
  const std::string disks = "/sys/dev/char/" + device_number_text(node.number) + "/device/block";
  const std::vector<std::string> names = list_folder(disks);
  if (names.size() != 1) return node;
  if (const auto text = read_attribute(disks + "/" + names[0] + "/dev")) node.disk = parse_device_number(*text);
  if (node.disk) node.disk_path = "/dev/" + names[0];
  return node;
}

Limits limits_of(const SgNode& node, int fd) {
  if (node.disk) return reported_limits_of(*node.disk);
  Limits limits;
  int bytes = 0, segments = 0;
  // Of a SCSI generic node this is in bytes; of a block device it would be in sectors.
  if (ioctl(fd, BLKSECTGET, &bytes) == 0 && bytes > 0)
    limits.max_hw_transfer = {.value = static_cast<uint64_t>(bytes), .source = LimitSource::ioctl};
  if (ioctl(fd, SG_GET_SG_TABLESIZE, &segments) == 0 && segments > 0)
    limits.max_segments = {.value = static_cast<uint64_t>(segments), .source = LimitSource::ioctl};
  return limits;
}

}  // namespace

std::unique_ptr<ScsiTransport> make_scsi_transport(Descriptor node) {
  return std::make_unique<SgTransport>(std::move(node));
}

Result<SgNode> sg_node_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return failure(os_failure(errno, "open", path));
  return node_of(status, path);
}

Result<SgOpened> open_sg(const std::string& path, bool writable) {
  // O_NONBLOCK: fail where another has it exclusively, instead of waiting for that to end.
  const int flags = (writable ? O_RDWR | O_EXCL : O_RDONLY) | O_NONBLOCK | O_CLOEXEC;
  Descriptor fd(open(path.c_str(), flags));
  if (!fd.open()) return failure(os_failure(errno, "open", path));
  struct stat status{};
  if (fstat(fd.get(), &status) != 0) return failure(os_failure(errno, "open", path));
  const auto node = node_of(status, path);
  if (!node) return failure(node.error());
  Limits limits = limits_of(*node, fd.get());
  return SgOpened{.transport = make_scsi_transport(std::move(fd)), .disk = node->disk, .limits = limits};
}

bool says_write_protected(int fd) {
  Descriptor own(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!own.open()) return false;
  // Many sticks want to be asked for just as much.
  std::array<std::byte, 192> answer{};
  const auto outcome = SgTransport(std::move(own))
                           .execute({.cdb = scsi::mode_sense_6(answer.size()),
                                     .direction = ScsiCommand::Direction::in,
                                     .data = answer,
                                     .timeout = std::chrono::seconds(5)});
  if (!outcome || outcome->status != scsi::status_good || outcome->host_status != 0) return false;
  return scsi::parse_write_protection(
      Bytes(answer).first(answer.size() - std::min<size_t>(outcome->residual, answer.size())));
}

}  // namespace disklathe
