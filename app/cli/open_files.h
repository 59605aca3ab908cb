// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/device/file_device.h"
#include "core/format/layers.h"

namespace disklathe::cli {

// --backing: whether files that an image names as its backing are opened.
enum class BackingPolicy : uint8_t {
  beside,  // regular files in the image's folder or below it, and files named on the command line
  allow,
  deny,
  ask,  // a question on the terminal for each that `beside` would not open
};
std::optional<BackingPolicy> backing_policy_of(std::string_view name);  // allow, deny, ask

// What the person who typed the command let it open.
struct OpenPolicy {
  BackingPolicy backing = BackingPolicy::beside;
  bool data_file = false;  // --data-file allow
  bool share = false;      // -U: also what a running virtual machine writes to
  CacheMode cache = CacheMode::automatic;
  std::vector<std::string> named;    // files on the command line
  std::vector<std::string> allowed;  // of those that images may name: these, whatever else the policy is
  std::string passthrough;           // of those the SCSI generic node that is read by commands; empty: none
};

// Refuses what qemu holds for writing, unless the policy shares; directories and other things that are no disk are
// refused by FileDevice itself.
Result<std::unique_ptr<FileDevice>> open_for_reading(const std::string& path, const OpenPolicy& policy);

// May `resolved`, a name found inside `image_path`, be opened? Otherwise the error says how to allow it.
Result<void> may_open(const OpenPolicy& policy, const std::string& image_path, const Reference& reference,
                      const std::string& resolved);

// The extents that an image names, in the order it names them.
Result<std::vector<std::unique_ptr<FileDevice>>> open_extents(const std::string& image_path, const ImageReader& reader,
                                                              const OpenPolicy& policy);

// Whether it is an address: of an NBD export, or of a file on a web server.
bool is_address(const std::string& path);
// `unsupported` with the cause where it is one: not all verbs have to do with those.
Result<void> no_address(std::string_view operation, const std::string& path, std::string cause);
// And one that is to be taken for that. Only a person's own words are; names inside images are paths.
bool is_remote(const std::string& path, const OpenPolicy& policy);

// The policy as core asks for it. Both it and `policy` must outlive the images opened with it.
FileOpener make_opener(const OpenPolicy& policy);

// Opens an image and says on stderr what a person should know of it before trusting it.
Result<std::unique_ptr<Image>> open_image(const ImageRequest& request, const FileOpener& opener);
Result<std::unique_ptr<Image>> open_image(const ImageRequest& request, const OpenPolicy& policy);  // for reading

// What is doubtful about a format that was found by looking at the content; empty when nothing is.
std::string format_doubt(const std::string& path, const Format& found);

// The format that -f or -O names, or an error that lists those there are.
Result<const Format*> format_named(std::string_view name);

// The format whose files are usually called that; null: no format, or more than the name says.
const Format* format_by_extension(const std::string& path);

// -l: an id, a name, or qemu-img's snapshot.id=ID and snapshot.name=NAME.
std::string snapshot_of(const std::string& parameter);

}  // namespace disklathe::cli
