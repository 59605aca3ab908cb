// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/reference_path.h"

namespace disklathe {

std::string resolve_reference(std::string_view image_path, std::string_view name) {
  if (name.starts_with("file:")) name.remove_prefix(5);
  const size_t slash = image_path.rfind('/');
  if (name.starts_with('/') || slash == std::string_view::npos) return std::string(name);
  return std::string(image_path.substr(0, slash + 1)).append(name);
}

}  // namespace disklathe
