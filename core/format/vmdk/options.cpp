// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/vmdk/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/format/option_values.h"

namespace disklathe::vmdk {
namespace {

std::unexpected<Error> invalid(std::string cause) { return failure(ErrorKind::invalid, "create", std::move(cause)); }

// They end up between quotes in the descriptor.
Result<std::string> digits(const OptionValues& values, std::string_view name, std::string_view otherwise) {
  std::string text = values.text(name);
  if (text.empty() || text == "undefined") return std::string(otherwise);
  if (text.size() > 20 || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }))
    return invalid(fmt::format("option {}: '{}' is not a number", name, text));
  return text;
}

}  // namespace

const std::vector<OptionInfo>& create_options() {
  static const std::vector<OptionInfo> options{
      OptionInfo{.name = "subformat",
                 .default_value = "monolithicSparse",
                 .help = "How it is stored",
                 .values = {"monolithicSparse", "streamOptimized"}},
      OptionInfo{.name = "adapter_type",
                 .default_value = "ide",
                 .help = "What the virtual machine sees it at",
                 .values = {"ide", "lsilogic", "buslogic", "legacyESX"}},
      OptionInfo{.name = "hwversion", .default_value = "", .help = "Of the virtual hardware (4)", .values = {}},
      OptionInfo{.name = "compat6", .default_value = "off", .help = "The same as hwversion=6", .values = {"on", "off"}},
      OptionInfo{.name = "toolsversion", .default_value = "", .help = "Of VMware Tools (2147483647)", .values = {}},
      OptionInfo{.name = "zeroed_grain",
                 .default_value = "off",
                 .help = "Only off: a new disk's zeroes need no grains",
                 .values = {"off"}},
  };
  return options;
}

Result<CreateOptions> parse_options(const FormatOptions& given) {
  const OptionValues values(given);
  if (auto known = values.only(create_options()); !known) return failure(known);
  CreateOptions options;
  const std::string subformat = values.text("subformat");
  options.stream = subformat == "streamOptimized";
  if (!subformat.empty() && !options.stream && subformat != "monolithicSparse") {
    return failure(
        ErrorKind::unsupported, "create",
        fmt::format("the subformat '{}' is read, not written: monolithicSparse and streamOptimized are", subformat));
  }
  options.adapter_type = values.text("adapter_type");
  if (options.adapter_type.empty()) options.adapter_type = "ide";
  if (std::ranges::find(create_options()[1].values, options.adapter_type) == create_options()[1].values.end())
    return invalid(fmt::format("option adapter_type: '{}' is none", options.adapter_type));
  const auto compat6 = values.flag("compat6", false);
  if (!compat6) return std::unexpected(compat6.error());
  if (*compat6 && !values.text("hwversion").empty()) return invalid("option compat6: not together with hwversion");
  auto hardware = digits(values, "hwversion", *compat6 ? "6" : "4");
  if (!hardware) return failure(hardware);
  auto tools = digits(values, "toolsversion", "2147483647");
  if (!tools) return failure(tools);
  const auto zeroed = values.flag("zeroed_grain", false);
  if (!zeroed) return std::unexpected(zeroed.error());
  if (*zeroed)
    return failure(ErrorKind::unsupported, "create", "option zeroed_grain: grains of zeroes are not written");
  options.hardware_version = std::move(*hardware);
  options.tools_version = std::move(*tools);
  return options;
}

}  // namespace disklathe::vmdk
