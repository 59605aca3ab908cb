// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/fake_machine.h"

#include <filesystem>

namespace disklathe::test {
namespace {

std::string mount_line(const std::string& number, const std::string& target, const std::string& type,
                       const std::string& source, const std::string& options) {
  return "30 1 " + number + " / " + target + " rw,relatime shared:1 - " + type + " " + source + " " + options + "\n";
}

}  // namespace

FakeMachine::FakeMachine() {
  std::filesystem::create_directories(root() + "/sys/class/block");
  mount("0:5", "/dev", "devtmpfs", "udev");
  mount("0:20", "/proc", "proc", "proc");
  write("/proc/swaps", swaps_ = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
}

void FakeMachine::write(const std::string& path, std::string_view content) {
  const std::filesystem::path file = root() + path;
  std::filesystem::create_directories(file.parent_path());
  write_file(file.string(), content);
}

void FakeMachine::node(const std::string& name, const std::string& number, const std::string& folder, uint64_t bytes) {
  folders_[name] = folder;
  numbers_[name] = number;
  attribute(name, "dev", number);
  attribute(name, "size", std::to_string(bytes / 512));
  attribute(name, "ro", "0");
  attribute(name, "uevent", "MAJOR=1\nDEVNAME=" + name);
  std::filesystem::create_directories(root() + folder + "/holders");
  std::filesystem::create_directories(root() + folder + "/slaves");
  std::filesystem::create_directories(root() + "/sys/dev/block");
  std::filesystem::create_symlink(root() + folder, root() + "/sys/class/block/" + name);
  std::filesystem::create_symlink(root() + folder, root() + "/sys/dev/block/" + number);
}

void FakeMachine::disk(const std::string& name, const std::string& number, const std::string& place, uint64_t bytes) {
  node(name, number, "/sys/devices/" + place + "/" + name, bytes);
  attribute(name, "removable", "0");
  attribute(name, "diskseq", std::to_string(folders_.size()));
  attribute(name, "queue/logical_block_size", "512");
}

void FakeMachine::partition(const std::string& disk, const std::string& name, const std::string& number, uint64_t start,
                            uint64_t bytes) {
  node(name, number, folders_.at(disk) + "/" + name, bytes);
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  attribute(name, "partition", name.substr(digits));
  attribute(name, "start", std::to_string(start / 512));
}

void FakeMachine::attribute(const std::string& name, const std::string& attribute, std::string_view value) {
  write(folders_.at(name) + "/" + attribute, std::string(value) + "\n");
}

void FakeMachine::stack(const std::string& upper, const std::vector<std::string>& lowers) {
  for (const std::string& lower : lowers) {
    std::filesystem::create_symlink(root() + folders_.at(lower), root() + folders_.at(upper) + "/slaves/" + lower);
    std::filesystem::create_symlink(root() + folders_.at(upper), root() + folders_.at(lower) + "/holders/" + upper);
  }
}

void FakeMachine::mapping(const std::string& name, const std::string& number, const std::string& dm_name,
                          const std::string& uuid, const std::vector<std::string>& lowers) {
  disk(name, number, kernel);
  attribute(name, "dm/name", dm_name);
  attribute(name, "dm/uuid", uuid);
  attribute(name, "dm/suspended", "0");
  stack(name, lowers);
}

void FakeMachine::loop(const std::string& name, const std::string& number, const std::string& backing_file) {
  disk(name, number, kernel);
  attribute(name, "loop/backing_file", backing_file);
}

void FakeMachine::udev(const std::string& name, const std::vector<std::string>& properties) {
  std::string record = "S:disk/by-id/something\nI:1234\n";
  for (const std::string& property : properties) record += "E:" + property + "\n";
  write("/run/udev/data/b" + numbers_.at(name), record + "G:systemd\n");
}

void FakeMachine::content(const std::string& name, const std::string& type, const std::string& label) {
  udev(name, {"ID_FS_TYPE=" + type, "ID_FS_LABEL_ENC=" + label, "ID_FS_UUID=uuid-of-" + label});
}

void FakeMachine::mount(const std::string& number, const std::string& target, const std::string& type,
                        const std::string& source, const std::string& options) {
  write("/proc/self/mountinfo", mounts_ += mount_line(number, target, type, source, options));
}

void FakeMachine::mount_of_first_process(const std::string& number, const std::string& target, const std::string& type,
                                         const std::string& source) {
  write("/proc/1/mountinfo", first_mounts_ += mount_line(number, target, type, source, "rw"));
}

void FakeMachine::swap(const std::string& path, const std::string& type) {
  write("/proc/swaps", swaps_ += path + "    " + type + "\t1048572\t\t0\t\t-2\n");
}

void FakeMachine::btrfs(const std::string& uuid, const std::vector<std::string>& members) {
  for (const std::string& member : members) {
    const std::string folder = root() + "/sys/fs/btrfs/" + uuid + "/devices";
    std::filesystem::create_directories(folder);
    std::filesystem::create_symlink(root() + folders_.at(member), folder + "/" + member);
  }
}

}  // namespace disklathe::test
