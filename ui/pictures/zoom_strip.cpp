// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/zoom_strip.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/pictures/allocation_map.h"
#include "ui/pictures/paint.h"
#include "ui/words/device_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr double bar_height = 16, guide_height = 26;

}  // namespace

ZoomStrip::ZoomStrip(QWidget* parent) : Picture(tr("The whole device"), parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize ZoomStrip::sizeHint() const {
  return {800, static_cast<int>(height_of(Face::caption) + 4 + bar_height + (magnifies() ? guide_height : 4))};
}

void ZoomStrip::set_device(const DevicePtr& device) {
  size_ = std::max<uint64_t>(1, device->disk.size);
  shown_ = size_;
  written_.reset();
  parts_.clear();
  for (const Partition& partition : device->disk.partitions)
    parts_ << Part{{partition.start, partition.size},
                   tr("%1, %2", "partition, content")
                       .arg(QString::fromStdString(partition.name), DeviceWords::content(partition.content))};
  set_current_mark(-1);
  updateGeometry();
  update();
}

void ZoomStrip::set_job(std::optional<uint64_t> written, uint64_t shown) {
  const bool another = (shown < size_) != magnifies();
  written_ = written;
  shown_ = std::min(shown, size_);
  if (another) updateGeometry();
  update();
}

QRectF ZoomStrip::bar() const {
  const double left = AllocationMap::gutter(width());
  return {left, height_of(Face::caption) + 4, width() - left, bar_height};
}

double ZoomStrip::x_of(uint64_t offset) const {
  const QRectF at = bar();
  return at.left() + static_cast<double>(std::min(offset, size_)) / static_cast<double>(size_) * at.width();
}

QRectF ZoomStrip::place_of(int mark) const {
  const Range& range = parts_[mark].range;
  const double x = std::round(x_of(range.at));
  return {x, bar().top(), std::max(1.0, std::round(x_of(range.end())) - x), bar_height};
}

int ZoomStrip::mark_at(QPoint point) const {
  for (int i = 0; i < parts_.size(); ++i)
    if (place_of(i).adjusted(-1, 0, 1, 0).contains(point)) return i;
  return -1;
}

QString ZoomStrip::reading_of(int mark) const {
  const Part& part = parts_[mark];
  return tr("%1 · %2 from byte %3", "partition, size, offset")
      .arg(part.words, Sizes::decimal(part.range.length), Sizes::number(part.range.at));
}

PictureTable ZoomStrip::table() const {
  PictureTable table{{tr("Part"), tr("Start"), tr("Size")}, {}};
  for (const Part& part : parts_)
    table.rows << QStringList{part.words, Sizes::number(part.range.at), Sizes::exact(part.range.length)};
  if (written_) table.rows << QStringList{tr("Written"), QStringLiteral("0"), Sizes::exact(*written_)};
  return table;
}

void ZoomStrip::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setLayoutDirection(Qt::LeftToRight);
  const Theme& t = theme();
  const QRectF at = bar();
  const double caption = height_of(Face::caption);
  paint_text(p, {at.left(), 0, at.width() / 2, caption}, Qt::AlignLeft, tr("The whole device"), Face::caption, t.muted);
  paint_text(p, {at.center().x(), 0, at.width() / 2, caption}, Qt::AlignRight, Sizes::decimal(size_), Face::caption,
             t.muted);
  p.setRenderHint(QPainter::Antialiasing, false);
  p.fillRect(at, t.well);
  for (int i = 0; i < parts_.size(); ++i) paint_kind(p, place_of(i), ContentKind::partition);
  // What is written over is a partition's no more.
  if (written_ && *written_ > 0)
    p.fillRect(QRectF(at.left(), at.top(), std::max(2.0, std::round(x_of(*written_) - at.left())), bar_height), t.data);
  p.setPen(QPen(t.faint, 1));
  p.setBrush(Qt::NoBrush);
  p.drawRect(at.adjusted(0, 0, -1, -1));
  if (magnifies()) {
    const double end = std::max(at.left() + 3, std::round(x_of(shown_)));
    const QPolygonF beam(
        {{at.left(), at.bottom()}, {end, at.bottom()}, {at.right(), height() - 1.0}, {at.left(), height() - 1.0}});
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(Qt::NoPen);
    p.setBrush(mix(t.base, t.accent_ink, 0.10));
    p.drawPolygon(beam);
    p.setPen(QPen(t.accent_ink, 1));
    p.drawLine(QPointF(end, at.bottom()), QPointF(at.right(), height() - 1.0));
    p.setBrush(Qt::NoBrush);
    p.setRenderHint(QPainter::Antialiasing, false);
    p.setPen(QPen(t.accent_ink, 2));
    p.drawRect(QRectF(at.left(), at.top() - 1, end - at.left(), bar_height + 1));
    const QString words = tr("its first %1, magnified").arg(Sizes::decimal(shown_));
    paint_text(p, {at.left() + 6, height() - caption - 3, at.width() / 2, caption}, Qt::AlignLeft, words, Face::caption,
               t.muted);
  }
  // Round the bar alone: its words reach the edges.
  if (hasFocus()) {
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(t.accent_ink, 2));
    p.setRenderHint(QPainter::Antialiasing);
    p.drawRoundedRect(at.adjusted(-1, -2, -1, 2), 3, 3);
  }
  paint_reading(p);
}

}  // namespace disklathe::ui
