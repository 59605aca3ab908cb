// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/thing_view.h"

#include <QHBoxLayout>
#include <QStackedWidget>

#include "ui/controls/banner.h"
#include "ui/controls/page_tabs.h"
#include "ui/controls/pill.h"
#include "ui/controls/text_label.h"

namespace disklathe::ui {

ThingView::ThingView(const QString& tabs_name, QWidget* parent) : QWidget(parent) {
  set_surface(*this, true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);

  header_ = new QHBoxLayout;
  header_->setContentsMargins(24, 16, 24, 8);
  header_->setSpacing(16);
  mark_ = new GlyphView(Glyph::disk, 32);
  auto* words = new QVBoxLayout;
  words->setSpacing(0);
  title_ = new TextLabel({}, Face::title);
  title_->set_elided();
  caption_ = new TextLabel({}, Face::caption, Ink::muted);
  caption_->set_elided();
  words->addWidget(title_);
  words->addWidget(caption_);
  figure_ = new TextLabel({}, Face::figure);
  pill_ = new Pill;
  header_->addWidget(mark_);
  header_->addLayout(words, 1);
  header_->addWidget(figure_);
  header_->addWidget(pill_);
  column->addLayout(header_);

  banner_ = new Banner;
  auto* banner_row = new QHBoxLayout;
  banner_row->setContentsMargins(24, 0, 24, 4);
  banner_row->addWidget(banner_);
  column->addLayout(banner_row);

  tabs_ = new PageTabs(tabs_name);
  tab_row_ = new QHBoxLayout;
  tab_row_->setContentsMargins(12, 0, 24, 0);
  tab_row_->addWidget(tabs_, 1);
  column->addLayout(tab_row_);
  column->addWidget(new Rule);
  pages_ = new QStackedWidget;
  column->addWidget(pages_, 1);
  connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
    if (index < 0) return;
    pages_->setCurrentIndex(index);
    Q_EMIT page_shown(index);
  });
}

int ThingView::add_page(const QString& title, QWidget* page) {
  const int index = pages_->addWidget(page);
  tabs_->addTab(title);
  return index;
}

void ThingView::set_header(Glyph glyph, const QString& title, const QString& caption, const QString& figure) {
  mark_->set_glyph(glyph);
  title_->set_text(title);
  caption_->set_text(caption);
  figure_->set_text(figure);
  figure_->setVisible(!figure.isEmpty());
  setAccessibleName(title);
}

void ThingView::set_pill(const QString& text) { pill_->set_text(text); }
QWidget* ThingView::page(int index) const { return pages_->widget(index); }
void ThingView::show_page(int index) { tabs_->setCurrentIndex(index); }

void ThingView::add_tool(QWidget* tool, int page) {
  tab_row_->addWidget(tool);
  if (page < 0) return;
  const auto fit = [tool, page](int shown) { tool->setVisible(shown == page); };
  connect(this, &ThingView::page_shown, tool, fit);
  fit(tabs_->currentIndex());
}

void ThingView::resizeEvent(QResizeEvent* event) {
  const bool low = window()->height() < 720;
  header_->setContentsMargins(24, low ? 8 : 16, 24, low ? 4 : 8);
  QWidget::resizeEvent(event);
}

}  // namespace disklathe::ui
