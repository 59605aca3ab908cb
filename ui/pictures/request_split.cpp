// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/request_split.h"

#include <QPainter>

#include "ui/pictures/paint.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr qsizetype most_shown = 12;
constexpr double gap = 4, read_width = 8;

}  // namespace

RequestSplit::RequestSplit(QWidget* parent) : Picture(tr("How this request is carried out"), parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void RequestSplit::set_shape(const RequestShape& shape, Range request) {
  parts_.clear();
  uint64_t from = request.at;
  for (const auto& split : shape.contiguous.splits) {
    if (parts_.size() == most_shown - 1) break;
    parts_ << Part{.range = Range::between(from, split.at)};
    from = split.at;
  }
  Part last{.range = Range::between(from, request.end())};
  last.more = shape.contiguous.count - static_cast<uint64_t>(parts_.size()) - 1;
  parts_ << last;
  for (const Range& block : shape.read_modify_write) {
    if (block.at < request.at || (block.at == request.at && parts_.size() == 1 && block.end() > request.end()))
      parts_.first().reads_before = true;
    else
      parts_.last().reads_after = true;
  }
  set_current_mark(-1);
  update();
}

QRectF RequestSplit::box_of(int mark) const {
  const auto count = static_cast<double>(parts_.size());
  const double room = width() - gap * (count - 1), least = std::min(24.0, room / count);
  double bytes = 0, x = 0, before = 0;
  for (const Part& part : parts_) bytes += static_cast<double>(part.range.length);
  for (int i = 0; i < mark; ++i) before += static_cast<double>(parts_[i].range.length);
  const double spread = room - least * count;
  x = before / bytes * spread + mark * (least + gap);
  return {x, 0, static_cast<double>(parts_[mark].range.length) / bytes * spread + least, static_cast<double>(height())};
}

int RequestSplit::mark_at(QPoint point) const {
  for (int i = 0; i < parts_.size(); ++i)
    if (box_of(i).contains(point)) return i;
  return -1;
}

QString RequestSplit::reading_of(int mark) const {
  const Part& part = parts_[mark];
  QString reading = tr("%1 at byte %2").arg(Sizes::binary(part.range.length), Sizes::number(part.range.at));
  if (part.more) reading = tr("%1, in %n command(s)", nullptr, static_cast<int>(part.more + 1)).arg(reading);
  if (part.reads_before || part.reads_after) reading = tr("%1, a block is read first").arg(reading);
  return reading;
}

PictureTable RequestSplit::table() const {
  PictureTable table{{tr("Command"), tr("What")}, {}};
  for (int i = 0; i < parts_.size(); ++i) table.rows << QStringList{QString::number(i + 1), reading_of(i)};
  return table;
}

void RequestSplit::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setLayoutDirection(Qt::LeftToRight);
  const Theme& t = theme();
  for (int i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const QRectF box = box_of(i);
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(i == current_mark() ? QPen(t.accent_ink, 2) : QPen(Qt::NoPen));
    p.setBrush(mix(t.base, t.accent, 0.24));
    p.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    const auto reads = [&](QRectF end) {
      p.fillRect(end, mix(t.base, t.warn, 0.30));
      paint_hatch(p, end, t.compressed_ink, 4, false, 1.7);
    };
    if (part.reads_before) reads({box.left(), box.top(), read_width, box.height()});
    if (part.reads_after) reads({box.right() - read_width, box.top(), read_width, box.height()});
    const QString words = part.more ? tr("%n more command(s)", nullptr, static_cast<int>(part.more + 1))
                                    : Sizes::binary(part.range.length);
    if (width_of(words, Face::caption) + 20 < box.width())
      paint_text(p, box, Qt::AlignCenter, words, Face::caption, t.text);
  }
  setToolTip(current_mark() < 0 ? QString() : reading_of(current_mark()));
  paint_focus(p);
}

}  // namespace disklathe::ui
