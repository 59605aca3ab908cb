// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "core/base/endian.h"
#include "core/base/uuid.h"
#include "core/format/vmdk/descriptor.h"

namespace disklathe::vmdk {
namespace {

std::string hex_of(const Uuid& uuid, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += fmt::format("{:02x}", static_cast<unsigned>(uuid[i]));
  return text;
}

// As VMware writes its own: sixteen bytes, the first of which say VMware.
std::string vmware_uuid() {
  Uuid uuid = random_uuid();
  uuid[0] = std::byte{0x60};
  uuid[1] = std::byte{0x00};
  uuid[2] = std::byte{0xc2};
  uuid[3] = std::byte{0x90} | (uuid[3] & std::byte{0x0f});
  std::string text;
  for (size_t i = 0; i < uuid.size(); ++i) {
    text += fmt::format("{}{:02x}", i == 0 ? "" : i == 8 ? "-" : " ", static_cast<unsigned>(uuid[i]));
  }
  return text;
}

}  // namespace

// Geometry as VMware gives it: 16 heads for IDE, 255 for SCSI, 63 sectors; cylinders as many as an IDE disk can tell.
std::string compose(const NewDescriptor& descriptor) {
  const bool ide = descriptor.adapter_type == "ide";
  const uint64_t heads = ide ? 16 : 255, sectors = 63;
  const uint64_t cylinders = std::min<uint64_t>(descriptor.sectors / (heads * sectors), ide ? 16383 : 65535);
  std::string name = descriptor.file_name;
  std::ranges::replace_if(name, [](char c) { return c == '"' || static_cast<unsigned char>(c) < 0x20; }, '_');
  return fmt::format(
      "# Disk DescriptorFile\n"
      "version=1\n"
      "encoding=\"UTF-8\"\n"
      "CID={:08x}\n"
      "parentCID={:08x}\n"
      "createType=\"{}\"\n"
      "\n"
      "# Extent description\n"
      "RW {} SPARSE \"{}\"\n"
      "\n"
      "# The Disk Data Base\n"
      "#DDB\n"
      "\n"
      "ddb.adapterType = \"{}\"\n"
      "ddb.geometry.cylinders = \"{}\"\n"
      "ddb.geometry.heads = \"{}\"\n"
      "ddb.geometry.sectors = \"{}\"\n"
      "ddb.longContentID = \"{}{:08x}\"\n"
      "ddb.toolsVersion = \"{}\"\n"
      "ddb.uuid = \"{}\"\n"
      "ddb.uuid.image=\"{}\"\n"
      "ddb.uuid.modification=\"{}\"\n"
      "ddb.uuid.parent=\"{}\"\n"
      "ddb.uuid.parentmodification=\"{}\"\n"
      "ddb.virtualHWVersion = \"{}\"\n",
      descriptor.cid, no_parent_cid, descriptor.create_type, descriptor.sectors, name, descriptor.adapter_type,
      cylinders, heads, sectors, hex_of(random_uuid(), 12), descriptor.cid, descriptor.tools_version, vmware_uuid(),
      text_of_uuid(random_uuid()), text_of_uuid(random_uuid()), text_of_uuid({}), text_of_uuid({}),
      descriptor.hardware_version);
}

}  // namespace disklathe::vmdk
