// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/words/format_words.h"

#include <algorithm>
#include <array>

#include "core/stream/decoder.h"

namespace disklathe::ui {
namespace {

QString text(std::string_view from) { return QString::fromUtf8(from.data(), static_cast<qsizetype>(from.size())); }

}  // namespace

QString FormatWords::name(const Format& format) {
  if (format.name == "raw") return tr("Raw (byte for byte)");
  if (format.name == "qcow2") return tr("qcow2 (QEMU)");
  if (format.name == "vmdk") return tr("VMDK (VMware)");
  if (format.name == "vdi") return tr("VDI (VirtualBox)");
  if (format.name == "vpc") return tr("VHD (Hyper-V, Azure)");
  if (format.name == "vhdx") return tr("VHDX (Hyper-V)");
  return text(format.name);
}

QString FormatWords::use(const Format& format) {
  if (format.name == "raw") return tr("What a device holds. Every program reads it.");
  if (format.name == "qcow2") return tr("Opens in QEMU, libvirt and GNOME Boxes. Takes no more room than its data.");
  if (format.name == "vmdk") return tr("Opens in VMware, VirtualBox and QEMU.");
  if (format.name == "vdi") return tr("Opens in VirtualBox and QEMU.");
  if (format.name == "vpc") return tr("Opens in Hyper-V and Azure, up to 2 TiB.");
  if (format.name == "vhdx") return tr("Opens in Hyper-V, VirtualBox and QEMU.");
  return text(format.description);
}

QString FormatWords::option(const OptionInfo& option) {
  if (option.name == "preallocation") return tr("Space");
  if (option.name == "cluster_size") return tr("Cluster size");
  if (option.name == "block_size") return tr("Block size");
  if (option.name == "compression_type") return tr("Compression");
  if (option.name == "subformat") return tr("Kind");
  if (option.name == "compat") return tr("Version");
  if (option.name == "lazy_refcounts") return tr("Lazy counting");
  if (option.name == "extended_l2") return tr("Subclusters");
  QString word = text(option.name).replace(QLatin1Char('_'), QLatin1Char(' '));
  if (!word.isEmpty()) word[0] = word[0].toUpper();
  return word;
}

QString FormatWords::explanation(const OptionInfo& option) {
  if (option.name == "preallocation")
    return tr("Off grows as the guest writes; full takes all of it at once and fragments less.");
  if (option.name == "cluster_size") return tr("Larger clusters make smaller tables; smaller ones keep more holes.");
  if (option.name == "block_size") return tr("Larger blocks make a smaller table; smaller ones keep more holes.");
  if (option.name == "subformat") return tr("How the file is laid out; the first one suits most programs.");
  QString help = text(option.help);
  if (!help.isEmpty()) help[0] = help[0].toUpper();
  return help.endsWith(QLatin1Char('.')) || help.isEmpty() ? help : help + QLatin1Char('.');
}

QString FormatWords::value(std::string_view value) {
  if (value == "off") return tr("Off");
  if (value == "on") return tr("On");
  if (value == "metadata") return tr("Tables only");
  if (value == "falloc") return tr("Reserved");
  if (value == "full") return tr("Full: written with zeroes");
  if (value == "dynamic") return tr("Dynamic: grows as the guest writes");
  if (value == "fixed") return tr("Fixed: all of it at once");
  return text(value);
}

QString FormatWords::file_filter() {
  QStringList names{QStringLiteral("*.iso"), QStringLiteral("*.dd")};
  for (const Format& format : disklathe::formats())
    for (const std::string_view suffix : format.extensions) names << QStringLiteral("*.") + text(suffix);
  for (const stream::Encoding& encoding : stream::encodings()) names << QStringLiteral("*.") + text(encoding.name);
  names.removeDuplicates();
  return tr("Disk images (%1)").arg(names.join(QLatin1Char(' '))) + QStringLiteral(";;") + tr("All files (*)");
}

bool FormatWords::is_shown(const OptionInfo& option) {
  constexpr std::array elsewhere{"size",          "backing_file", "backing_fmt", "data_file",
                                 "data_file_raw", "encryption",   "nocow"};
  return std::ranges::none_of(
      elsewhere, [&](std::string_view name) { return option.name == name || option.name.starts_with("encrypt."); });
}

}  // namespace disklathe::ui
