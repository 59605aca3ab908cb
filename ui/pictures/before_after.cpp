// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/before_after.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/pictures/paint.h"
#include "ui/words/device_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr double sliver = 0.06, shown_as = 0.28;  // shares of the device and of the drawing
constexpr double break_width = 14;

double left_of_bars() {
  return std::max(width_of(BeforeAfter::tr("Now"), Face::section), width_of(BeforeAfter::tr("After"), Face::section)) +
         16;
}

}  // namespace

double BeforeAfter::caption_height() { return height_of(Face::caption); }

BeforeAfter::BeforeAfter(QWidget* parent) : Picture(tr("The device before and after"), parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void BeforeAfter::set(const Disk& disk, const QString& image_name, uint64_t image_size) {
  parts_.clear();
  size_ = disk.size;
  image_size_ = std::min(image_size, disk.size);
  image_name_ = image_name;
  const auto add = [&](Range range, const QString& name, const Content& content) {
    parts_ << Part{range, tr("%1: %2", "partition or label, what is on it").arg(name, DeviceWords::content(content))};
  };
  for (const Partition& partition : disk.partitions)
    add({partition.start, partition.size}, QString::fromStdString(partition.name), partition.content);
  if (disk.partitions.empty()) add({0, disk.size}, QString::fromStdString(disk.name), disk.content);
  std::ranges::sort(parts_, {}, [](const Part& part) { return part.range.at; });
  update();
}

bool BeforeAfter::broken() const {
  return image_size_ && image_size_ < size_ && static_cast<double>(image_size_) < sliver * static_cast<double>(size_);
}

double BeforeAfter::x_of(uint64_t offset) const {
  const double left = left_of_bars(), room = width() - left - 1;
  const auto at = static_cast<double>(offset), size = static_cast<double>(std::max<uint64_t>(1, size_));
  if (!broken()) return left + at / size * room;
  const auto image = static_cast<double>(image_size_);
  const double near = room * shown_as;
  if (offset <= image_size_) return left + at / image * near;
  return left + near + break_width + (at - image) / (size - image) * (room - near - break_width);
}

QRectF BeforeAfter::place_of(int mark) const {
  const Range range = parts_[mark].range;
  const double from = std::round(x_of(range.at));
  return {from, 0, std::max(4.0, std::round(x_of(std::min(range.end(), size_))) - from - 1), row_height};
}

int BeforeAfter::mark_at(QPoint point) const {
  for (int i = 0; i < parts_.size(); ++i)
    if (place_of(i).contains(point)) return i;
  return -1;
}

QString BeforeAfter::reading_of(int mark) const {
  const Part& part = parts_[mark];
  const bool lost = part.range.at < image_size_;
  return tr("%1, %2, %3")
      .arg(part.words, Sizes::decimal(part.range.length), lost ? tr("lost") : tr("in no partition afterwards"));
}

PictureTable BeforeAfter::table() const {
  PictureTable table{{tr("When"), tr("What"), tr("Start"), tr("Size")}, {}};
  for (const Part& part : parts_)
    table.rows << QStringList{tr("Now"), part.words, Sizes::number(part.range.at), Sizes::exact(part.range.length)};
  table.rows << QStringList{tr("After"), image_name_, QStringLiteral("0"), Sizes::exact(image_size_)};
  if (image_size_ < size_)
    table.rows << QStringList{tr("After"), tr("old bytes, in no partition"), Sizes::number(image_size_),
                              Sizes::exact(size_ - image_size_)};
  return table;
}

void BeforeAfter::paint_break(QPainter& p, double top) const {
  if (!broken()) return;
  const Theme& t = theme();
  const double x = x_of(image_size_) + 1;
  p.fillRect(QRectF(x, top - 1, break_width - 2, row_height + 2), t.base);
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(t.muted, 1.3));
  for (const double shift : {2.0, 7.0})
    p.drawPolyline(QPolygonF({{x + shift, top - 2},
                              {x + shift + 4, top + row_height * 0.35},
                              {x + shift - 1, top + row_height * 0.65},
                              {x + shift + 3, top + row_height + 2}}));
}

void BeforeAfter::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setLayoutDirection(Qt::LeftToRight);
  const Theme& t = theme();
  const double left = left_of_bars(), caption = caption_height(), after = row_height + caption + 22;
  const auto box = [&](const QRectF& at, const QColor& fill, const QColor& edge) {
    p.setRenderHint(QPainter::Antialiasing, false);
    p.fillRect(at, fill);
    p.setPen(QPen(edge, 1));
    p.setBrush(Qt::NoBrush);
    p.drawRect(at.adjusted(0, 0, -1, -1));
  };
  // The first of these words that has room.
  const auto plate = [&](double x, double y, const QStringList& words, double room) {
    const QFontMetricsF metrics(font_of(Face::caption));
    QString shown;
    for (const QString& one : words)
      if (shown.isEmpty() && metrics.horizontalAdvance(one) <= room - 12) shown = one;
    if (shown.isEmpty()) shown = metrics.elidedText(words.last(), Qt::ElideRight, room - 12);
    if (room > 60) paint_plate(p, {x, y + (row_height - caption - 2) / 2}, shown, Face::caption, t.text);
  };
  const auto row_name = [&](double y, const QString& words) {
    paint_text(p, {0, y, left - 12, row_height}, Qt::AlignRight | Qt::AlignVCenter, words, Face::section, t.text);
  };

  row_name(0, tr("Now"));
  QString small;
  for (int i = 0; i < parts_.size(); ++i) {
    const QRectF at = place_of(i);
    const bool lost = parts_[i].range.at < image_size_;
    box(at, mix(t.base, lost ? t.bad : t.faint, t.dark ? 0.16 : 0.10), lost ? t.bad : t.faint);
    if (lost) paint_hatch(p, at.adjusted(1, 1, -1, -1), mix(t.base, t.bad, t.dark ? 0.45 : 0.34), 6, false, 1.2);
    const QString words = tr("%1, %2").arg(parts_[i].words, Sizes::decimal(parts_[i].range.length));
    if (at.width() > 110)
      plate(at.left() + 8, 0, {words, parts_[i].words}, at.width() - 8);
    else
      small += small.isEmpty() ? words : QStringLiteral("; ") + words;
  }
  paint_text(p, {left, row_height + 4, width() - left, caption}, Qt::AlignLeft,
             QFontMetricsF(font_of(Face::caption)).elidedText(small, Qt::ElideRight, width() - left), Face::caption,
             t.muted);
  paint_break(p, 0);

  row_name(after, tr("After"));
  const double end = std::round(x_of(image_size_));
  box({left, after, std::max(2.0, end - left), row_height}, t.data, t.data);
  if (image_size_ < size_) {
    const double rest_at = broken() ? x_of(image_size_ + 1) : end + 2;
    const QRectF rest(rest_at, after, width() - 1 - rest_at, row_height);
    const QString untouched = Sizes::decimal(size_ - image_size_);
    box(rest, t.well, t.faint);
    paint_hatch(p, rest.adjusted(1, 1, -1, -1), mix(t.base, t.faint, 0.30), 8, false, 1);
    plate(rest.left() + 10, after,
          QStringList{tr("%1 past the image's end keep their old bytes, in no partition").arg(untouched),
                      tr("%1 keep their old bytes").arg(untouched), untouched},
          rest.width() - 10);
  }
  paint_break(p, after);
  const QString below = tr("%1, %2").arg(image_name_, Sizes::decimal(image_size_));
  paint_text(p, {left, after + row_height + 4, width() - left, caption}, Qt::AlignLeft,
             QFontMetricsF(font_of(Face::caption)).elidedText(below, Qt::ElideMiddle, (width() - left) * 0.7),
             Face::caption, t.muted);
  paint_text(p, {left, after + row_height + 4, width() - left, caption}, Qt::AlignRight,
             broken() ? tr("%1, scale broken").arg(Sizes::decimal(size_)) : Sizes::decimal(size_), Face::caption,
             t.muted);

  if (image_size_ < size_) {
    QPen guide(t.text, 1);
    guide.setDashPattern({3, 3});
    p.setRenderHint(QPainter::Antialiasing, false);
    p.setPen(guide);
    p.drawLine(QPointF(end, 0), QPointF(end, after + row_height));
  }
  paint_focus(p);
  paint_reading(p);
}

}  // namespace disklathe::ui
