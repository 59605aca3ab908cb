// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/device_map.h"

#include <QPainter>
#include <algorithm>

#include "ui/pictures/paint.h"
#include "ui/words/device_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr double bar_height = 40, gap = 2, least_width = 6;
constexpr uint64_t unnoticed = 4 << 20;  // bytes in no partition that only align the next one

}  // namespace

DeviceMap::DeviceMap(QWidget* parent) : Picture(tr("What is on the device"), parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize DeviceMap::sizeHint() const {
  return {800, static_cast<int>(bar_height + 8 + 2 * height_of(Face::caption) + 24)};
}

void DeviceMap::set_device(const DevicePtr& device) {
  parts_.clear();
  const Disk& disk = device->disk;
  size_ = disk.size;
  std::vector<size_t> order(disk.partitions.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  // An extended partition comes before the logical ones that it holds.
  std::ranges::sort(
      order, {}, [&](size_t i) { return std::pair(disk.partitions[i].start, UINT64_MAX - disk.partitions[i].size); });
  uint64_t at = 0;
  const auto add_free = [&](uint64_t to) {
    if (to > at && to - at >= unnoticed) parts_ << Part{{at, to - at}, {}, tr("in no partition")};
  };
  for (auto here = order.begin(); here != order.end(); ++here) {
    const size_t i = *here;
    const Partition& partition = disk.partitions[i];
    // Of one that holds others these are drawn, and the room between them.
    const auto next = std::next(here);
    const uint64_t end = partition.start + partition.size;
    const bool holds_next = next != order.end() && disk.partitions[*next].start < end &&
                            disk.partitions[*next].start + disk.partitions[*next].size <= end;
    if (partition.start < at || holds_next) continue;
    add_free(partition.start);
    parts_ << Part{{partition.start, partition.size},
                   QString::fromStdString(partition.name),
                   DeviceWords::content(partition.content),
                   !DeviceWords::mount_points(device->partition_usage.at(i)).isEmpty()};
    at = end;
  }
  if (disk.partitions.empty())
    parts_ << Part{{0, size_},
                   QString::fromStdString(disk.name),
                   DeviceWords::content(disk.content),
                   !DeviceWords::mount_points(device->usage).isEmpty()};
  else
    add_free(size_);
  set_current_mark(-1);
  update();
}

QRectF DeviceMap::place_of(int mark) const {
  const auto count = static_cast<double>(parts_.size());
  const double room = width() - gap * (count - 1) - 2 - least_width * count;
  double bytes = 0, before = 0;
  for (const Part& part : parts_) bytes += static_cast<double>(part.range.length);
  for (int i = 0; i < mark; ++i) before += static_cast<double>(parts_[i].range.length);
  if (bytes <= 0) return {};
  const double x = 1 + before / bytes * room + mark * (gap + least_width);
  return {std::round(x), 2, std::round(static_cast<double>(parts_[mark].range.length) / bytes * room + least_width),
          bar_height};
}

int DeviceMap::mark_at(QPoint point) const {
  for (int i = 0; i < parts_.size(); ++i)
    if (place_of(i).adjusted(-1, 0, 1, 0).contains(point)) return i;
  return -1;
}

QString DeviceMap::reading_of(int mark) const {
  const Part& part = parts_[mark];
  const QString range = tr("%1 from byte %2").arg(Sizes::decimal(part.range.length), Sizes::number(part.range.at));
  QStringList words;
  if (!part.name.isEmpty()) words << part.name;
  words << part.content << range;
  if (part.mounted) words << tr("mounted");
  return words.join(QStringLiteral(" · "));
}

PictureTable DeviceMap::table() const {
  PictureTable table{{tr("Partition"), tr("Content"), tr("Start"), tr("Size"), tr("Mounted")}, {}};
  for (const Part& part : parts_)
    table.rows << QStringList{part.name, part.content, Sizes::number(part.range.at), Sizes::exact(part.range.length),
                              part.mounted ? tr("yes") : tr("no")};
  return table;
}

void DeviceMap::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setLayoutDirection(Qt::LeftToRight);
  const Theme& t = theme();
  double label_end = -12;
  for (int i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const QRectF box = place_of(i);
    const bool named = !part.name.isEmpty();
    p.setRenderHint(QPainter::Antialiasing, false);
    p.fillRect(box, named ? mix(t.base, t.data, t.dark ? 0.34 : 0.20) : t.well);
    if (!named) paint_hatch(p, box.adjusted(1, 1, -1, -1), mix(t.base, t.faint, 0.30), 8, false, 1);
    p.setPen(QPen(i == current_mark() ? t.text : named ? t.data : t.faint, i == current_mark() ? 2 : 1));
    p.setBrush(Qt::NoBrush);
    p.drawRect(box.adjusted(0, 0, -1, -1));
    const QString inside = named ? part.name : part.content;
    if (width_of(inside, Face::section) + 16 < box.width())
      paint_text(p, box, Qt::AlignCenter, inside, named ? Face::section : Face::caption, named ? t.text : t.muted);
    // Under it, as far as there is room before the next one's words.
    const double left = std::max(box.left(), label_end + 12);
    const QFontMetricsF metrics(font_of(Face::caption));
    const QString size = Sizes::decimal(part.range.length);
    const double least = std::max(60.0, metrics.horizontalAdvance(size) + 12);  // a number is not cut
    const double next = i + 1 < parts_.size() ? std::max(place_of(i + 1).left(), left + least) : width();
    if (left > box.right() + 40 || left + least > width() || !named) continue;
    const QString content = metrics.elidedText(part.content, Qt::ElideRight, next - left - 8);
    paint_text(p, {left, box.bottom() + 6, next - left, metrics.height()}, Qt::AlignLeft, content, Face::caption,
               t.text);
    paint_text(p, {left, box.bottom() + 6 + metrics.height(), next - left, metrics.height()}, Qt::AlignLeft, size,
               Face::caption, t.muted);
    label_end = left + std::max(metrics.horizontalAdvance(content), metrics.horizontalAdvance(size));
  }
  paint_focus(p);
  paint_reading(p);
}

}  // namespace disklathe::ui
