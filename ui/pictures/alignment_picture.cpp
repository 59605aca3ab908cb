// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/alignment_picture.h"

#include <QPainter>
#include <algorithm>
#include <bit>
#include <cmath>

#include "ui/pictures/paint.h"
#include "ui/theme/icons.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr double row_height = 24, name_width = 96;
constexpr int low = 9, high = 24;  // 512 B to 16 MiB

}  // namespace

AlignmentPicture::AlignmentPicture(QWidget* parent) : Picture(tr("Alignment of the partitions"), parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

uint64_t AlignmentPicture::alignment_of(uint64_t start) {
  return start ? uint64_t{1} << std::min(high, std::countr_zero(start)) : uint64_t{1} << high;
}

void AlignmentPicture::set_device(const DevicePtr& device, uint64_t physical_block) {
  rows_.clear();
  physical_ = std::max<uint64_t>(512, physical_block);
  for (const Partition& partition : device->disk.partitions)
    rows_ << Row{QString::fromStdString(partition.name), partition.start, partition.start % physical_};
  updateGeometry();
  update();
}

QSize AlignmentPicture::sizeHint() const {
  return {800, static_cast<int>(22 + static_cast<double>(rows_.size()) * row_height + 16 + height_of(Face::caption))};
}

double AlignmentPicture::x_of(uint64_t size) const {
  const double power = std::log2(static_cast<double>(std::clamp<uint64_t>(size, 1 << low, 1 << high)));
  return name_width + 12 + (power - low) / (high - low) * (width() - name_width - 12 - 200);
}

QRectF AlignmentPicture::place_of(int mark) const {
  return {0, 22 + mark * row_height, static_cast<double>(width()), row_height};
}

int AlignmentPicture::mark_at(QPoint point) const {
  const int row = static_cast<int>((point.y() - 22) / row_height);
  return point.y() >= 22 && row < rows_.size() ? row : -1;
}

QString AlignmentPicture::reading_of(int mark) const {
  const Row& row = rows_[mark];
  if (row.aligned())
    return tr("%1 begins at byte %2, a multiple of %3")
        .arg(row.name, Sizes::number(row.start), Sizes::binary(alignment_of(row.start)));
  return tr("%1 begins %2 inside a physical block: move its start by %3")
      .arg(row.name, Sizes::binary(row.off), Sizes::binary(physical_ - row.off));
}

PictureTable AlignmentPicture::table() const {
  PictureTable table{{tr("Partition"), tr("Start"), tr("Multiple of"), tr("Verdict")}, {}};
  for (int i = 0; i < rows_.size(); ++i)
    table.rows << QStringList{rows_[i].name, Sizes::number(rows_[i].start), Sizes::binary(alignment_of(rows_[i].start)),
                              reading_of(i)};
  return table;
}

void AlignmentPicture::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setLayoutDirection(Qt::LeftToRight);
  const Theme& t = theme();
  const double bottom = 22 + static_cast<double>(rows_.size()) * row_height + 4;
  const auto guide = [&](uint64_t size, const QString& name) {
    const double x = std::round(x_of(size));
    QPen pen(t.faint, 1);
    pen.setDashPattern({4, 4});
    p.setRenderHint(QPainter::Antialiasing, false);
    p.setPen(pen);
    p.drawLine(QPointF(x, 16), QPointF(x, bottom));
    paint_text(p, {x - 100, 0, 200, 16}, Qt::AlignHCenter, name, Face::caption, t.muted);
  };
  guide(physical_, tr("physical block"));
  if (physical_ < 1 << 18) guide(1 << 20, Sizes::binary(1 << 20));
  for (int i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const QRectF at = place_of(i);
    const double y = std::floor(at.center().y()), x = x_of(alignment_of(row.start));
    paint_text(p, {0, at.top(), name_width, row_height}, Qt::AlignVCenter, row.name, Face::section, t.text);
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(QPen(row.aligned() ? t.good : t.bad, 2));
    p.drawLine(QPointF(name_width + 12, y), QPointF(x, y));
    p.setPen(Qt::NoPen);
    p.setBrush(row.aligned() ? t.good : t.bad);
    // A dot ends what is aligned, a triangle what is not: colour says nothing alone.
    if (row.aligned())
      p.drawEllipse(QPointF(x, y), 4, 4);
    else
      p.drawPolygon(QPolygonF({{x, y - 6}, {x + 8, y + 5}, {x - 8, y + 5}}));
    const QString words = row.aligned() ? Sizes::binary(alignment_of(row.start))
                                        : tr("move start by %1").arg(Sizes::binary(physical_ - row.off));
    paint_text(p, {x + 12, at.top(), 200, row_height}, Qt::AlignVCenter, words, Face::caption,
               row.aligned() ? t.text : t.bad_text);
  }
  p.setRenderHint(QPainter::Antialiasing, false);
  for (int power = low; power <= high; ++power) {
    const double x = std::round(x_of(uint64_t{1} << power));
    const bool named = power == 9 || (power - 12) % 4 == 0;
    p.setPen(QPen(named ? t.faint : t.line, 1));
    p.drawLine(QPointF(x, bottom), QPointF(x, bottom + (named ? 6 : 4)));
    if (named)
      paint_text(p, {x - 50, bottom + 7, 100, height_of(Face::caption)}, Qt::AlignHCenter,
                 Sizes::binary(uint64_t{1} << power), Face::caption, t.muted);
  }
  setToolTip(current_mark() < 0 ? QString() : reading_of(current_mark()));
  paint_focus(p);
}

}  // namespace disklathe::ui
