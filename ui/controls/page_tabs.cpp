// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controls/page_tabs.h"

#include <QPainter>

#include "ui/pictures/paint.h"

namespace disklathe::ui {

PageTabs::PageTabs(const QString& name, QWidget* parent) : QTabBar(parent) {
  setAccessibleName(name);
  setDrawBase(false);
  setExpanding(false);
  setUsesScrollButtons(true);
  setFocusPolicy(Qt::TabFocus);
}

QSize PageTabs::tabSizeHint(int index) const {
  return {static_cast<int>(width_of(tabText(index), Face::section)) + 28, 40};
}

QSize PageTabs::minimumTabSizeHint(int index) const { return tabSizeHint(index); }

void PageTabs::paintEvent(QPaintEvent*) {
  QPainter p(this);
  const Theme& t = theme();
  for (int i = 0; i < count(); ++i) {
    const QRectF tab = tabRect(i);
    const bool current = i == currentIndex();
    paint_text(p, tab, Qt::AlignCenter, tabText(i), current ? Face::section : Face::body,
               !isTabEnabled(i) ? t.faint
               : current        ? t.text
                                : t.muted);
    if (!current) continue;
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(Qt::NoPen);
    p.setBrush(t.accent_ink);
    p.drawRoundedRect(QRectF(tab.left() + 12, tab.bottom() - 2, tab.width() - 24, 3), 1.5, 1.5);
    if (hasFocus()) {
      p.setPen(QPen(t.accent_ink, 2));
      p.setBrush(Qt::NoBrush);
      p.drawRoundedRect(tab.adjusted(5, 6, -5, -8), 5, 5);
    }
  }
}

}  // namespace disklathe::ui
