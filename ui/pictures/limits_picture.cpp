// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/limits_picture.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <bit>
#include <cmath>

#include "ui/pictures/paint.h"
#include "ui/theme/icons.h"
#include "ui/words/limit_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr double top = 26, strip = 26, inset = 6, ruler_step = 20;
constexpr int rulers = 3;
constexpr uint64_t page = 4096;

}  // namespace

LimitsPicture::LimitsPicture(QWidget* parent) : Picture(tr("Limits and a request"), parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void LimitsPicture::set_report(const LimitReport& report) {
  report_ = report;
  low_ = 6;
  high_ = 26;
  for (const Box& box : boxes()) high_ = std::max(high_, static_cast<int>(std::bit_width(box.end)) + 1);
  updateGeometry();
  update();
}

void LimitsPicture::set_request(uint64_t bytes) {
  request_ = bytes;
  setAccessibleDescription(tr("Request of %1").arg(Sizes::binary(bytes)));
  update();
}

QVector<LimitsPicture::Box> LimitsPicture::boxes() const {
  const Limits& used = report_.used;
  const Limits& said = report_.reported;
  QVector<Box> boxes;
  const auto add = [&](const Limit& limit, const QString& name, bool soft, bool odd) {
    if (limit.value && *limit.value) boxes << Box{*limit.value, name, soft, odd};
  };
  add({.value = used.logical_block.value.value_or(512)}, tr("Logical"), false,
      said.logical_block.value && said.logical_block.value != used.logical_block.value);
  add({.value = used.physical_block}, tr("Physical"), false, said.physical_block != used.physical_block);
  add(used.optimal_io, tr("Optimal"), false, said.optimal_io.value != used.optimal_io.value);
  add(used.max_transfer, tr("Max transfer"), true, false);
  std::ranges::stable_sort(boxes, std::greater<>{}, &Box::end);
  std::ranges::reverse(boxes);
  std::ranges::stable_sort(boxes, std::less<>{}, &Box::end);
  std::ranges::reverse(boxes);
  return boxes;
}

double LimitsPicture::x_of(double bytes) const { return (std::log2(bytes) - low_) / (high_ - low_) * (width() - 16); }

uint64_t LimitsPicture::size_at(double x) const {
  const double power = low_ + std::clamp(x / (width() - 16), 0.0, 1.0) * (high_ - low_);
  // Powers of two and the size half way between.
  const double half = std::round(power * 2) / 2;
  const auto whole = static_cast<unsigned>(std::floor(half));
  const uint64_t size = half == std::floor(half) ? uint64_t{1} << whole : (uint64_t{3} << whole) / 2;
  const uint64_t block = std::max<uint64_t>(1, report_.used.logical_block.value.value_or(512));
  return std::max(block, size / block * block);
}

double LimitsPicture::boxes_bottom() const {
  const auto count = static_cast<double>(std::max<qsizetype>(1, boxes().size()));
  return top + count * strip + (count - 1) * inset + 4;
}
double LimitsPicture::axis_y() const { return boxes_bottom() + 15 + rulers * ruler_step; }
QSize LimitsPicture::sizeHint() const { return {900, static_cast<int>(axis_y() + 10 + height_of(Face::caption))}; }

PictureTable LimitsPicture::table() const {
  PictureTable table{{tr("Limit"), tr("Value"), tr("Source"), tr("What it means")}, {}};
  for (const LimitRow& row : LimitWords::rows(report_))
    table.rows << QStringList{row.title, row.value, LimitWords::source(row.source), row.meaning};
  return table;
}

void LimitsPicture::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setLayoutDirection(Qt::LeftToRight);
  paint_boxes(p);
  // Under the words, which keep off it or stand on a plate.
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(theme().text, 1.6));
  p.drawLine(QPointF(request_x(), 18), QPointF(request_x(), axis_y()));
  paint_box_names(p);
  paint_rulers(p);
  paint_axis(p);
  paint_request(p);
}

double LimitsPicture::request_x() const { return std::round(x_of(static_cast<double>(request_))); }

QRectF LimitsPicture::place_of_box(const Box& box, int depth) const {
  return {QPointF(depth * inset + 0.5, top + depth * strip + 0.5),
          QPointF(std::max(x_of(static_cast<double>(box.end)), depth * inset + 24) + 0.5,
                  boxes_bottom() - depth * inset + 0.5)};
}

void LimitsPicture::paint_boxes(QPainter& p) const {
  const Theme& t = theme();
  const QVector<Box> all = boxes();
  for (int i = 0; i < all.size(); ++i) {
    const Box& box = all[i];
    p.setRenderHint(QPainter::Antialiasing);
    p.setBrush(mix(t.base, t.accent, 0.09 + 0.13 * i));
    QPen edge(box.odd ? t.compressed_ink : t.accent_ink, box.odd ? 1.6 : 1.2);
    if (box.soft) edge.setDashPattern({4, 3});
    p.setPen(edge);
    p.drawRoundedRect(place_of_box(box, i), 4, 4);
  }
}

void LimitsPicture::paint_box_names(QPainter& p) const {
  const Theme& t = theme();
  const QVector<Box> all = boxes();
  for (int i = 0; i < all.size(); ++i) {
    const Box& box = all[i];
    const QRectF at = place_of_box(box, i);
    const QString value = Sizes::binary(box.end);
    const double value_width = width_of(value, Face::section), name_width = width_of(box.name, Face::caption);
    const bool named = name_width + value_width + 26 < at.width();
    QRectF line(at.left(), at.top() + 2, at.width() - 10, strip - 4);
    // Left of the line of the request, where that would cross the words and there is room.
    const double words = value_width + (named ? name_width + 8 + (box.odd ? 22 : 0) : 0);
    const double clear = request_x() - 8;
    const bool crossed = request_x() > line.right() - words - 4 && request_x() < line.right() + 2;
    if (crossed && clear - words > at.left() + 6) line.setRight(clear);
    paint_text(p, line, Qt::AlignRight | Qt::AlignVCenter, value, Face::section, t.text);
    if (!named) continue;
    line.setRight(line.right() - value_width - 8);
    paint_text(p, line, Qt::AlignRight | Qt::AlignVCenter, box.name, Face::caption, t.muted);
    if (box.odd)
      action_icon(QLatin1String("data-warning"))
          .paint(&p, QRectF(line.right() - name_width - 22, line.top() + 3, 16, 16).toRect());
  }
}

void LimitsPicture::paint_rulers(QPainter& p) const {
  const Theme& t = theme();
  const Limits& said = report_.reported;
  double y = boxes_bottom() + 15;
  double last_end = 0;
  const auto name = [&](const QString& text) {
    paint_text(p, {0, y - 9, 300, 18}, Qt::AlignVCenter, text, Face::caption, t.muted);
    last_end = width_of(text, Face::caption) + 12;
  };
  const auto tick = [&](double at) { p.drawLine(QPointF(std::round(at), y - 4), QPointF(std::round(at), y + 4)); };
  // From one size to another; beyond: on past the end of the scale.
  const auto span = [&](uint64_t from, uint64_t to) {
    const bool beyond = to > (uint64_t{1} << high_);
    const double a = std::max(last_end, x_of(static_cast<double>(from)));
    const double b = std::max(a, beyond ? width() - 8.0 : x_of(static_cast<double>(to)));
    p.setRenderHint(QPainter::Antialiasing, false);
    p.setPen(QPen(t.muted, 1));
    p.drawLine(QPointF(a, y), QPointF(b, y));
    tick(a);
    if (!beyond) {
      tick(b);
    } else {
      p.setRenderHint(QPainter::Antialiasing);
      p.setBrush(t.muted);
      p.setPen(Qt::NoPen);
      p.drawPolygon(QPolygonF({{b + 6, y}, {b - 1, y - 4}, {b - 1, y + 4}}));
    }
    last_end = beyond ? a + 16 : b + 6;
  };
  const auto note = [&](const QString& text) {
    const double x = std::min(last_end, width() - width_of(text, Face::caption) - 10);
    paint_plate(p, {x, y - height_of(Face::caption) / 2 - 1}, text, Face::caption, t.text);
  };

  name(tr("Segments"));
  if (const auto segments = said.max_segments.value) {
    span(page, *segments * page);
    p.setRenderHint(QPainter::Antialiasing, false);
    p.setPen(QPen(t.muted, 1));
    for (uint64_t n = 2; n < *segments && n * page < uint64_t{1} << high_; n *= 2)
      if (x_of(static_cast<double>(n * page)) > last_end - 400) tick(x_of(static_cast<double>(n * page)));
    note(tr("%1 × 4 KiB pages").arg(Sizes::number(*segments)));
  } else {
    note(tr("not reported"));
  }
  y += ruler_step;
  name(tr("Memory"));
  if (report_.direct) {
    span(std::max<uint64_t>(64, report_.direct->memory), report_.used.opt_mem_align);
    note(tr("copied below %1, allocated at %2")
             .arg(Sizes::binary(report_.direct->memory), Sizes::binary(report_.used.opt_mem_align)));
  } else {
    note(report_.opened ? tr("no direct I/O") : tr("known once it may be read"));
  }
  y += ruler_step;
  name(tr("Discard"));
  if (said.max_discard.value && said.discard_granularity.value) {
    span(std::max<uint64_t>(64, *said.discard_granularity.value), *said.max_discard.value);
    note(tr("%1 steps, up to %2")
             .arg(Sizes::binary(*said.discard_granularity.value), Sizes::binary(*said.max_discard.value)));
  } else {
    note(tr("not offered"));
  }
}

void LimitsPicture::paint_axis(QPainter& p) const {
  const Theme& t = theme();
  const double y = axis_y();
  p.setRenderHint(QPainter::Antialiasing, false);
  p.setPen(QPen(t.line, 1));
  p.drawLine(QPointF(0, y), QPointF(width() - 16, y));
  for (int power = low_; power <= high_; ++power) {
    const bool named = power == 9 || (power > 9 && (power - 12) % 4 == 0);
    const double x = std::round(x_of(std::exp2(power)));
    p.setRenderHint(QPainter::Antialiasing, false);
    p.setPen(QPen(named ? t.faint : t.line, 1));
    p.drawLine(QPointF(x, y), QPointF(x, y + (named ? 6 : 4)));
    if (named)
      paint_text(p, {x - 60, y + 8, 120, height_of(Face::caption)}, Qt::AlignHCenter | Qt::AlignTop,
                 Sizes::binary(uint64_t{1} << power), Face::caption, t.muted);
  }
}

void LimitsPicture::paint_request(QPainter& p) const {
  const Theme& t = theme();
  const double x = request_x(), y = axis_y();
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(t.base, 2));
  p.setBrush(t.text);
  p.drawEllipse(QPointF(x, y), 8, 8);
  p.setPen(Qt::NoPen);
  p.setBrush(t.base);
  p.drawEllipse(QPointF(x, y), 2.5, 2.5);
  const QString flag = tr("Request %1").arg(Sizes::binary(request_));
  const double flag_width = width_of(flag, Face::section) + 16;
  paint_flag(p,
             {std::clamp(x - flag_width / 2, 0.0, width() - flag_width), 0, flag_width, height_of(Face::section) + 4},
             flag);
  if (!hasFocus()) return;
  p.setBrush(Qt::NoBrush);
  p.setPen(QPen(t.accent_ink, 2));
  p.drawEllipse(QPointF(x, y), 11, 11);
}

void LimitsPicture::move_to(uint64_t bytes) {
  const uint64_t block = std::max<uint64_t>(1, report_.used.logical_block.value.value_or(512));
  bytes = std::clamp<uint64_t>(bytes / block * block, block, uint64_t{1} << std::min(high_, 30));
  if (bytes == request_) return;
  set_request(bytes);
  Q_EMIT request_moved(bytes);
}

void LimitsPicture::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) move_to(size_at(event->position().x()));
}

void LimitsPicture::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) move_to(size_at(event->position().x()));
  const bool on_handle = std::abs(event->position().x() - x_of(static_cast<double>(request_))) < 10;
  setCursor(on_handle ? Qt::SizeHorCursor : Qt::ArrowCursor);
}

void LimitsPicture::keyPressEvent(QKeyEvent* event) {
  const uint64_t block = report_.used.logical_block.value.value_or(512);
  const bool fine = event->modifiers() & Qt::ShiftModifier;
  switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Up: return move_to(fine ? request_ + block : request_ * 2);
    case Qt::Key_Left:
    case Qt::Key_Down: return move_to(fine ? std::max(block, request_ - block) : request_ / 2);
    case Qt::Key_Home: return move_to(block);
    case Qt::Key_End: return move_to(uint64_t{1} << high_);
    default: Picture::keyPressEvent(event);
  }
}

}  // namespace disklathe::ui
