// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"

// VMware's virtual disks: a text, the descriptor, says which extents (files, or parts of files) make the disk. It is a
// file of its own, or lies inside the only extent. Source: VMware, Virtual Disk Format 5.0, "The Descriptor File".
namespace disklathe::vmdk {

inline constexpr uint64_t sector_size = 512;
inline constexpr uint32_t no_parent_cid = 0xffffffff;
inline constexpr uint64_t max_descriptor_size = 1 << 20;     // bytes
inline constexpr uint64_t max_sectors = uint64_t{1} << 53;   // of a disk
inline constexpr uint64_t embedded_descriptor_sectors = 20;  // of new images, as VMware's

struct DescribedExtent {
  enum class Kind : uint8_t {
    flat,    // FLAT, VMFS: the bytes as they are
    sparse,  // SPARSE, VMFSSPARSE: with grain tables, see sparse_header.h
    zero,    // ZERO: no file, reads as zeroes
  } kind = Kind::flat;
  uint64_t sectors = 0;
  std::string type;     // as the descriptor says it: "FLAT"
  std::string name;     // of the file, as written; empty for zero
  uint64_t offset = 0;  // flat: where in the file it begins, sectors
};

struct Descriptor {
  uint32_t cid = 0;  // changes whenever the content does
  uint32_t parent_cid = no_parent_cid;
  std::string create_type;
  std::string parent_hint;  // the file of the disk that this one stands on; empty: not said
  std::vector<DescribedExtent> extents;

  bool has_parent() const { return parent_cid != no_parent_cid || !parent_hint.empty(); }

  // text: all of it, up to the first zero byte. Errors, operation "open", offset the line's: corrupt for what breaks
  // the format's rules, unsupported for kinds of extents that are not read and for encrypted disks.
  static Result<Descriptor> parse(std::string_view text);
};

// Whether the first bytes of a file are those of a descriptor: comments and empty lines, then "version=".
bool looks_like_descriptor(Bytes head);

// What the descriptor of a new image says besides.
struct NewDescriptor {
  uint32_t cid = 0;
  std::string create_type;
  uint64_t sectors = 0;
  std::string file_name;  // of the only extent, without folders
  std::string adapter_type, hardware_version, tools_version;
};
std::string compose(const NewDescriptor& descriptor);

}  // namespace disklathe::vmdk
