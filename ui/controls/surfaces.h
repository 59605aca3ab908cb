// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QScrollArea>
#include <cstdint>

namespace disklathe::ui {

// A line of one pixel between parts.
class Rule : public QFrame {
  Q_OBJECT
 public:
  explicit Rule(Qt::Orientation orientation = Qt::Horizontal, QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

// A rounded panel; toned ones carry a meaning that their words say as well.
class Card : public QFrame {
  Q_OBJECT
 public:
  enum class Tone : uint8_t { quiet, warn, bad, good };
  explicit Card(Tone tone = Tone::quiet, QWidget* parent = nullptr);
  void set_tone(Tone tone);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Tone tone_;
};

// A page: scrolls as a whole, in the colour of paper. Its content's right edge stays where the header's is, scroll bar
// or not.
class Page : public QScrollArea {
  Q_OBJECT
 public:
  explicit Page(QWidget* parent = nullptr);
  // What stands on it, with the margins of every page.
  QWidget* body() const { return widget(); }

 protected:
  bool viewportEvent(QEvent* event) override;
};

void set_surface(QWidget& widget, bool paper);  // paper: base colour, else window colour

}  // namespace disklathe::ui
