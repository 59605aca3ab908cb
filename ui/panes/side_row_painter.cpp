// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panes/side_row_painter.h"

#include <QPainter>

#include "ui/panes/side_list.h"
#include "ui/pictures/paint.h"
#include "ui/theme/icons.h"

namespace disklathe::ui {
namespace {

constexpr int row_height = 48, glyph_size = 22, text_at = 40;

void paint_frame(QPainter& p, const QRectF& box, const QStyleOptionViewItem& option, bool target) {
  const Theme& t = theme();
  p.setRenderHint(QPainter::Antialiasing);
  p.setBrush(Qt::NoBrush);
  if (option.state & QStyle::State_Selected) {
    p.setPen(QPen(t.accent_ink, 1));
    p.setBrush(mix(t.window, t.accent, t.dark ? 0.28 : 0.22));
    p.drawRoundedRect(box.adjusted(.5, .5, -.5, -.5), 6, 6);
  } else if (option.state & QStyle::State_MouseOver) {
    p.setPen(Qt::NoPen);
    p.setBrush(mix(t.window, t.text, 0.06));
    p.drawRoundedRect(box.adjusted(.5, .5, -.5, -.5), 6, 6);
  }
  p.setBrush(Qt::NoBrush);
  if (target) {
    QPen dashes(t.accent_ink, 1.4);
    dashes.setDashPattern({4, 3});
    p.setPen(dashes);
    p.drawRoundedRect(box.adjusted(.5, .5, -.5, -.5), 6, 6);
  }
  if ((option.state & QStyle::State_HasFocus) && (option.state & QStyle::State_KeyboardFocusChange)) {
    p.setPen(QPen(t.accent_ink, 2));
    p.drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6);
  }
}

// A ring, so that a running job is seen from afar.
void paint_ring(QPainter& p, const QRectF& at, double share) {
  const Theme& t = theme();
  const QRectF ring = at.adjusted(2, 2, -2, -2);
  p.setBrush(Qt::NoBrush);
  p.setPen(QPen(mix(t.text, t.window, 0.8), 3));
  p.drawEllipse(ring);
  p.setPen(QPen(t.good, 3, Qt::SolidLine, Qt::FlatCap));
  p.drawArc(ring, 90 * 16, static_cast<int>(-share * 360 * 16));
}

}  // namespace

QSize SideRowPainter::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const { return {160, row_height}; }

void SideRowPainter::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QPainter& p = *painter;
  const Theme& t = theme();
  const auto* list = qobject_cast<const SideList*>(option.widget);
  const bool dragging = list && list->dragging(), target = index.data(side_target).toBool();
  const QRectF row = option.rect;
  const auto placed = [&](QRectF at) {
    if (option.direction == Qt::RightToLeft) at.moveLeft(row.left() + row.right() - at.right());
    return at;
  };
  p.save();
  p.setLayoutDirection(option.direction);
  QStyleOptionViewItem state = option;
  if (dragging && !target) state.state &= ~QStyle::State_MouseOver;
  const QRectF box(row.left() + 8, row.top() + 1, row.width() - 16, row_height - 2);
  paint_frame(p, box, state, dragging && target);

  const double fade = (dragging && !target) || !(option.state & QStyle::State_Enabled) ? 0.55 : 0;
  const auto ink = [&](const QColor& color) { return mix(color, t.window, fade); };
  paint_glyph(p, placed({box.left() + 8, box.top() + 12, glyph_size, glyph_size}),
              static_cast<Glyph>(index.data(side_glyph).toInt()), ink(t.text));

  double right = box.right() - 8;
  if (const QVariant share = index.data(side_progress); share.isValid()) {
    paint_ring(p, placed({right - 18, box.center().y() - 9, 18, 18}), share.toDouble());
    right -= 26;
  }
  double name_right = right;
  if (index.data(side_locked).toBool()) {
    action_icon(QLatin1String("object-locked")).paint(&p, placed({right - 16, box.top() + 4, 16, 16}).toRect());
    name_right -= 22;
  }
  const double left = box.left() + text_at;
  double detail_right = right;
  if (const QString badge = index.data(side_badge).toString(); !badge.isEmpty()) {
    // The size must stay readable beside it.
    const double most = (right - left) * 0.66;
    const QString shown = QFontMetricsF(font_of(Face::caption)).elidedText(badge, Qt::ElideRight, most - 12);
    const double width = width_of(shown, Face::caption) + 12;
    const QRectF at = placed({right - width, box.top() + 24, width, 18});
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(Qt::NoPen);
    p.setBrush(mix(t.window, t.text, 0.09));
    p.drawRoundedRect(at, 4, 4);
    paint_text(p, at, Qt::AlignCenter, shown, Face::caption, ink(t.text));
    detail_right -= width + 6;
  }
  const auto line = [&](double top, double height, double to, const QString& text, Face face, const QColor& color) {
    const QString shown = QFontMetricsF(font_of(face)).elidedText(text, Qt::ElideRight, to - left);
    paint_text(p, placed({left, top, to - left, height}), Qt::AlignVCenter, shown, face, ink(color));
  };
  const bool selected = option.state & QStyle::State_Selected;
  line(box.top() + 3, 20, name_right, index.data().toString(), selected ? Face::section : Face::body, t.text);
  line(box.top() + 24, 18, detail_right, index.data(side_detail).toString(), Face::caption, t.window_muted);
  p.restore();
}

}  // namespace disklathe::ui
