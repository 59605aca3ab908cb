// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/words/limit_words.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

LimitRow row(const char* key, const QString& title, const Limit& limit, const QString& meaning, const QString& absent,
             bool count = false) {
  LimitRow made{.key = key, .title = title, .source = limit.source, .meaning = meaning, .number = limit.value};
  made.absent = !limit.value;
  made.value = made.absent ? absent : count ? Sizes::number(*limit.value) : Sizes::binary(*limit.value);
  return made;
}

Limit given(uint64_t value, LimitSource source) { return {.value = value, .source = source}; }

QLatin1String latin(std::string_view text) { return {text.data(), static_cast<qsizetype>(text.size())}; }

}  // namespace

QString LimitWords::source(LimitSource source) {
  switch (source) {
    case LimitSource::none: return {};
    case LimitSource::statx: return QStringLiteral("statx");
    case LimitSource::ioctl: return QStringLiteral("ioctl");
    case LimitSource::sysfs: return QStringLiteral("sysfs");
    case LimitSource::probe: return tr("measured");
    case LimitSource::assumed: return tr("assumed");
  }
  return {};
}

void LimitWords::add_blocks(const LimitReport& report, std::vector<LimitRow>& rows) {
  const Limits& said = report.reported;
  const auto add = [&](LimitRow made, std::optional<uint64_t> used) {
    if (used && made.number != used) {
      made.used = used;
      made.value = Sizes::binary(*used);
      made.absent = false;
      made.meaning = made.number
                         ? tr("The device says %1, which cannot be. %2 is used instead.")
                               .arg(Sizes::exact(*made.number), Sizes::binary(*used))
                         : tr("The device does not say. %1 is used. %2").arg(Sizes::binary(*used), made.meaning);
    }
    rows.push_back(std::move(made));
  };
  add(row("logical-block", tr("Logical block"), said.logical_block,
          tr("Offsets and lengths are multiples of it; partition tables count in it."), tr("not reported")),
      report.used.logical_block.value);
  add(row("physical-block", tr("Physical block"), given(said.physical_block, said.physical_source),
          tr("A write of less costs the device a read first."), tr("not reported")),
      report.used.physical_block);
  add(row("minimum-io", tr("Minimum I/O"), said.minimum_io,
          tr("The smallest request without a penalty; on a RAID, one strip."), tr("not reported")),
      report.used.minimum_io.value);
  LimitRow optimal = row("optimal-io", tr("Optimal I/O"), said.optimal_io,
                         said.optimal_io.value ? tr("Requests are made multiples of it; on a RAID, one stripe.")
                                               : tr("Requests start near 1 MiB and are tuned on the copy itself."),
                         tr("not reported"));
  if (said.optimal_io.value && !report.used.optimal_io.value) {
    optimal.meaning = tr("The device says %1, which is no multiple of its blocks. It is not used.")
                          .arg(Sizes::exact(*said.optimal_io.value));
    optimal.value = Sizes::binary(*said.optimal_io.value);
    optimal.used = 0;
    rows.push_back(std::move(optimal));
  } else {
    add(std::move(optimal), report.used.optimal_io.value);
  }
  rows.push_back(row("alignment-offset", tr("Alignment offset"), said.alignment_offset,
                     said.alignment_offset.value
                         ? tr("Physical blocks begin there, not at byte 0: partitions must too.")
                         : tr("Physical blocks begin at byte 0."),
                     tr("none")));
}

void LimitWords::add_transfers(const LimitReport& report, std::vector<LimitRow>& rows) {
  const Limits& said = report.reported;
  rows.push_back(row("max-transfer", tr("Max transfer"), said.max_transfer,
                     said.kernel_splits.value_or(true) ? tr("The kernel splits longer requests; it does not cap yours.")
                                                       : tr("This driver takes requests whole: nothing is split here."),
                     tr("not reported")));
  rows.push_back(row("max-hardware-transfer", tr("Max hardware transfer"), said.max_hw_transfer,
                     tr("Binds only commands sent past the block layer (SG_IO)."), tr("not reported")));
  const auto segments = said.max_segments.value;
  rows.push_back(row("max-segments", tr("Max segments"), said.max_segments,
                     segments
                         ? tr("Memory scattered in single pages splits at %1.").arg(Sizes::binary(*segments * 4096))
                         : tr("A command gathers any number of pieces of memory."),
                     tr("not reported"), true));
  rows.push_back(row("max-segment-size", tr("Max segment size"), said.max_segment_size,
                     tr("A longer piece of memory counts as several segments."), tr("not reported")));
  rows.push_back(row("virtual-boundary", tr("Segment boundary"), said.virtual_boundary,
                     said.virtual_boundary.value ? tr("A buffer that begins or ends off it inside a request splits it.")
                                                 : tr("Buffers of one request may have gaps between them."),
                     tr("none")));
  rows.push_back(row("queue-depth", tr("Queue depth"), said.queue_depth,
                     said.queue_depth.value ? tr("So many requests the kernel holds for it; more wait in the program.")
                                            : tr("The driver works on requests at once, without a queue."),
                     tr("none"), true));
  if (said.zone_size.value)
    rows.push_back(row("zone-size", tr("Zone size"), said.zone_size,
                       tr("A zoned device: zones are written from their start on."), tr("none")));
  else
    rows.push_back(row("chunk", tr("Chunk"), said.chunk,
                       said.chunk.value ? tr("The kernel splits at its multiples.") : tr("Requests may lie anywhere."),
                       tr("none")));
}

void LimitWords::add_alignment(const LimitReport& report, std::vector<LimitRow>& rows) {
  const bool direct = report.direct.has_value();
  const QString absent = report.opened ? tr("no direct I/O") : tr("needs rights to read");
  const LimitSource source = direct ? report.direct->source : LimitSource::none;
  rows.push_back(row(
      "min-memory-alignment", tr("Memory alignment"), direct ? given(report.direct->memory, source) : Limit{},
      tr("Buffers off it are copied first. Ours are at %1.").arg(Sizes::binary(report.used.opt_mem_align)), absent));
  rows.push_back(row("offset-alignment", tr("Offset alignment"),
                     direct ? given(report.direct->offset, source) : Limit{},
                     tr("Direct requests start and end on it; other ends go through the page cache."), absent));
  rows.push_back(row("dma-alignment", tr("DMA alignment"), report.reported.dma_alignment,
                     tr("What the controller's memory access needs."), tr("not reported")));
}

void LimitWords::add_commands(const LimitReport& report, std::vector<LimitRow>& rows) {
  const Limits& said = report.reported;
  if (report.is_device) {
    const bool discards = said.max_discard.value.has_value(), zeroes = said.max_write_zeroes.value.has_value();
    rows.push_back(row("max-write-zeroes", tr("Write zeroes"), said.max_write_zeroes,
                       zeroes ? tr("One command can zero this much; how fast shows only in use.")
                              : tr("Zeroes are written like data."),
                       tr("not offered")));
    rows.push_back(row("max-write-zeroes-unmap", tr("Write zeroes, unmapping"), said.max_write_zeroes_unmap,
                       said.max_write_zeroes_unmap.value ? tr("Zeroing may also free the space behind it.")
                                                         : tr("Zeroing does not free space."),
                       tr("not offered")));
    rows.push_back(
        row("discard-granularity", tr("Discard granularity"), said.discard_granularity,
            discards ? tr("Frees whole steps only. Never a promise of zeroes.") : tr("Nothing can be discarded."),
            discards ? tr("not reported") : tr("not offered")));
    rows.push_back(row("max-discard", tr("Max discard"), said.max_discard,
                       discards ? tr("One command can free this much.") : tr("The device takes no discard."),
                       tr("not offered")));
  }
  LimitRow rotates{.key = "rotational",
                   .title = tr("Rotates"),
                   .value = said.rotational ? (*said.rotational ? tr("yes") : tr("no")) : tr("not known"),
                   .source = said.rotational ? LimitSource::sysfs : LimitSource::none,
                   .meaning = said.rotational.value_or(false)
                                  ? tr("Seeks are expensive: few requests at once, in order.")
                                  : tr("Many requests at once pay."),
                   .absent = !said.rotational};
  if (said.rotational) rotates.number = *said.rotational;
  rows.push_back(std::move(rotates));
}

std::vector<LimitRow> LimitWords::rows(const LimitReport& report) {
  std::vector<LimitRow> rows;
  add_blocks(report, rows);
  add_transfers(report, rows);
  add_alignment(report, rows);
  add_commands(report, rows);
  return rows;
}

QString LimitWords::sentence(const LimitFinding& finding) {
  const QString value = Sizes::exact(finding.value), other = Sizes::binary(finding.other);
  const QString subject = QString::fromStdString(finding.subject);
  switch (finding.kind) {
    case FindingKind::absurd_logical_block: return tr("It reports logical blocks of %1, which cannot be.").arg(value);
    case FindingKind::absurd_physical_block: return tr("It reports physical blocks of %1, which cannot be.").arg(value);
    case FindingKind::absurd_minimum_io: return tr("It reports a minimum I/O size of %1, which cannot be.").arg(value);
    case FindingKind::absurd_optimal_io: return tr("It reports an optimal I/O size of %1, which cannot be.").arg(value);
    case FindingKind::transfer_above_hardware:
      return tr("Its max transfer (%1) is above what its hardware takes (%2).").arg(value, other);
    case FindingKind::misaligned_device: return tr("Its first physical block begins at byte %1.").arg(finding.value);
    case FindingKind::misaligned_partition:
      return tr("Partition %1 begins inside a physical block of %2: writes at block ends cost a read first.")
          .arg(subject, other);
    case FindingKind::partition_off_optimal:
      return tr("Partition %1 does not begin on a multiple of the optimal size of %2.").arg(subject, other);
    case FindingKind::table_for_512:
      return tr("Its partition table was made for 512-byte sectors; with sectors of %1 nothing finds its partitions.")
          .arg(value);
    case FindingKind::table_for_4096:
      return tr("Its partition table was made for 4096-byte sectors; with sectors of %1 nothing finds its partitions.")
          .arg(value);
  }
  return {};
}

QByteArray LimitWords::json(const QString& path, const LimitReport& report) {
  QJsonObject limits;
  for (const LimitRow& row : rows(report)) {
    QJsonObject entry;
    if (!row.number)
      entry.insert(QLatin1String("value"), QJsonValue::Null);
    else if (row.key == std::string_view("rotational"))
      entry.insert(QLatin1String("value"), *row.number != 0);
    else
      entry.insert(QLatin1String("value"), static_cast<qint64>(*row.number));
    entry.insert(QLatin1String("source"), latin(name_of(row.source)));
    if (row.used) entry.insert(QLatin1String("used"), static_cast<qint64>(*row.used));
    entry.insert(QLatin1String("consequence"), row.meaning);
    limits.insert(QLatin1String(row.key), entry);
  }
  QJsonArray findings;
  for (const LimitFinding& finding : report.findings) {
    QJsonObject entry{{QLatin1String("kind"), latin(name_of(finding.kind))},
                      {QLatin1String("value"), static_cast<qint64>(finding.value)},
                      {QLatin1String("text"), sentence(finding)}};
    if (!finding.subject.empty()) entry.insert(QLatin1String("subject"), QString::fromStdString(finding.subject));
    if (finding.other) entry.insert(QLatin1String("other"), static_cast<qint64>(finding.other));
    findings.append(entry);
  }
  QJsonObject object{{QLatin1String("filename"), path},
                     {QLatin1String("device"), report.is_device},
                     {QLatin1String("size"), static_cast<qint64>(report.size)},
                     {QLatin1String("opened"), report.opened},
                     {QLatin1String("limits"), limits},
                     {QLatin1String("findings"), findings}};
  if (report.start) object.insert(QLatin1String("start"), static_cast<qint64>(report.start));
  return QJsonDocument(object).toJson(QJsonDocument::Indented);
}

QString LimitWords::headline(const RequestShape& shape) {
  const QString commands = tr("%n command(s)", nullptr, static_cast<int>(shape.contiguous.count));
  const auto reads = static_cast<int>(shape.read_modify_write.size());
  return reads == 0 ? commands : tr("%1, %2").arg(commands, tr("%n read-modify-write(s)", nullptr, reads));
}

QString LimitWords::why(const RequestShape& shape, const LimitReport& report) {
  QStringList reasons;
  if (!shape.contiguous.splits.empty()) {
    const Limits& used = report.used;
    switch (shape.contiguous.splits.front().cause) {
      case SplitCause::transfer:
        reasons << tr("The kernel splits at %1.").arg(Sizes::binary(used.max_transfer.value.value_or(0)));
        break;
      case SplitCause::segments: reasons << tr("The kernel splits at the most segments a command takes."); break;
      case SplitCause::chunk:
        reasons << tr("The kernel splits at each multiple of %1.")
                       .arg(Sizes::binary(used.chunk.value.value_or(used.zone_size.value.value_or(0))));
        break;
      case SplitCause::vectors: reasons << tr("The kernel gathers at most 256 pages in one piece."); break;
    }
  }
  const QString block = Sizes::binary(report.used.physical_block);
  if (shape.read_modify_write.size() == 2) reasons << tr("Both ends cut a block of %1.").arg(block);
  if (shape.read_modify_write.size() == 1) reasons << tr("One block of %1 is written in part.").arg(block);
  if (shape.scattered.count > shape.contiguous.count)
    reasons << tr("%n command(s) where memory lies in single pages.", nullptr, static_cast<int>(shape.scattered.count));
  if (reasons.empty()) reasons << tr("It goes to the device as it is.");
  return reasons.join(QLatin1Char(' '));
}

}  // namespace disklathe::ui
