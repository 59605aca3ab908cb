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

struct FormatWords::OptionText {
  std::string_view option;
  const char *title, *explanation;
};

const FormatWords::OptionText* FormatWords::text_of(const OptionInfo& option) {
  static constexpr OptionText texts[] = {
      {"preallocation", QT_TR_NOOP("Space"),
       QT_TR_NOOP("Off grows as the guest writes; full takes all of it at once and fragments less.")},
      {"cluster_size", QT_TR_NOOP("Cluster size"),
       QT_TR_NOOP("Larger clusters make smaller tables; smaller ones keep more holes.")},
      {"block_size", QT_TR_NOOP("Block size"),
       QT_TR_NOOP("Larger blocks make a smaller table; smaller ones keep more holes.")},
      {"compression_type", QT_TR_NOOP("Compression"),
       QT_TR_NOOP("Of compressed clusters: zlib opens everywhere, zstd is faster and smaller.")},
      {"subformat", QT_TR_NOOP("Kind"), QT_TR_NOOP("How the file is laid out; the first one suits most programs.")},
      {"compat", QT_TR_NOOP("Version"), QT_TR_NOOP("Version 3 knows zeroes and more; only very old programs need 2.")},
      {"extended_l2", QT_TR_NOOP("Subclusters"),
       QT_TR_NOOP("32 in each cluster: keeps holes although clusters are large. QEMU 5.2 and later.")},
      {"lazy_refcounts", QT_TR_NOOP("Lazy counting"),
       QT_TR_NOOP("A guest writes faster; after a crash the image is checked when it is opened.")},
      {"refcount_bits", QT_TR_NOOP("Refcount bits"),
       QT_TR_NOOP("How often a cluster can be shared by snapshots: a power of two up to 64.")},
      {"force_size", QT_TR_NOOP("Whole MiB"),
       QT_TR_NOOP("The size as Hyper-V and Azure take it, not as a disk's geometry rounds it.")},
      {"block_state_zero", QT_TR_NOOP("Zero blocks"),
       QT_TR_NOOP("Blocks that are not stored are said to be zero, not undefined.")},
      {"log_size", QT_TR_NOOP("Log size"), QT_TR_NOOP("Bytes, whole MiB below 4 GiB. Few programs need a larger one.")},
      {"static", QT_TR_NOOP("Fixed size"),
       QT_TR_NOOP("On: every block has its place at once; off: the file grows as the guest writes.")},
      {"adapter_type", QT_TR_NOOP("Adapter"), QT_TR_NOOP("What the virtual machine sees the disk at.")},
      {"hwversion", QT_TR_NOOP("Hardware version"), QT_TR_NOOP("Of the virtual machine; 4 opens everywhere.")},
      {"toolsversion", QT_TR_NOOP("Tools version"),
       QT_TR_NOOP("Of the VMware Tools inside of it, where that is known.")},
  };
  const auto* found = std::ranges::find(texts, option.name, &OptionText::option);
  return found == std::end(texts) ? nullptr : found;
}

QString FormatWords::option(const OptionInfo& option) {
  if (const OptionText* known = text_of(option)) return tr(known->title);
  QString word = text(option.name).replace(QLatin1Char('_'), QLatin1Char(' '));
  if (!word.isEmpty()) word[0] = word[0].toUpper();
  return word;
}

QString FormatWords::explanation(const OptionInfo& option) {
  if (const OptionText* known = text_of(option)) return tr(known->explanation);
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
  if (value == "monolithicSparse") return tr("One file that grows (monolithicSparse)");
  if (value == "streamOptimized") return tr("Compressed, for exchange (streamOptimized)");
  if (value == "0.10") return QStringLiteral("2");
  if (value == "1.1") return QStringLiteral("3");
  if (value == "v2" || value == "v3") return {};
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
                                 "data_file_raw", "encryption",   "nocow",       "compat6"};
  return option.values.size() != 1 && std::ranges::none_of(elsewhere, [&](std::string_view name) {
           return option.name == name || option.name.starts_with("encrypt.");
         });
}

}  // namespace disklathe::ui
