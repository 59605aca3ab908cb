// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support_ui/sample_images.h"

#include <QFile>
#include <QTest>
#include <cstring>
#include <fstream>

#include "core/base/endian.h"
#include "tests/support/program.h"

namespace disklathe::test {
namespace {

// The first blocks of a disk with a partition table as installers of Windows make it, and what begins in two of them.
void write_table(const std::string& path) {
  std::vector<std::byte> head(68 << 10);
  const auto text = [&](size_t at, std::string_view words) {
    std::memcpy(head.data() + at, words.data(), words.size());
  };
  text(512, "EFI PART");
  store_le<uint64_t>(head, 512 + 24, 1);
  store_le<uint64_t>(head, 512 + 72, 2);
  store_le<uint32_t>(head, 512 + 80, 128);
  store_le<uint32_t>(head, 512 + 84, 128);
  struct Entry {
    uint64_t first_mib, last_mib;
    unsigned char guid[16];
    std::string_view name;
  };
  constexpr Entry entries[] = {
      {1, 100, {0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11, 0xba, 0x4b, 0, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b}, "EFI"},
      {101, 116, {0x16, 0xe3, 0xc9, 0xe3, 0x5c, 0x0b, 0xb8, 0x4d, 0x81, 0x7d, 0xf9, 0x2d, 0xf0, 0x02, 0x15, 0xae}, ""},
      {117,
       480,
       {0xa2, 0xa0, 0xd0, 0xeb, 0xe5, 0xb9, 0x33, 0x44, 0x87, 0xc0, 0x68, 0xb6, 0xb7, 0x26, 0x99, 0xc7},
       "C"}};
  size_t at = 1024;
  for (const Entry& entry : entries) {
    std::memcpy(head.data() + at, entry.guid, 16);
    store_le<uint64_t>(head, at + 32, entry.first_mib * 2048);
    store_le<uint64_t>(head, at + 40, entry.last_mib * 2048 - 1);
    for (size_t i = 0; i < entry.name.size(); ++i) head[at + 56 + 2 * i] = static_cast<std::byte>(entry.name[i]);
    at += 128;
  }
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(head.data()), static_cast<std::streamsize>(head.size()));
}

}  // namespace

void make_images(const TempDir& folder) {
  const auto run = [](std::initializer_list<std::string> words) {
    QCOMPARE(run_program(std::vector<std::string>(words)).status, 0);
  };
  const std::string base = folder.file("win11-base.qcow2"), top = folder.file("win11.qcow2");
  run({"qemu-img", "create", "-q", "-f", "qcow2", base, "512M"});
  run({"qemu-io", "-f", "qcow2", "-c", "write -q -P 1 0 9M", "-c", "write -q -P 2 40M 60M", "-c",
       "write -q -P 3 180M 50M", base});
  run({"qemu-img", "create", "-q", "-f", "qcow2", "-b", base, "-F", "qcow2", top});
  run({"qemu-io", "-f", "qcow2", "-c", "write -q -P 4 12M 22M", "-c", "write -q -z 60M 8M", "-c",
       "write -q -P 5 120M 30M", "-c", "write -q -z 300M 40M", "-c", "write -q -P 6 360M 20M", top});
  for (int at = 400; at < 420; ++at)
    run({"qemu-io", "-f", "qcow2", "-c",
         "write -q -c -P " + std::to_string(at % 250) + " " + std::to_string(at) + "M 64k", top});
  const std::string head = folder.file("head"), boot = folder.file("boot");
  write_table(head);
  std::string first_sectors(4096, '\0');
  first_sectors.replace(3, 8, "NTFS    ");
  write_file(boot, first_sectors);
  run({"qemu-io", "-f", "qcow2", "-c", "write -q -s " + head + " 0 68k", "-c", "write -q -s " + boot + " 117M 4k",
       top});
  run({"qemu-img", "snapshot", "-c", "before the update", top});
}

void make_odd_images(const TempDir& folder) {
  const auto run = [](std::initializer_list<std::string> words) {
    QCOMPARE(run_program(std::vector<std::string>(words)).status, 0);
  };
  const std::string broken = folder.file("broken.qcow2"), logical = folder.file("old-pc.img");
  run({"qemu-img", "create", "-q", "-f", "qcow2", broken, "64M"});
  run({"qemu-io", "-f", "qcow2", "-c", "write -q -P 1 0 1M", broken});
  QFile image(QString::fromStdString(broken));
  QVERIFY(image.open(QIODevice::ReadWrite) && image.seek(0x30000) &&
          image.write("\xff\xff\xff\xff\xff\xff\xff\xff", 8) == 8);
  run({"qemu-img", "create", "-q", "-f", "qcow2", "-o", "encrypt.format=luks,encrypt.key-secret=s,encrypt.iter-time=10",
       "--object", "secret,id=s,data=secret", folder.file("locked.qcow2"), "64M"});
  run({"sh", "-c", "printf '\\0%.0s' 1 2 3 4 | gzip > \"$0\"", folder.file("card.img.gz")});
  run({"cp", broken, folder.file("misnamed.vmdk")});
  run({"truncate", "-s", "512M", logical});
  run({"sh", "-c", "printf 'label: dos\\n2048,204800,7\\n,,5\\n,204800,83\\n,102400,82\\n,,83\\n' | sfdisk -q \"$0\"",
       logical});
}

}  // namespace disklathe::test
