// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/theme/glyph.h"

class QHBoxLayout;
class QStackedWidget;

namespace disklathe::ui {

class Banner;
class PageTabs;
class Pill;
class TextLabel;

// A device or an image: who it is, at most one message, tabs and their pages.
class ThingView : public QWidget {
  Q_OBJECT
 public:
  explicit ThingView(const QString& tabs_name, QWidget* parent = nullptr);

  int add_page(const QString& title, QWidget* page);
  void set_header(Glyph glyph, const QString& title, const QString& caption, const QString& figure);
  void set_pill(const QString& text);
  Banner& banner() { return *banner_; }
  PageTabs& tabs() { return *tabs_; }
  QWidget* page(int index) const;
  void show_page(int index);
  // At the end of the tabs' row; shown with one page only (-1: with all).
  void add_tool(QWidget* tool, int page);

 Q_SIGNALS:
  void page_shown(int index);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  GlyphView* mark_;
  TextLabel* title_;
  TextLabel* caption_;
  TextLabel* figure_;
  Pill* pill_;
  Banner* banner_;
  PageTabs* tabs_;
  QHBoxLayout* header_;
  QHBoxLayout* tab_row_;
  QStackedWidget* pages_;
};

}  // namespace disklathe::ui
