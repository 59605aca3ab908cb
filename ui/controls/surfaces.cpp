// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controls/surfaces.h"

#include <QEvent>
#include <QLayout>
#include <QPainter>
#include <QPalette>

#include "ui/theme/theme.h"

namespace disklathe::ui {
namespace {

constexpr int page_margin = 24;

// Pictures shrink before a page scrolls: what it needs is the least of its parts, where Qt asks for what they like.
class PageLayout : public QVBoxLayout {
 public:
  using QVBoxLayout::QVBoxLayout;
  int heightForWidth(int width) const override {
    if (asking_) return QVBoxLayout::heightForWidth(width);  // which is how Qt finds the least
    asking_ = true;
    const int least = minimumHeightForWidth(width);
    asking_ = false;
    return least;
  }

 private:
  mutable bool asking_ = false;
};

}  // namespace

void set_surface(QWidget& widget, bool paper) {
  widget.setBackgroundRole(paper ? QPalette::Base : QPalette::Window);
  widget.setAutoFillBackground(true);
}

Rule::Rule(Qt::Orientation orientation, QWidget* parent) : QFrame(parent) {
  if (orientation == Qt::Horizontal)
    setFixedHeight(1);
  else
    setFixedWidth(1);
}

void Rule::paintEvent(QPaintEvent*) { QPainter(this).fillRect(rect(), theme().line); }

Card::Card(Tone tone, QWidget* parent) : QFrame(parent), tone_(tone) {}

void Card::set_tone(Tone tone) {
  tone_ = tone;
  update();
}

void Card::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  const Theme& t = theme();
  const QColor meaning = tone_ == Tone::warn ? t.warn : tone_ == Tone::bad ? t.bad : t.good;
  p.setBrush(tone_ == Tone::quiet ? t.well : mix(t.base, meaning, t.dark ? 0.14 : 0.09));
  p.setPen(tone_ == Tone::quiet ? QPen(Qt::NoPen) : QPen(mix(t.base, meaning, 0.55), 1));
  p.drawRoundedRect(QRectF(rect()).adjusted(.5, .5, -.5, -.5), 6, 6);
}

Page::Page(QWidget* parent) : QScrollArea(parent) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::NoFocus);
  viewport()->setBackgroundRole(QPalette::Base);
  auto* content = new QWidget;
  set_surface(*content, true);
  auto* layout = new PageLayout(content);
  layout->setContentsMargins(page_margin, 16, page_margin, 16);
  layout->setSpacing(12);
  setWidget(content);
}

bool Page::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Resize && widget() && widget()->layout()) {
    const bool low = window()->height() < 720;
    const int taken = width() - viewport()->width();
    QLayout& layout = *widget()->layout();
    QMargins margins(page_margin, low ? 8 : 16, std::max(4, page_margin - taken), low ? 8 : 16);
    if (layoutDirection() == Qt::RightToLeft)
      margins = {margins.right(), margins.top(), margins.left(), margins.bottom()};
    if (layout.contentsMargins() != margins) layout.setContentsMargins(margins);
  }
  return QScrollArea::viewportEvent(event);
}

}  // namespace disklathe::ui
